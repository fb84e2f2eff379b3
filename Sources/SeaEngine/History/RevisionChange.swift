import SeaCore
import SeaStore

package struct RevisionChange: Sendable {
  package var id: String
  package var effect: Operation.Effect
  package var revision: RevisionID
  package var parent: RevisionID?
  package var kind: RevisionKind
  package var type: String?
  package var isPurged: Bool
  /// The difference from the parent; nil if it is not available, for example because the block is invalid.
  package var difference: Difference?
}

extension History {
  package func changes(of block: BlockRow) throws -> OperationChanges { try OperationChanges(block, store) }

  /// Visits the changes in a block in ascending order of record IDs. Visits nothing if this instance cannot read the
  /// block.
  package func forEachChange(
    of block: BlockRow, type: String? = nil, withValues: Bool, _ body: (RevisionChange) throws -> Void
  ) throws {
    guard block.state != .unread || block.isRemoved, block.changes > 0 else { return }
    try OperationChanges(block, store).forEach { record in
      for (change, itsType) in zip(record.changes, record.types) {
        if let type, itsType.map({ !UTF8Text.equal($0, type) }) ?? true { continue }
        var told = RevisionChange(
          id: record.id, effect: record.effect, revision: change.revision, parent: change.parent, kind: change.kind,
          type: itsType, isPurged: change.isOrdered && change.kind == .put)
        if withValues, let row = try store.records.record(record.id) {
          if let leaf = try store.records.revision(change.revision, of: row) { try compare(leaf, of: row, &told) }
        }
        try body(told)
      }
    }
  }

  /// Whether a block changed records of a type. False if this instance cannot read the block.
  package func touches(_ block: BlockRow, type: String) throws -> Bool {
    guard block.state != .unread || block.isRemoved, block.changes > 0 else { return false }
    return try OperationChanges(block, store).haveType(type)
  }

  package func effect(of block: BlockRow, on id: String) throws -> Operation.Effect? {
    var effect: Operation.Effect?
    try OperationChanges(block, store).forEach { if UTF8Text.equal($0.id, id) { effect = $0.effect } }
    return effect
  }

  package func change(_ leaf: Leaf, of row: RecordRow, _ effect: Operation.Effect) throws -> RevisionChange {
    var told = RevisionChange(
      id: row.id, effect: effect, revision: leaf.revision, parent: leaf.parentRevision, kind: leaf.kind,
      type: try store.records.front(of: leaf).type, isPurged: leaf.isPurged)
    try compare(leaf, of: row, &told)
    return told
  }

  private func compare(_ leaf: Leaf, of row: RecordRow, _ told: inout RevisionChange) throws {
    var parent: Leaf?
    if let before = leaf.parentRevision {
      guard let known = try store.records.revision(before, of: row) else { return }
      parent = known
    }
    told.isPurged = told.isPurged || leaf.isPurged || parent?.isPurged == true
    if !told.isPurged { told.difference = try difference(from: parent, to: leaf) }
  }
}
