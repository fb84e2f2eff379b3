import SeaCore
import SeaStore

extension History {
  /// The moment that a name means: after an operation, or at a time by the clock of this device.
  package func moment(_ name: OperationName) throws -> Moment {
    if case .time(let time, _) = name { return Moment(after: try store.blocks.sequence(arrivedBy: time)) }
    return Moment(after: try operations.block(name).sequence)
  }

  /// The moment of everything that is known.
  package func now() throws -> Moment { Moment(after: try store.blocks.lastSequence()) }

  /// The records of which something arrived between two moments, by rising id, as they were at both. It takes what arrived, not what is there.
  package func forEachRecord(
    from first: Moment, to last: Moment, among ids: [String]? = nil, _ body: (PastRecord?, PastRecord?) throws -> Void
  ) throws {
    if first > last { return try forEachRecord(from: last, to: first, among: ids) { try body($1, $0) } }
    var touched: Set<[UInt8]> = []
    if let ids {
      touched = Set(ids.map { Array($0.utf8) })
    } else {
      try store.blocks.forEachBlock(after: first, through: last) { block in
        if block.changes > 0 {
          try OperationChanges(block, store).forEach { touched.insert(Array($0.id.utf8)) }
        }
        return true
      }
    }
    for id in touched.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let row = try id.withUnsafeBufferPointer({ try store.records.record(id: $0) }) else { continue }
      try body(store.records.past(row, at: first), store.records.past(row, at: last))
    }
  }

  /// What is different of a record as it was shown at two moments; nil where it was not there, or deleted.
  package func difference(from old: PastRecord?, to new: PastRecord?) throws -> Difference {
    func content(_ past: PastRecord?) throws -> StoredContent {
      guard let past, let shown = past.winner, shown.kind == .put else { return .deleted }
      guard past.row.live > 1 else { return try self.content(of: shown) }
      let view = try conflicts.records.view(past)
      return StoredContent(type: view.type, body: view.body)
    }
    return try Difference(from: content(old), to: content(new))
  }
}
