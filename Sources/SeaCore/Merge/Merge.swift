/// Merges two versions of a record, property by property, against their common base.
///
/// Dictionaries are merged key by key; any other value, including an array, is treated as a unit. A change made on only
/// one side, or the same change made on both sides, is applied. In counters and sets, the changes of both sides are
/// combined. All other changes made on both sides are conflicts.
///
/// If there are no conflicts, the result has the same bytes when the sides are swapped.
package struct Merge: Sendable {
  package enum State: Equatable, Sendable {
    case same
    case ours, theirs
    case sameChange
    /// Both sides changed a counter or a set, and the result combines the changes.
    case joined
    /// Both sides made different changes, and a policy chose the result.
    case settled(Policy)
    case clash
  }

  package struct Path: Sendable {
    package var path: PropertyPath
    package var base: Value?
    package var ours: Value?
    package var theirs: Value?
    package var state: State
    package var merged: Value?
    /// The side that contributed the merged value; nil if both sides have it.
    package var side: Side?
  }

  package enum Side: Sendable { case ours, theirs }

  /// The result. Where there are conflicts, the result has the value of `ours`. Such a result must not be stored.
  package private(set) var content: Content
  /// The paths of all properties of the base and both sides, down to the innermost dictionaries, in encoding order. The
  /// type comes first, but is included only if it changed. A conflict between a deletion and a change has the empty
  /// path.
  package private(set) var paths: [Path] = []
  /// The paths whose value comes only from `theirs`. A group is included with all its paths.
  private(set) var taken: [PropertyPath] = []
  /// The cost of merged texts, for `RevisionGraph.spend`.
  private(set) var textSteps = 0

  package var clashes: [Path] { paths.filter { $0.state == .clash } }
  package var isClean: Bool { !paths.contains { $0.state == .clash } }

  package static let typeName = "_type"

  package init(
    base: Base, ours: Content, theirs: Content, rules: MergeRules = MergeRules(),
    provenance: @escaping (PropertyPath) -> (ours: Provenance, theirs: Provenance) = { _ in (Provenance(), Provenance())
    }
  ) {
    guard case .dictionary(let a)? = ours.body, case .dictionary(let b)? = theirs.body else {
      (content, paths) = Merge.deletion(base, ours, theirs)
      return
    }
    content = ours
    var walk = MergeWalk(base, a, b, rules, provenance)
    let type = walk.value(.type(of: base), ours.typeValue, theirs.typeValue, [Merge.typeName])
    let untyped = base.content.type == nil && ours.type == nil && theirs.type == nil
    if untyped || walk.paths.last?.state == .same {
      walk.paths.removeLast()
    }
    let body = walk.dictionary(BasePlace(base), a, b, [])
    if case .string(let text)? = type { content.type = text } else { content.type = nil }
    content.body = .dictionary(body)
    paths = walk.paths
    textSteps = walk.textSteps
    taken = paths.filter { $0.side == .theirs }.map(\.path) + walk.groups.taken
  }

  /// Merges two sides, at least one of which is deleted. The whole record is treated as one property.
  private static func deletion(_ base: Base, _ ours: Content, _ theirs: Content) -> (Content, [Path]) {
    let (a, b) = (ours.body, theirs.body)
    func isUnchanged(_ side: Content) -> Bool {
      base.open.isEmpty && (side.body == nil ? base.content.body == nil : side == base.content)
    }
    let (oursIsBase, theirsIsBase) = (isUnchanged(ours), isUnchanged(theirs))
    let isAlike = a == nil && b == nil
    let state: State =
      isAlike ? oursIsBase ? .same : .sameChange : oursIsBase ? .theirs : theirsIsBase ? .ours : .clash
    let side: Side? = state == .ours ? .ours : state == .theirs ? .theirs : nil
    let content = state == .theirs ? theirs : ours
    let path = Path(
      path: PropertyPath(names: []), base: base.content.body, ours: a, theirs: b, state: state, merged: content.body,
      side: side)
    return (content, [path])
  }
}

package struct MergeRules {
  /// The groups of paths that are merged as one property. A group with a single path makes the dictionary there a unit.
  package var atomic: [[PropertyPath]]
  /// Returns the policy for conflicts at a path. A group has a policy only if all of its paths have the same one.
  package var policy: (PropertyPath) -> Policy?

  package init(atomic: [[PropertyPath]] = [], policy: @escaping (PropertyPath) -> Policy? = { _ in nil }) {
    self.atomic = atomic
    self.policy = policy
  }
}
