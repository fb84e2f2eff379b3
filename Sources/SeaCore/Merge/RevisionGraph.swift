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
