/// Merges two contents of a record property by property against their common base.
///
/// Dictionaries are merged key by key; any other value, including an array, is one unit. A change, addition or removal
/// on only one side is taken, and so is an equal change on both sides. Counters and sets combine both sides' changes.
/// Every other change on both sides is a conflict, also a removal against a change or two different types.
///
/// A clean result has the same bytes if the sides are swapped.
package struct Merge: Sendable {
  package enum State: Equatable, Sendable {
    /// Neither side changed it.
    case same
    case ours, theirs
    /// Both sides changed it to the same value.
    case alike
    /// Both sides changed a counter or a set, and the result combines the changes.
    case joined
    /// Both sides changed it differently, and a policy chose the result.
    case settled(Policy)
    case clash
  }

  package struct Path: Sendable {
    package var path: PropertyPath
    package var base: Value?
    package var ours: Value?
    package var theirs: Value?
    package var state: State
    /// The result; for a conflict the value of `ours`.
    package var merged: Value?
    /// The side that the merged value comes from, if it is not the value of both.
    package var side: Side?
  }

  package enum Side: Sendable { case ours, theirs }

  /// The result. Where there are conflicts it has the value of `ours` and must not be stored.
  package private(set) var content: Content
  /// Each property of the base or the sides, down to the innermost dictionaries, in the order of the encoding. The type
  /// comes first, and only if it changed. A conflict between a deletion and a change has the empty path.
  package private(set) var paths: [Path] = []
  /// The paths that only `theirs` contributes, including all paths of groups.
  private(set) var taken: [PropertyPath] = []

  package var clashes: [Path] { paths.filter { $0.state == .clash } }
  package var isClean: Bool { !paths.contains { $0.state == .clash } }

  /// The name of the type among the paths.
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
    taken = paths.filter { $0.side == .theirs }.map(\.path) + walk.groups.taken
  }

  /// Merges sides of which at least one is deleted. The whole record counts as one property.
  private static func deletion(_ base: Base, _ ours: Content, _ theirs: Content) -> (Content, [Path]) {
    let (a, b) = (ours.body, theirs.body)
    func isUnchanged(_ side: Content) -> Bool {
      base.open.isEmpty && (side.body == nil ? base.content.body == nil : side == base.content)
    }
    let (oursIsBase, theirsIsBase) = (isUnchanged(ours), isUnchanged(theirs))
    let isAlike = a == nil && b == nil
    let state: State =
      isAlike ? oursIsBase ? .same : .alike : oursIsBase ? .theirs : theirsIsBase ? .ours : .clash
    let side: Side? = state == .ours ? .ours : state == .theirs ? .theirs : nil
    let content = state == .theirs ? theirs : ours
    let path = Path(
      path: PropertyPath(names: []), base: base.content.body, ours: a, theirs: b, state: state, merged: content.body,
      side: side)
    return (content, [path])
  }
}

/// The settings of a merge.
package struct MergeRules {
  /// Paths that are merged together: each list counts as one property. A single path makes a dictionary one unit.
  package var atomic: [[PropertyPath]]
  /// The policy for conflicts at a path. A group of paths has a policy if all its paths have the same one.
  package var policy: (PropertyPath) -> Policy?

  package init(atomic: [[PropertyPath]] = [], policy: @escaping (PropertyPath) -> Policy? = { _ in nil }) {
    self.atomic = atomic
    self.policy = policy
  }
}
