/// The revisions of a record as a graph. A revision's origins are its parent and the revisions merged into it.
package struct RevisionGraph<Failure: Error> {
  /// Returns the origins of a revision; nil for an unknown revision, which is ignored as an ancestor.
  package var origins: (RevisionID) throws(Failure) -> [RevisionID]?
  /// Returns the content of a known revision; nil if the content is no longer stored.
  package var content: (RevisionID) throws(Failure) -> Content?
  /// Called with the number of steps before they are performed. An error that `spend` throws ends the operation.
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

  /// Returns the given revisions and all their ancestors with their origins.
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

  /// Returns the nearest common ancestors of two sides, greatest first. A side consists of one revision or several
  /// merged revisions.
  /// - Parameter isExact: if false, the search ends early, and a result may be an ancestor of another.
  package func nearestCommon(
    _ a: [RevisionID], _ b: [RevisionID], isExact: Bool = true
  ) throws(Failure) -> [RevisionID] {
    var search = CommonAncestors(isExact: isExact, origins, spend: spend)
    return try search.run(a, b)
  }
}

/// Finds the base for a merge.
///
/// If there are several nearest common ancestors, they are merged recursively, and the base is open where they
/// conflict. The same graph always yields the same base. Deleted ancestors are used only if there are no others.
/// Without common ancestors, the base is empty.
package struct BaseFinder<Failure: Error> {
  private let graph: RevisionGraph<Failure>
  private let atomic: [[PropertyPath]]
  private var known: [[RevisionID]: Base] = [:]
  private var merges = 0

  /// The maximum number of merges for a base, which limits time and recursion depth. If more are needed, the base is
  /// unknown.
  package static var mostMerges: Int { 256 }

  package init(_ graph: RevisionGraph<Failure>, atomic: [[PropertyPath]] = []) {
    self.graph = graph
    self.atomic = atomic
  }

  package mutating func base(of merged: [RevisionID], _ other: RevisionID) throws(Failure) -> Base {
    let key = merged + [other]
    if let base = known[key] { return base }
    let base = try found(merged, other)
    known[key] = base
    return base
  }

  private mutating func found(_ merged: [RevisionID], _ other: RevisionID) throws(Failure) -> Base {
    var nearest: [(revision: RevisionID, content: Content)] = []
    // An ancestor of another result does not change the merge, unless the other result is skipped.
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

  private func haveBodies(_ revisions: [RevisionID]) throws(Failure) -> Bool {
    for revision in revisions where try graph.content(revision)?.body == nil { return false }
    return true
  }
}

/// Searches for the nearest common ancestors of two sides, beginning with the deepest revision.
///
/// Each side colors its ancestors. A revision with both colors is common, and its ancestors are marked as farther. A
/// revision that gains a color later, through a link to a deeper revision, passes it on again. When all queued
/// revisions are farther, the search may end. An exact search continues, because a link to a deeper revision may show
/// that one result descends from another.
struct CommonAncestors<Failure: Error> {
  private struct Node {
    var origins: [RevisionID]
    var colours: Colours = []
    var isQueued = false
  }

  private let origins: (RevisionID) throws(Failure) -> [RevisionID]?
  private let spend: ((Int) throws(Failure) -> Void)?
  private let isExact: Bool
  /// The nodes found so far. A nil node represents an unknown revision.
  private var nodes: [RevisionID: Node?] = [:]
  private var queue = Heap<RevisionID>(>)
  private var open = 0
  private var nearest: Set<RevisionID> = []

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
