/// Looks for the nearest revisions that two sides come from, from the deepest down.
///
/// Each side paints what it comes from; what has both colours is common, and all that is behind it is farther. A revision
/// that gets another colour later, as over a link to a deeper one, hands it on again, so the outcome does not depend on
/// the order. The search may end when whatever has not handed on its colours is farther: that can add nothing. It can
/// still show that one of several comes from another, over a link from far behind to a deeper revision.
struct CommonAncestors<Failure: Error> {
  private struct Node {
    var origins: [RevisionID]
    var colours: Colours = []
    /// Whether it has yet to hand on its colours.
    var isQueued = false
  }

  private let origins: (RevisionID) throws(Failure) -> [RevisionID]?
  private let spend: ((Int) throws(Failure) -> Void)?
  private let isExact: Bool
  /// Nil: not known.
  private var nodes: [RevisionID: Node?] = [:]
  /// The greatest first.
  private var queue = Heap<RevisionID>(>)
  /// How many in the queue are not farther.
  private var open = 0
  private var nearest: Set<RevisionID> = []

  /// - Parameter spend: told of the links before they are followed; what it throws ends the search.
  init(
    isExact: Bool, _ origins: @escaping (RevisionID) throws(Failure) -> [RevisionID]?,
    spend: ((Int) throws(Failure) -> Void)? = nil
  ) {
    self.isExact = isExact
    self.origins = origins
    self.spend = spend
  }

  mutating func run(_ ours: [RevisionID], _ theirs: [RevisionID]) throws(Failure) -> [RevisionID] {
    for revision in ours { try paint(revision, .ours) }
    for revision in theirs { try paint(revision, .theirs) }
    while open > 0 || isExact && nearest.count > 1, let next = queue.pop() {
      guard var node = nodes[next] ?? nil else { continue }
      node.isQueued = false
      nodes[next] = node
      if node.colours != .farther { open -= 1 }
      let handed = node.colours == .common ? .farther : node.colours
      try spend?(1 + node.origins.count)
      for origin in node.origins { try paint(origin, handed) }
    }
    return nearest.sorted(by: >)
  }

  private mutating func paint(_ revision: RevisionID, _ colours: Colours) throws(Failure) {
    if nodes[revision] == nil { nodes[revision] = .some(try origins(revision).map { Node(origins: $0) }) }
    guard var node = nodes[revision] ?? nil, !node.colours.isSuperset(of: colours) else { return }
    let wasOpen = node.isQueued && node.colours != .farther
    node.colours.formUnion(colours)
    if node.colours == .common { nearest.insert(revision) } else { nearest.remove(revision) }
    if !node.isQueued { queue.push(revision) }
    node.isQueued = true
    nodes[revision] = node
    open += (node.colours == .farther ? 0 : 1) - (wasOpen ? 1 : 0)
  }
}

private struct Colours: OptionSet {
  let rawValue: UInt8
  static let ours = Colours(rawValue: 1)
  static let theirs = Colours(rawValue: 2)
  static let common: Colours = [.ours, .theirs]
  static let farther: Colours = [.ours, .theirs, Colours(rawValue: 4)]
}
