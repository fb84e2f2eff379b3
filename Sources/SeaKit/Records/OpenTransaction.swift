import SeaCore
import SeaStore

/// Records that are written one after another, each answered at once, and become one block together. The writer lock is held as long.
package final class OpenTransaction {
  private let records: Records
  private let batch: WriteBatch
  private var plan: WritePlan

  fileprivate init(_ records: Records, label: String) throws {
    self.records = records
    batch = WriteBatch(label: label)
    plan = WritePlan(records.author, batch, try records.author.builder(label: label))
  }

  /// Takes in the one entry that `fill` adds to the batch.
  package func write(_ fill: (WriteBatch) throws -> Void) throws -> (id: String, result: WriteResult) {
    let index = batch.count
    try fill(batch)
    return (batch.id(of: index), try KitError.fitting(batch.count) { try plan.makeLast() })
  }

  /// The revision that this transaction has made of a record, nil as that if it deleted it; nil if it did nothing to it.
  package func revision(of id: String) -> RevisionID?? {
    plan.made(Array(id.utf8)).map { $0.isLive ? $0.revision : nil }
  }

  /// The record as this transaction has made it; false if it is not there or was not changed.
  package func writeJSON(of id: String, into writer: inout ByteWriter) throws -> Bool {
    guard let made = plan.made(Array(id.utf8)), made.isLive, let body = made.body else { return false }
    try body.withUnsafeBufferPointer { body in
      try JSONWriter.writeRecord(
        id: id, type: made.type, rev: made.revision, deleted: false, conflicts: made.conflicts, extra: [], body: body,
        style: .compact, into: &writer)
    }
    return true
  }

  fileprivate func commit() throws -> BlockRef? {
    _ = plan.builder.putReferencesFirst()
    guard !plan.builder.isEmpty else { return nil }
    return try KitError.fitting(batch.count) { try records.author.append(&plan.builder, label: batch.label) }
  }
}

extension Records {
  /// One transaction, in which nobody else writes.
  /// - Parameter body: whether what it wrote is to stay.
  /// - Returns: the block that it became; nil if there was nothing to write.
  package func transaction(
    label: String, dryRun: Bool, _ body: (OpenTransaction) throws -> Bool
  ) throws -> BlockRef? {
    func run() throws -> BlockRef? {
      let open = try OpenTransaction(self, label: label)
      return try body(open) && !dryRun ? open.commit() : nil
    }
    return try dryRun ? store.snapshot(run) : author.write(run)
  }
}
