/// The revisions of a record as a graph. A revision's origins are its parent and the revisions merged into it.
package struct RevisionGraph<Failure: Error> {
  /// Returns the origins of a revision; nil if the revision is unknown, in which case it is ignored as an ancestor.
  package var origins: (RevisionID) throws(Failure) -> [RevisionID]?
  /// Returns the content of a known revision; nil if the content is no longer stored.
  package var content: (RevisionID) throws(Failure) -> Content?
  /// A closure that is called with a number of steps before these are performed. If `spend` throws an error, the
  /// operation ends.
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

  /// Returns the given revisions and all their ancestors, each with its origins.
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

  /// Returns the nearest common ancestors of both sides, greatest first. Each side is a single revision or several
  /// merged revisions. No result is an ancestor of another.
  package func nearestCommon(_ a: [RevisionID], _ b: [RevisionID]) throws(Failure) -> [RevisionID] {
    var search = CommonAncestors(origins, spend: spend)
    return try search.run(a, b)
  }
}

extension RevisionGraph {
  /// The maximum number of nearest common ancestors. If there are more, the base is unknown.
  package static var mostAncestors: Int { 16 }

  /// Returns the base for a merge of two sides.
  ///
  /// If their histories cross, the sides have several nearest common ancestors. These are merged with each other, and
  /// where they conflict, the base is open. This is done only one level deep: if two of these ancestors in turn have
  /// several nearest common ancestors, their base is unknown. See sea-merge(5).
  /// - Parameter merged: the revisions that have been merged into one side.
  package func base(
    of merged: [RevisionID], _ other: RevisionID, atomic: [[PropertyPath]] = []
  ) throws(Failure) -> Base {
    guard let nearest = try ancestors(of: merged, other) else { return .unknown }
    guard let first = nearest.first else { return .nothing }
    var result = Base(first.content)
    for k in nearest.indices.dropFirst() {
      let deeper = try ancestors(of: nearest[..<k].map(\.revision), nearest[k].revision)
      let ground = deeper.map { $0.isEmpty ? .nothing : $0.count == 1 ? Base($0[0].content) : .unknown } ?? .unknown
      try spend?(ground.steps + result.content.steps + nearest[k].content.steps)
      let merge = Merge(
        base: ground, ours: result.content, theirs: nearest[k].content, rules: MergeRules(atomic: atomic))
      result = Base(merge.content, open: result.open + merge.clashes.map(\.path))
    }
    return result
  }

  /// Returns the nearest common ancestors that have a body, greatest first. Returns nil if the content of any of them
  /// is no longer stored, or if there are too many.
  private func ancestors(
    of merged: [RevisionID], _ other: RevisionID
  ) throws(Failure) -> [(revision: RevisionID, content: Content)]? {
    var found: [(revision: RevisionID, content: Content)] = []
    for revision in try nearestCommon(merged, [other]) {
      guard let content = try content(revision) else { return nil }
      if content.body != nil { found.append((revision, content.inherited(from: revision.digest))) }
    }
    return found.count > RevisionGraph.mostAncestors ? nil : found
  }
}

/// Searches for the nearest common ancestors of two sides, starting with the deepest revision.
///
/// Each side colors its ancestors. A revision with both colors is a common ancestor, and all of its ancestors are more
/// distant ones. A revision that gains a color later, through a link to a deeper revision, passes it on again, so the
/// order does not matter. The search ends when only ancestors of results are queued, because these add no results. If
/// there are several results, the search goes on, because a link to a deeper revision could show that one result
/// descends from another.
struct CommonAncestors<Failure: Error> {
  private struct Node {
    var origins: [RevisionID]
    var colors: Colors = []
    /// Whether the node has yet to pass on its colors.
    var isQueued = false
  }

  private let origins: (RevisionID) throws(Failure) -> [RevisionID]?
  private let spend: ((Int) throws(Failure) -> Void)?
  /// The nodes found so far. A node is nil if its revision is unknown.
  private var nodes: [RevisionID: Node?] = [:]
  private var queue = Heap<RevisionID>(>)
  private var open = 0
  private var nearest: Set<RevisionID> = []

  init(
    _ origins: @escaping (RevisionID) throws(Failure) -> [RevisionID]?,
    spend: ((Int) throws(Failure) -> Void)? = nil
  ) {
    self.origins = origins
    self.spend = spend
  }

  mutating func run(_ ours: [RevisionID], _ theirs: [RevisionID]) throws(Failure) -> [RevisionID] {
    for revision in ours { try paint(revision, .ours) }
    for revision in theirs { try paint(revision, .theirs) }
    while open > 0 || nearest.count > 1, let next = queue.pop() {
      guard var node = nodes[next] ?? nil else { continue }
      node.isQueued = false
      nodes[next] = node
      if node.colors != .farther { open -= 1 }
      let handed = node.colors == .common ? .farther : node.colors
      try spend?(1 + node.origins.count)
      for origin in node.origins { try paint(origin, handed) }
    }
    return nearest.sorted(by: >)
  }

  private mutating func paint(_ revision: RevisionID, _ colors: Colors) throws(Failure) {
    if nodes[revision] == nil { nodes[revision] = .some(try origins(revision).map { Node(origins: $0) }) }
    guard var node = nodes[revision] ?? nil, !node.colors.isSuperset(of: colors) else { return }
    let wasOpen = node.isQueued && node.colors != .farther
    node.colors.formUnion(colors)
    if node.colors == .common { nearest.insert(revision) } else { nearest.remove(revision) }
    if !node.isQueued { queue.push(revision) }
    node.isQueued = true
    nodes[revision] = node
    open += (node.colors == .farther ? 0 : 1) - (wasOpen ? 1 : 0)
  }
}

private struct Colors: OptionSet {
  let rawValue: UInt8
  static let ours = Colors(rawValue: 1)
  static let theirs = Colors(rawValue: 2)
  static let common: Colors = [.ours, .theirs]
  static let farther: Colors = [.ours, .theirs, Colors(rawValue: 4)]
}
