import SeaCore
import SeaStore

extension Database {
  /// - Parameter settings: what decides clashes; read anew unless given.
  package func conflict(of row: RecordRow, _ settings: MergeSettings? = nil) throws -> Conflict? {
    guard row.conflict != .none else { return nil }
    let leaves = try ending(row)
    let history = RecordHistory(store, row, leaves)
    let own = try canDecide(leaves.filter { $0.kind == .put }, history)
    let rules = try (settings ?? mergeSettings()).rules(type: row.type, own: own)
    return try conflict(of: row, leaves, history, rules)
  }

  func conflict(
    of row: RecordRow, _ leaves: [Leaf], _ history: RecordHistory, _ rules: MergeRules
  ) throws -> Conflict? {
    let sides = try leaves.map { try side($0, history) }
    let live = sides.filter { $0.leaf.kind == .put }
    let merge = try LeafMerge(
      live.map { MergeLeaf($0.leaf.revision, $0.content, lamport: $0.author?.lamport, isOwn: $0.isOwn) }, history.graph,
      rules: rules)
    let base = try base(of: leaves.map(\.revision), history).map { try side($0, history) }
    let types = Set(live.map { Array(($0.type ?? "").utf8) })
    let kind: Conflict.Kind =
      row.conflict == .deletion ? .deletion : types.count > 1 ? .type : base == nil ? .addition : .edit
    return Conflict(
      row: row, kind: kind, base: base, sides: sides, paths: Conflict.paths(base, sides, merge),
      merged: merge.content ?? .deleted)
  }

  private func side(_ leaf: Leaf, _ history: RecordHistory) throws -> Conflict.Side {
    let content = try history.content(of: leaf.revision) ?? .deleted
    let author = try store.blocks.block(sequence: leaf.sequence)
    return Conflict.Side(
      leaf: leaf, type: content.type, body: content.body, author: author, isOwn: author?.instance == instance)
  }

  /// Whether settings that only this instance has may settle something unasked. Not between merges: instances with
  /// different settings would answer each other for ever.
  func canDecide(_ live: [Leaf], _ history: RecordHistory) throws -> Bool {
    try live.count { try history.isMerge($0.revision) } < 2
  }

  /// The ids of all records in conflict.
  package func conflictIDs(type: String? = nil) throws -> [String] {
    var ids: [String] = []
    try store.records.forEachRecord(Database.inConflict(type)) { row in
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

  /// Of the records with these ids those that are in conflict, each once.
  package func forEachConflict(among ids: [String], _ body: (Conflict) throws -> Bool) throws {
    if ids.isEmpty { return }
    let settings = try mergeSettings()
    var seen: Set<[UInt8]> = []
    for id in ids where seen.insert(Array(id.utf8)).inserted {
      guard let row = try store.records.record(id), let conflict = try conflict(of: row, settings) else { continue }
      guard try body(conflict) else { return }
    }
  }

  package func forEachConflict(type: String? = nil, _ body: (Conflict) throws -> Bool) throws {
    let settings = try mergeSettings()
    try store.records.forEachRecord(Database.inConflict(type)) { row in
      guard let conflict = try conflict(of: row, settings) else { return true }
      return try body(conflict)
    }
  }
}
