/// The revisions of a record as a graph: each comes from its parent and from what it has taken in.
package struct RevisionGraph<Failure: Error> {
  /// The parent, if any, and the `merged` revisions; nil for a revision that is not known. What is not known counts as
  /// nobody's ancestor.
  package var origins: (RevisionID) throws(Failure) -> [RevisionID]?
  /// What a known revision says; nil if that is no longer here.
  package var content: (RevisionID) throws(Failure) -> Content?
  /// Told of the steps that a merge or a search takes before it is made; what it throws ends the work.
  package var spend: ((Int) throws(Failure) -> Void)?

  package init(
    origins: @escaping (RevisionID) throws(Failure) -> [RevisionID]?,
    content: @escaping (RevisionID) throws(Failure) -> Content?,
    spend: ((Int) throws(Failure) -> Void)? = nil
  ) {
    self.origins = origins
    self.content = content
    self.spend = spend
  }

  /// The revisions themselves and all that they come from, each with its origins as far as they are known.
  package func ancestors(of revisions: [RevisionID]) throws(Failure) -> [RevisionID: [RevisionID]] {
    var found: [RevisionID: [RevisionID]] = [:]
    var stack = revisions
    while let next = stack.popLast() {
      guard found[next] == nil, let from = try origins(next) else { continue }
      found[next] = from
      stack += from
    }
    return found
  }

  /// The nearest revisions that both sides come from, greatest first; a side is one revision or several that have been
  /// merged. None of them is an ancestor of another.
  /// - Parameter isExact: otherwise little is looked at of what lies behind them. Then there may be too many, if a revision
  ///   far behind has taken in one that is deeper than itself: of two one can be an ancestor of the other.
  package func nearestCommon(
    _ a: [RevisionID], _ b: [RevisionID], isExact: Bool = true
  ) throws(Failure) -> [RevisionID] {
    var search = CommonAncestors(isExact: isExact, origins, spend: spend)
    return try search.run(a, b)
  }
}

/// Finds what sides have to be merged against.
///
/// Sides whose histories have crossed can have several nearest common ancestors. These are merged with each other, which
/// can take bases of their own, and so on; where they clash the base is open. The same graph has the same base wherever
/// it is looked for. Deleted ancestors count only where there are no others; without any ancestor there was nothing.
package struct BaseFinder<Failure: Error> {
  private let graph: RevisionGraph<Failure>
  private let atomic: [[PropertyPath]]
  private var known: [[RevisionID]: Base] = [:]
  private var merges = 0

  /// Beyond these a base counts as unknown, so that no history, however made, takes more than its time. Each level of
  /// bases within bases takes one of them: so there are no more levels either.
  package static var mostMerges: Int { 256 }

  package init(_ graph: RevisionGraph<Failure>, atomic: [[PropertyPath]] = []) {
    self.graph = graph
    self.atomic = atomic
  }

  /// - Parameter merged: the revisions that have been merged to one side.
  package mutating func base(of merged: [RevisionID], _ other: RevisionID) throws(Failure) -> Base {
    let key = merged + [other]
    if let base = known[key] { return base }
    let base = try found(merged, other)
    known[key] = base
    return base
  }

  private mutating func found(_ merged: [RevisionID], _ other: RevisionID) throws(Failure) -> Base {
    var nearest: [(revision: RevisionID, content: Content)] = []
    // An ancestor of another one changes nothing of what they are merged to, unless that other one is left out.
    var common = try graph.nearestCommon(merged, [other], isExact: false)
    if common.count > 1, try !haveBodies(common) { common = try graph.nearestCommon(merged, [other]) }
    for revision in common {
      guard let content = try graph.content(revision) else { return .unknown }
      if content.body != nil { nearest.append((revision, content.inherited(from: revision.digest))) }
    }
    guard let first = nearest.first else { return .nothing }
    var result = Base(first.content)
    for k in nearest.indices.dropFirst() {
      guard merges < BaseFinder.mostMerges else { return .unknown }
      merges += 1
      let ground = try base(of: nearest[..<k].map(\.revision), nearest[k].revision)
      try graph.spend?(ground.steps + result.content.steps + nearest[k].content.steps)
      let merge = Merge(
        base: ground, ours: result.content, theirs: nearest[k].content, rules: MergeRules(atomic: atomic))
      result = Base(merge.content, open: result.open + merge.clashes.map(\.path))
    }
    return result
  }

  /// Whether all of these say something: none is a deletion, or the end of a branch.
  private func haveBodies(_ revisions: [RevisionID]) throws(Failure) -> Bool {
    for revision in revisions where try graph.content(revision)?.body == nil { return false }
    return true
  }
}

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
