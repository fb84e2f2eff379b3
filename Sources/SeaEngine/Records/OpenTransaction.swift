import SeaCore
import SeaStore

/// Records that are written one after another, each answered at once, and become one block together. The writer lock is held as long.
package final class OpenTransaction {
  private let records: Records
  private let batch: WriteBatch
  private var plan: WritePlan
  /// Why it cannot be written any more.
  private var broken: (any Error)?
  /// What it has written, each record with a number, the number of each entry, and how far an index of what they say has come.
  private var ids: [String] = []
  private var numbers: [[UInt8]: Int64] = [:]
  private var entries: [Int64] = []
  /// So many entries are in the store while `seeing` goes on.
  private var seen = 0
  private var made: [MatchIndex.Property: (index: MatchIndex, count: Int)] = [:]

  fileprivate init(_ records: Records, label: String) throws {
    self.records = records
    batch = WriteBatch(label: label)
    plan = WritePlan(records.author, batch, try records.author.builder(label: label))
  }

  /// Takes in the one entry that `fill` adds to the batch. If it cannot be written, it is as if it had not been tried.
  package func write(_ fill: (WriteBatch) throws -> Void) throws -> (id: String, result: WriteResult) {
    if let broken { throw broken }
    let (entries, bytes, changes) = (batch.count, batch.arena.count, plan.builder.changes.count)
    do {
      try fill(batch)
      return (batch.id(of: entries), try KitError.fitting(batch.count) { try plan.makeLast() })
    } catch {
      batch.truncate(to: entries, bytes: bytes)
      // A part of it is in the block already, and stays there.
      if plan.builder.changes.count != changes { broken = error }
      throw error
    }
  }

  /// The revision that this transaction has made of a record, nil as that if it deleted it; nil if it did nothing to it.
  package func revision(of id: String) -> RevisionID?? {
    plan.made(Array(id.utf8)).map { $0.isLive ? $0.revision : nil }
  }

  /// The record as this transaction has made it: nil as that if it deleted it, nil if it did nothing to it.
  package func made(_ id: String) -> MadeRecord?? {
    plan.made(Array(id.utf8)).map { made in
      guard made.isLive, let body = made.body else { return nil }
      return MadeRecord(
        id: id, type: made.type, revision: made.revision, conflicts: made.conflicts, body: body)
    }
  }

  /// The record as this transaction has made it; false if it is not there or was not changed.
  package func writeJSON(of id: String, into writer: inout ByteWriter) throws -> Bool {
    guard let made = made(id) ?? nil else { return false }
    try made.body.withUnsafeBufferPointer { body in
      try JSONWriter.writeRecord(
        id: id, type: made.type, rev: made.revision, deleted: false, conflicts: made.conflicts, extra: [], body: body,
        style: .compact, into: &writer)
    }
    return true
  }

  /// Runs `body`, which reads, on the state that there would be if this were all: it costs what writing that costs, but for the disk. What `body`
  /// writes is seen by what it sees in this way.
  package func seeing<Result>(_ body: () throws -> Result) throws -> Result {
    guard !plan.builder.isEmpty, seen < batch.count else { return try body() }
    let author = records.author
    return try author.provisionally { transaction in
      var again = WritePlan(author, batch, try transaction.builder(label: batch.label, capacity: batch.size))
      // What stands in the store already is not to be done twice.
      let before = seen
      _ = try again.make(from: before)
      if !again.builder.isEmpty { try transaction.append(&again.builder, label: batch.label) }
      seen = batch.count
      defer { seen = before }
      return try body()
    }
  }

  fileprivate func commit(in transaction: BlockTransaction) throws -> BlockRef? {
    if let broken { throw broken }
    _ = plan.builder.putReferencesFirst()
    guard !plan.builder.isEmpty else { return nil }
    var block: BlockRef?
    try records.noting((0..<batch.count).lazy.map { [batch] in batch.id(of: $0) }) {
      block = try KitError.fitting(batch.count) { try transaction.append(&plan.builder, label: batch.label) }
    }
    return block
  }

  // MARK: - Finding

  /// The id of the live record that a text names, as this transaction has left it: `TYPE:PROP=VALUE` by what it says now.
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

  /// What this transaction has made and a text names, at most two.
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

/// A record as an open transaction has made it.
package struct MadeRecord {
  package var id: String
  package var type: String?
  package var revision: RevisionID
  package var conflicts: [RevisionID]
  package var body: [UInt8]
}

extension Records {
  /// One transaction, in which nobody else writes.
  /// - Parameter body: whether what it wrote is to stay.
  /// - Returns: the block that it became; nil if there was nothing to write.
  package func transaction(
    label: String, dryRun: Bool, _ body: (OpenTransaction) throws -> Bool
  ) throws -> BlockRef? {
    func run(_ transaction: BlockTransaction?) throws -> BlockRef? {
      let open = try OpenTransaction(self, label: label)
      guard try body(open), let transaction else { return nil }
      return try open.commit(in: transaction)
    }
    return try dryRun ? store.snapshot { try run(nil) } : author.write(run)
  }
}
