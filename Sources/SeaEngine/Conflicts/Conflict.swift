import SeaCore
import SeaStore

/// How the leaves of a record disagree.
package struct Conflict: Sendable {
  package enum Kind: String, Sendable {
    case edit = "edit/edit"
    /// A deletion that lost to an edit.
    case deletion = "delete/edit"
    /// The same id was made twice.
    case addition = "add/add"
    case type = "type/type"
  }

  package enum PathState: String, Sendable {
    /// Only one side changed it, or all to the same, or there is a rule for it.
    case merges
    case clash
  }

  package struct Path: Sendable {
    /// The type is at `/_type`.
    package var path: PropertyPath
    package var base: Value?
    /// In the order of the sides.
    package var values: [Value?]
    package var state: PathState
    /// What settled it, if not the contents alone did.
    package var policy: Policy?
    /// What merging alone would give; nil for nothing there. Of a clash what the winner says.
    package var merged: Value?

    package var pointer: String { path.pointer }
  }

  package struct Side: Sendable {
    package var leaf: Leaf
    package var type: String?
    package var body: Value?
    /// The block that it came in first.
    package var author: BlockRow?
    /// Whether this instance wrote it; what an undo has put back is that of who wrote it first.
    package var isOwn: Bool

    var content: Content { Content(type: type, body: body) }
  }

  package var row: RecordRow
  package var kind: Kind
  package var base: Side?
  /// Best first; the first is the winner.
  package var sides: [Side]
  /// Leaves that disagree beside the sides: one revision cannot take in all.
  package var waiting = 0
  /// Places that are not the same everywhere.
  package var paths: [Path]
  /// All live leaves merged; where they clash it says what the winner says.
  package var merged: Content
  /// Whether it holds too much to be merged just to be seen. Then each path is a whole property, and what is within is not compared;
  /// a clash may yet merge.
  package var isLarge = false
  /// Whether not even a base was looked for: there was no budget left for that.
  package var isLeft = false
  /// Whether more properties differ than there are paths.
  package var isCut = false

  package var id: String { row.id }
  package var leaves: [RevisionID] { sides.map(\.leaf.revision) }
  package var clashes: [Path] { paths.filter { $0.state == .clash } }
  /// Whether one side deleted the record, which is for a person to weigh.
  package var hasDeletion: Bool { sides.contains { $0.leaf.kind != .put } }
  /// Whether the content of one side was purged, so that nobody knows what it said.
  package var hasPurged: Bool { sides.contains { $0.leaf.isPurged } }
  /// False: none of the sides of a large conflict has a counter or a set.
  var mayHaveStates: Bool {
    sides.contains { side in
      guard case .packed(let stored)? = side.body else { return side.body != nil }
      return stored.bytes.withUnsafeBufferPointer(StoredValue.mayHaveStates)
    }
  }
  package var isClean: Bool { !hasDeletion && !hasPurged && clashes.isEmpty }
  /// The policies that had to decide, each once.
  package var policies: [Policy] {
    Policy.allCases.filter { policy in paths.contains { $0.policy == policy } }
  }
}

extension Conflict {
  /// Property by property: what the sides made of the base.
  static func paths(_ base: Side?, _ sides: [Side], _ merge: LeafMerge) -> [Path] {
    let live = sides.filter { $0.leaf.kind == .put }
    if live.count == 1 {
      // Kept or deleted: what the edit has changed is what a person has to weigh.
      guard let base else { return [] }
      return changes(from: base, in: live[0], sides)
    }
    // No place is within another one, so each path of a step is at one of them or within it.
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

  /// The type first, then in the order of the encoding.
  private static func precedes(_ a: PropertyPath, _ b: PropertyPath) -> Bool {
    for (x, y) in zip(a.names, b.names) where !UTF8Text.equal(x, y) {
      if a.names.first == Merge.typeName || b.names.first == Merge.typeName { return a.names.first == Merge.typeName }
      return Members.precedes(x, y)
    }
    return a.names.count < b.names.count
  }
}
