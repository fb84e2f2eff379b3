import SeaCore
import SeaStore

package struct Conflict: Sendable {
  package enum Kind: String, Sendable {
    case edit = "edit/edit"
    /// One side deleted the record, and the edit won.
    case deletion = "delete/edit"
    case addition = "add/add"
    case type = "type/type"
  }

  package enum PathState: String, Sendable {
    /// The values can be merged: only one side made a change, all sides made the same change, or a rule decides.
    case merges
    case clash
  }

  package struct Path: Sendable {
    /// The path of the property; `/_type` for the record's type.
    package var path: PropertyPath
    package var base: Value?
    package var values: [Value?]
    package var state: PathState
    /// The policy that chose the value; nil if no policy was needed.
    package var policy: Policy?
    /// The value after an automatic merge; nil for no value. For a conflicting property, this is the winner's value.
    package var merged: Value?

    package var pointer: String { path.pointer }
  }

  package struct Side: Sendable {
    package var leaf: Leaf
    package var type: String?
    package var body: Value?
    /// The block that contains the revision.
    package var author: BlockRow?
    /// The block whose instance wrote the content. Content that was restored by an undo belongs to its original author.
    package var owner: BlockRow?
    /// Whether this instance wrote the content.
    package var isOwn: Bool

    var content: Content { Content(type: type, body: body) }
  }

  package var row: RecordRow
  package var kind: Kind
  package var base: Side?
  /// The sides: first the winner, then the others in descending order of revisions.
  package var sides: [Side]
  /// The number of conflicting leaves that are not in `sides`, because a single revision cannot merge them all.
  package var waiting = 0
  package var paths: [Path]
  /// The result of merging all live leaves, with the winner's values for conflicting properties.
  package var merged: Content
  /// Whether the record is too large to be merged just for display. In this case, each path is a whole property whose
  /// inner values were not compared, so it may still turn out to be mergeable.
  package var isLarge = false
  /// Whether the budget was too small even to search for the base.
  package var lacksBase = false
  /// Whether more properties differ than `paths` contains.
  package var isCut = false

  package var id: String { row.id }
  package var leaves: [RevisionID] { sides.map(\.leaf.revision) }
  package var clashes: [Path] { paths.filter { $0.state == .clash } }
  package var hasDeletion: Bool { sides.contains { $0.leaf.kind != .put } }
  package var hasPurged: Bool { sides.contains { $0.leaf.isPurged } }
  /// Whether any side may have a counter or a set. False only for a large conflict.
  var mayHaveStates: Bool {
    sides.contains { side in
      guard case .packed(let stored)? = side.body else { return side.body != nil }
      return stored.bytes.withUnsafeBufferPointer(StoredValue.mayHaveStates)
    }
  }
  package var isClean: Bool { !hasDeletion && !hasPurged && clashes.isEmpty }
  package var policies: [Policy] {
    Policy.allCases.filter { policy in paths.contains { $0.policy == policy } }
  }
}

extension Conflict {
  static func paths(_ base: Side?, _ sides: [Side], _ merge: LeafMerge) -> [Path] {
    let live = sides.filter { $0.leaf.kind == .put }
    if live.count == 1 {
      // The user must weigh the edit's changes against the deletion, so list the changes.
      guard let base else { return [] }
      return changes(from: base, in: live[0], sides)
    }
    // No differing path contains another, so each path of a merge step is equal to a differing path or inside of one.
    var changed = PathTree<Void>()
    for step in merge.steps { for one in step.paths where one.state != .same { changed.add(one.path, ()) } }
    let places = changed.outermost.sorted(by: precedes)
    var numbers = PathTree<Int>()
    for (k, place) in places.enumerated() { numbers.add(place, k) }
    var clashing = Set<Int>()
    for path in merge.clashes { if let k = numbers.around(path) { clashing.insert(k) } }
    var policies: [Int: Policy] = [:]
    for one in merge.steps.lazy.flatMap(\.paths) {
      if case .settled(let policy) = one.state, let k = numbers.around(one.path), policies[k] == nil {
        policies[k] = policy
      }
    }
    return places.enumerated().compactMap { k, place in
      guard live.contains(where: { $0.content[place] != live[0].content[place] }) else { return nil }
      let isClash = clashing.contains(k)
      return Path(
        path: place, base: base?.content[place], values: sides.map { $0.content[place] },
        state: isClash ? .clash : .merges, policy: isClash ? nil : policies[k], merged: merge.content?[place])
    }
  }

  private static func changes(from base: Side, in edit: Side, _ sides: [Side]) -> [Path] {
    let names = Members.keys(of: [base, edit].compactMap { $0.body?.members })
    let paths = [PropertyPath(names: [Merge.typeName])] + names.map { PropertyPath(names: [$0]) }
    return paths.compactMap { path in
      guard edit.content[path] != base.content[path] else { return nil }
      return Path(
        path: path, base: base.content[path], values: sides.map { $0.content[path] }, state: .clash,
        merged: edit.content[path])
    }
  }

  private static func precedes(_ a: PropertyPath, _ b: PropertyPath) -> Bool {
    for (x, y) in zip(a.names, b.names) where !UTF8Text.equal(x, y) {
      if a.names.first == Merge.typeName || b.names.first == Merge.typeName { return a.names.first == Merge.typeName }
      return Members.precedes(x, y)
    }
    return a.names.count < b.names.count
  }
}
