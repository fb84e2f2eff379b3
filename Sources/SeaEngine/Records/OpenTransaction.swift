import SeaCore
import SeaStore

/// Writes records one by one into a single block, and returns each result immediately. Holds the writer lock until the
/// end.
package final class OpenTransaction {
  private let records: Records
  private let batch: WriteBatch
  private var plan: WritePlan
  /// The error after which the transaction can no longer be written.
  private var broken: (any Error)?
  private var ids: [String] = []
  private var numbers: [[UInt8]: Int64] = [:]
  private var entries: [Int64] = []
  private var seen = 0
  private var made: [MatchIndex.Property: (index: MatchIndex, count: Int)] = [:]

  fileprivate init(_ records: Records, label: String) throws {
    self.records = records
    batch = WriteBatch(label: label)
    plan = WritePlan(records.author, batch, try records.author.builder(label: label))
  }

  /// Writes the single entry that `fill` adds to the batch. After an error, the transaction is either unchanged or
  /// unusable.
  package func write(_ fill: (WriteBatch) throws -> Void) throws -> (id: String, result: WriteResult) {
    if let broken { throw broken }
    let (entries, bytes, changes) = (batch.count, batch.arena.count, plan.builder.changes.count)
    do {
      try fill(batch)
      return (batch.id(of: entries), try KitError.fitting(batch.count) { try plan.makeLast() })
    } catch {
      batch.truncate(to: entries, bytes: bytes)
      // Part of the entry is already in the block and cannot be removed.
      if plan.builder.changes.count != changes { broken = error }
      throw error
    }
  }

  /// Runs `body`, which writes entries that belong together. If it throws after it has written some of them, the
  /// transaction becomes unusable.
  package func together<Result>(_ body: () throws -> Result) throws -> Result {
    let count = batch.count
    do { return try body() } catch {
      if batch.count != count { broken = error }
      throw error
    }
  }

  /// Returns the new revision of a record: `.some(nil)` for a deleted record, nil for an unchanged record.
  package func revision(of id: String) -> RevisionID?? {
    plan.made(Array(id.utf8)).map { $0.isLive ? $0.revision : nil }
  }

  /// Returns the new state of a record: `.some(nil)` for a deleted record, nil for an unchanged record.
  package func made(_ id: String) -> MadeRecord?? {
    plan.made(Array(id.utf8)).map { made in
      guard made.isLive, let body = made.body else { return nil }
      return MadeRecord(
        id: id, type: made.type, revision: made.revision, conflicts: made.conflicts, body: body)
    }
  }

  /// Writes the new state of a record as JSON. Returns false for a deleted or unchanged record.
  package func writeJSON(of id: String, _ style: JSONStyle = .compact, into writer: inout ByteWriter) throws -> Bool {
    guard let made = made(id) ?? nil else { return false }
    try made.body.withUnsafeBufferPointer { body in
      try JSONWriter.writeRecord(
        id: id, type: made.type, rev: made.revision, deleted: false, conflicts: made.conflicts, extra: [], body: body,
        style: style, into: &writer)
    }
    return true
  }

  /// Runs `body` while all changes so far are visible in the store. Takes as long as a write without waiting for the
  /// disk. Nested calls also see the changes that `body` makes.
  package func seeing<Result>(_ body: () throws -> Result) throws -> Result {
    guard !plan.builder.isEmpty, seen < batch.count else { return try body() }
    let author = records.author
    return try author.provisionally { transaction in
      var again = WritePlan(author, batch, try transaction.builder(label: batch.label, capacity: batch.size))
      // Entries that are already in the store must not be written twice.
      let before = seen
      _ = try again.make(from: before)
      if !again.builder.isEmpty { try transaction.append(&again.builder, label: batch.label) }
      seen = batch.count
      defer { seen = before }
      return try body()
    }
  }

  /// Checks the records in their final state.
  /// - Throws: `breaksRule`.
  fileprivate func check() throws {
    if let broken { throw broken }
    try plan.rules.check(plan.builder)
  }

  fileprivate func commit(in transaction: BlockTransaction) throws -> BlockRef? {
    _ = plan.builder.putReferencesFirst()
    guard !plan.builder.isEmpty else { return nil }
    var block: BlockRef?
    try records.noting((0..<batch.count).lazy.map { [batch] in batch.id(of: $0) }) {
      block = try KitError.fitting(batch.count) { try transaction.append(&plan.builder, label: batch.label) }
    }
    return block
  }

  // MARK: - Finding

  /// Returns the ID of the record that a string names in this transaction. `TYPE:PROP=VALUE` matches the new values.
  /// - Throws: `recordNotFound`, `ambiguousRecord`.
  package func find(_ text: String, literal: Bool) throws -> String {
    if let made = revision(of: text) {
      guard made != nil else { throw KitError.recordNotFound(text) }
      return text
    }
    do {
      let row = try records.find(text, literal: literal) { match in
        let found = try records.matching(match) { revision(of: $0) != nil }
        let made = try matching(match)
        if found.count + made.count > 1 {
          throw KitError.ambiguousRecord(text, candidates: (found.map(\.id) + made).sorted { UTF8Text.less($0, $1) })
        }
        if let id = made.first { throw Made(id: id) }
        return found
      }
      if let made = revision(of: row.id) {
        guard made != nil else { throw KitError.recordNotFound(text) }
      } else if row.isDeleted {
        throw KitError.recordNotFound(text)
      }
      return row.id
    } catch let one as Made {
      return one.id
    }
  }

  private struct Made: Error { let id: String }

  private func matching(_ match: RecordText.Match) throws -> [String] {
    while entries.count < batch.count {
      let id = batch.id(of: entries.count)
      let number = numbers[Array(id.utf8)] ?? Int64(ids.count)
      if number == ids.count {
        ids.append(id)
        numbers[Array(id.utf8)] = number
      }
      entries.append(number)
    }
    let property = MatchIndex.Property(match)
    var (index, count) = made.removeValue(forKey: property) ?? (MatchIndex(match), 0)
    defer { made[property] = (index, count) }
    while count < entries.count {
      let number = entries[count]
      if let one = plan.made(Array(ids[Int(number)].utf8)), one.isLive, let body = one.body {
        try index.add(type: one.type, body: body, number: number)
      }
      count += 1
    }
    var found: [String] = []
    var gone: Set<Int64> = []
    for number in index.candidates(match) where found.count < 2 {
      let id = ids[Int(number)]
      if let one = plan.made(Array(id.utf8)), one.isLive, let type = one.type, UTF8Text.equal(type, match.type),
        let body = one.body, try match.holds(in: body)
      {
        found.append(id)
      } else {
        gone.insert(number)
      }
    }
    if !gone.isEmpty { index.remove(gone, match) }
    return found
  }
}

package struct MadeRecord {
  package var id: String
  package var type: String?
  package var revision: RevisionID
  package var conflicts: [RevisionID]
  package var body: [UInt8]
}

extension Records {
  /// Runs one transaction, during which no other process writes.
  /// - Parameter body: returns whether to keep the changes.
  /// - Returns: the block of the transaction; nil if there was nothing to write.
  package func transaction(
    label: String, dryRun: Bool, _ body: (OpenTransaction) throws -> Bool
  ) throws -> BlockRef? {
    func run(_ transaction: BlockTransaction?) throws -> BlockRef? {
      let open = try OpenTransaction(self, label: label)
      guard try body(open) else { return nil }
      try open.check()
      return try transaction.flatMap { try open.commit(in: $0) }
    }
    return try dryRun ? store.snapshot { try run(nil) } : author.write(run)
  }
}
