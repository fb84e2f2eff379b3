/// Two contents of a record merged property by property, against the base that they come from.
///
/// Dictionaries are merged key by key; everything else is one value, arrays too. What only one side has changed, added
/// or removed is taken; what both have made alike is too. Counters and sets come to what both sides did. Anything
/// else that both sides changed clashes, also a removal with a change and one type with another.
///
/// Which side is called `ours` changes nothing of a clean result: it is the same bytes.
package struct Merge: Sendable {
  package enum State: Equatable, Sendable {
    /// Nobody changed it.
    case same
    /// Only this side changed it.
    case ours, theirs
    /// Both changed it, and to the same.
    case alike
    /// Both changed a counter or a set, which say the sum of it.
    case joined
    /// It clashed, and a policy had an answer.
    case settled(Policy)
    case clash
  }

  package struct Path: Sendable {
    package var path: PropertyPath
    package var base: Value?
    package var ours: Value?
    package var theirs: Value?
    package var state: State
    /// What it comes to; of a clash what `ours` says.
    package var merged: Value?
    /// Whose value that is, if it is that of one side and not of the other.
    package var side: Side?
  }

  package enum Side: Sendable { case ours, theirs }

  /// The result. Where there are clashes it is what `ours` says, and nothing that may be stored.
  package private(set) var content: Content
  /// Each property of base or sides, down to where dictionaries end, in the order of the encoding; the type comes
  /// first and only if it is not the same. A clash of a deletion with a change is at the path without names.
  package private(set) var paths: [Path] = []
  /// What `theirs` alone has given: places, and all paths of groups.
  private(set) var taken: [PropertyPath] = []

  package var clashes: [Path] { paths.filter { $0.state == .clash } }
  package var isClean: Bool { !paths.contains { $0.state == .clash } }

  /// The name that the type goes by among the paths.
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

  /// At least one side is deleted: it is as if the whole record were one property.
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

/// What a merge goes by besides the contents.
package struct MergeRules {
  /// Paths that belong together: each list counts as one property. A path alone keeps a dictionary in one piece.
  package var atomic: [[PropertyPath]]
  /// What to do where the sides clash; a list of paths that belong together has a policy if all of them have the same.
  package var policy: (PropertyPath) -> Policy?

  package init(atomic: [[PropertyPath]] = [], policy: @escaping (PropertyPath) -> Policy? = { _ in nil }) {
    self.atomic = atomic
    self.policy = policy
  }
}
