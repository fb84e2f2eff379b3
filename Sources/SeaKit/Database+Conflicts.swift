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
    /// Only one side changed it, or all to the same.
    case merges
    case clash
  }

  package struct Path: Sendable {
    package var name: String
    package var base: Value?
    /// In the order of the sides.
    package var values: [Value?]
    package var state: PathState
    /// What merging alone would give; nil for nothing there.
    package var merged: Value?

    package var pointer: String { PropertyPath(names: [name]).pointer }
  }

  package struct Side: Sendable {
    package var leaf: Leaf
    package var type: String?
    package var body: Value?
    package var author: BlockRow?
  }

  package var row: RecordRow
  package var kind: Kind
  package var base: Side?
  /// Best first; the first is the winner.
  package var sides: [Side]
  /// Properties that are not the same everywhere.
  package var paths: [Path]
}

extension Database {
  package func conflict(of row: RecordRow) throws -> Conflict? {
    guard row.conflict != .none else { return nil }
    let sides = try contenders(of: row).map { try side($0) }
    let base = try base(of: row).map { try side($0) }
    let live = sides.filter { $0.leaf.kind == .put }
    let types = Set(live.map { Array(($0.type ?? "").utf8) })
    let kind: Conflict.Kind =
      row.conflict == .deletion ? .deletion : types.count > 1 ? .type : base == nil ? .addition : .edit
    return Conflict(row: row, kind: kind, base: base, sides: sides, paths: Database.paths(base, sides))
  }

  private func side(_ leaf: Leaf) throws -> Conflict.Side {
    let (type, body) = try content(of: leaf)
    return Conflict.Side(leaf: leaf, type: type, body: body, author: try store.block(sequence: leaf.sequence))
  }

  /// Property by property: what the sides made of the base.
  private static func paths(_ base: Conflict.Side?, _ sides: [Conflict.Side]) -> [Conflict.Path] {
    let live = sides.filter { $0.leaf.kind == .put }
    var names = Members()
    for side in live + [base].compactMap({ $0 }) {
      for key in side.body?.members?.keys ?? [] { names[key] = .null }
    }
    return names.keys.compactMap { name in
      let old = base?.body?.members?[name]
      let values = live.map { $0.body?.members?[name] }
      let all = sides.map { $0.body?.members?[name] }
      if live.count == 1 {
        // Kept or deleted: what the edit has changed is what a person has to weigh.
        guard base != nil, values[0] != old else { return nil }
        return Conflict.Path(name: name, base: old, values: all, state: .clash, merged: values[0])
      }
      guard values.contains(where: { $0 != values[0] }) else { return nil }
      if let joined = joined(old, values) {
        return Conflict.Path(name: name, base: old, values: all, state: .merges, merged: joined)
      }
      // Without a common base every difference is one that a person must look at.
      let changed = base == nil ? values : values.filter { $0 != old }
      let merges = base != nil && !changed.contains { $0 != changed[0] }
      return Conflict.Path(
        name: name, base: old, values: all, state: merges ? .merges : .clash, merged: merges ? changed[0] : values[0])
    }
  }

  /// What counters, or sets, come to together; nil if the values are not all of one of these kinds.
  private static func joined(_ base: Value?, _ values: [Value?]) -> Value? {
    var counters: [Counter] = []
    var sets: [ElementSet] = []
    for value in values {
      if case .counter(let counter)? = value { counters.append(counter) }
      if case .set(let set)? = value { sets.append(set) }
    }
    if counters.count == values.count {
      return .counter(counters.dropFirst().reduce(counters[0]) { $0.joined($1) })
    }
    guard sets.count == values.count else { return nil }
    var before = ElementSet()
    if case .set(let set)? = base { before = set }
    return .set(sets.dropFirst().reduce(sets[0]) { ElementSet.merged(base: before, $0, $1) })
  }

  /// The ids of all records in conflict.
  package func conflictIDs(type: String? = nil) throws -> [String] {
    var ids: [String] = []
    try store.forEachRecord(Database.inConflict(type)) { row in
      ids.append(row.id)
      return true
    }
    return ids
  }

  private static func inConflict(_ type: String?) -> RecordFilter {
    var filter = RecordFilter()
    filter.type = type
    filter.withDeleted = true
    filter.onlyConflicts = true
    return filter
  }

  package func forEachConflict(type: String? = nil, _ body: (Conflict) throws -> Bool) throws {
    try store.forEachRecord(Database.inConflict(type)) { row in
      guard let conflict = try conflict(of: row) else { return true }
      return try body(conflict)
    }
  }
}
