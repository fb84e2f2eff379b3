import SeaCore
import SeaStore

/// The differences between the leaves of a record.
package struct Conflict: Sendable {
  package enum Kind: String, Sendable {
    case edit = "edit/edit"
    /// A deletion that lost to an edit.
    case deletion = "delete/edit"
    /// The same id was created twice.
    case addition = "add/add"
    case type = "type/type"
  }

  package enum PathState: String, Sendable {
    /// Only one side changed it, all made the same change, or a rule decides.
    case merges
    case clash
  }

  package struct Path: Sendable {
    /// The path of the type is `/_type`.
    package var path: PropertyPath
    package var base: Value?
    /// In the order of the sides.
    package var values: [Value?]
    package var state: PathState
    /// The policy that decided, if the contents alone did not.
    package var policy: Policy?
    /// The automatic result; nil for no value. For a clash, this is the winner's value.
    package var merged: Value?

    package var pointer: String { path.pointer }
  }

  package struct Side: Sendable {
    package var leaf: Leaf
    package var type: String?
    package var body: Value?
    /// The first block with this leaf.
    package var author: BlockRow?
    /// Whether this instance wrote it. Content that an undo restored belongs to its original author.
    package var isOwn: Bool

    var content: Content { Content(type: type, body: body) }
  }

  package var row: RecordRow
  package var kind: Kind
  package var base: Side?
  /// Best first; the first is the winner.
  package var sides: [Side]
  /// The number of conflicting leaves beyond the sides: one revision cannot merge more.
  package var waiting = 0
  /// Places where the sides differ.
  package var paths: [Path]
  /// The merge of all live leaves, with the winner's values where they clash.
  package var merged: Content
  /// Whether the record is too large to be merged just for display. Then each path is a whole property whose inner
  /// values are not compared, so a clash may still merge.
  package var isLarge = false
  /// Whether the budget did not even allow a search for the base.
  package var isLeft = false
  /// Whether more properties differ than there are paths.
  package var isCut = false

  package var id: String { row.id }
  package var leaves: [RevisionID] { sides.map(\.leaf.revision) }
  package var clashes: [Path] { paths.filter { $0.state == .clash } }
  /// Whether one side deleted the record, which the user has to weigh.
  package var hasDeletion: Bool { sides.contains { $0.leaf.kind != .put } }
  /// Whether the content of one side was purged and is lost.
  package var hasPurged: Bool { sides.contains { $0.leaf.isPurged } }
  /// False if no side of a large conflict has a counter or a set.
  var mayHaveStates: Bool {
    sides.contains { side in
      guard case .packed(let stored)? = side.body else { return side.body != nil }
      return stored.bytes.withUnsafeBufferPointer(StoredValue.mayHaveStates)
    }
  }
  package var isClean: Bool { !hasDeletion && !hasPurged && clashes.isEmpty }
  /// The policies that decided, each once.
  package var policies: [Policy] {
    Policy.allCases.filter { policy in paths.contains { $0.policy == policy } }
  }
}

extension Conflict {
  /// Returns the changes of the sides against the base, property by property.
  static func paths(_ base: Side?, _ sides: [Side], _ merge: LeafMerge) -> [Path] {
    let live = sides.filter { $0.leaf.kind == .put }
    if live.count == 1 {
      // The user has to weigh the changes of the edit against the deletion.
      guard let base else { return [] }
      return changes(from: base, in: live[0], sides)
    }
    // No place is within another one, so each path of a step is at a place or within it.
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

  /// Orders the type first, then by the order of the encoding.
  private static func precedes(_ a: PropertyPath, _ b: PropertyPath) -> Bool {
    for (x, y) in zip(a.names, b.names) where !UTF8Text.equal(x, y) {
      if a.names.first == Merge.typeName || b.names.first == Merge.typeName { return a.names.first == Merge.typeName }
      return Members.precedes(x, y)
    }
    return a.names.count < b.names.count
  }
}
