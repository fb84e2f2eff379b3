import SeaCore
import SeaStore

/// The records of a database as people and programs meet them: found by their names, read as views of one revision,
/// selected by a query, and written in batches, each of which becomes one block.
package final class Records {
  let author: Author
  var store: Store { author.store }
  /// Whether somebody looks at what is about to be written.
  var isReviewed: () throws -> Bool = { false }
  /// Which records are named by what they say.
  package let matches = MatchIndexes()
  private var instance: UUID { author.folder.instance }

  package init(_ author: Author) { self.author = author }

  // MARK: - Reading

  /// A revision of a record, the winner unless another one is given. Of the winner counters and sets are shown as all live
  /// leaves say together.
  package func view(_ row: RecordRow, _ leaf: Leaf? = nil) throws -> RecordView {
    let isContested = row.conflict != .none
    let leaves = leaf == nil || isContested ? try store.records.leaves(of: row) : []
    guard let shown = leaf ?? leaves.first else { throw KitError.recordNotFound(row.id) }
    var content = try store.records.change(of: shown)
    if row.live > 1, let body = content.body, shown.revision == leaves.first?.revision {
      content.body = try RecordGraph(store, row, leaves).shown(body)
    }
    let others = isContested ? leaves.filter { $0.kind != .resolved }.dropFirst().map { $0.revision } : []
    return RecordView(id: row.id, type: content.type, leaf: shown, body: content.body, conflicts: others)
  }

  /// The winner of then, as it was shown.
  package func view(_ past: PastRecord) throws -> RecordView {
    guard let shown = past.winner else { throw KitError.recordNotFound(past.row.id) }
    var content = try store.records.change(of: shown)
    if past.row.live > 1, let body = content.body { content.body = try RecordGraph(store, past).shown(body) }
    let isContested = past.row.conflict != .none
    let others = isContested ? past.leaves.filter { $0.kind != .resolved }.dropFirst().map(\.revision) : []
    return RecordView(id: past.row.id, type: content.type, leaf: shown, body: content.body, conflicts: others)
  }

  /// What a name on a command line has found.
  package func view(_ found: Found) throws -> RecordView {
    try found.past.map { try view($0) } ?? view(found.row, found.leaf)
  }

  /// The winner of the record with this id; nil if there is none.
  package func view(_ id: String) throws -> RecordView? { try store.records.record(id).map { try view($0) } }

  /// How many are not deleted.
  package func count() throws -> Int { try types().reduce(0) { $0 + $1.count } }

  /// Records by rising id, until `body` returns false.
  package func forEach(_ filter: RecordFilter, _ body: (RecordView) throws -> Bool) throws {
    try store.snapshot { try store.records.forEachRecord(filter) { try body(view($0)) } }
  }

  /// Among the leaves that disagree, the one that this instance wrote last, and the others. What an undo has put back is
  /// that of who wrote it first.
  package func sides(of row: RecordRow) throws -> (ours: Leaf?, theirs: [Leaf]) {
    let graph = try RecordGraph(store, row)
    let all = graph.contenders
    var ours: (leaf: Leaf, index: UInt32)?
    for leaf in all {
      let source = try graph.source(of: leaf)
      guard let block = try store.blocks.block(sequence: source.sequence), block.instance == instance else { continue }
      if ours.map({ $0.index < block.index }) ?? true { ours = (leaf, block.index) }
    }
    return (ours?.leaf, all.filter { $0.revision != ours?.leaf.revision })
  }

  // MARK: - Writing

  /// Writes a batch as one block, or nothing if any entry cannot be written.
  /// - Parameter fill: adds what depends on what is there, under the writer lock, in the transaction that writes it.
  /// - Throws: `stale`, `recordNotFound`, `transactionTooLarge`, and what the entries' own content throws.
  package func write(
    _ batch: WriteBatch, dryRun: Bool = false, filling fill: ((WriteBatch) throws -> Void)? = nil
  ) throws -> CommitResult {
    guard fill != nil || !batch.isEmpty else { return CommitResult() }
    if dryRun {
      return try store.snapshot {
        try fill?(batch)
        var plan = WritePlan(author, batch, try author.builder(label: batch.label))
        return try plan.make()
      }
    }
    return try author.write {
      try fill?(batch)
      return try writeInTransaction(batch)
    }
  }

  /// Writes several batches, each as one block, with one wait for the disk.
  ///
  /// If the content of one of them cannot be written, those before it are, and it throws: as if each had been written by itself.
  /// So they are where somebody looks at them first, who is to see each of them once.
  /// - Parameter done: called for each batch that is durable.
  package func write(_ batches: [WriteBatch], _ done: (WriteBatch, CommitResult) throws -> Void) throws {
    // A password that opens nothing is no fault of a batch: nobody is asked again for each.
    try author.keychain.prepare()
    var together: [CommitResult]?
    if try batches.count == 1 || !isReviewed() {
      do {
        together = try author.write { try batches.map { try writeInTransaction($0) } }
      } catch let failure as StoreError {
        // What the disk refused is not tried again, and who has waited for the lock does not wait twice.
        throw failure
      } catch  where batches.count == 1 {
        throw error
      } catch {}
    }
    for (k, batch) in batches.enumerated() { try done(batch, together?[k] ?? write(batch)) }
  }

  /// The same in a transaction of the author's.
  func writeInTransaction(_ batch: WriteBatch) throws -> CommitResult {
    try KitError.fitting(batch.count) {
      var plan = WritePlan(author, batch, try author.builder(label: batch.label, capacity: batch.size))
      var result = try plan.make()
      guard !plan.builder.isEmpty else { return result }
      try noting((0..<batch.count).lazy.map { batch.id(of: $0) }) {
        result.block = try author.append(&plan.builder, label: batch.label)
      }
      // Who wants that ended while the rows were made wants it ended: none of them is durable yet.
      if batch.count > WritePlan.uninterrupted { try author.folder.settings.checkStopOfAll() }
      return result
    }
  }
}

extension Records {
  /// Runs what appends a block, and takes note of what that says of these records.
  func noting(_ ids: some Sequence<String>, _ append: () throws -> Void) throws {
    let last = matches.isEmpty ? nil : try store.blocks.lastSequence()
    try append()
    if let last { try matches.note(ids, behind: last, self) }
  }
}

/// A record and one revision of it.
package struct Found: Sendable {
  package var row: RecordRow
  package var leaf: Leaf
  /// Of a record that was named with a moment: what it was then.
  package var past: PastRecord?

  package init(row: RecordRow, leaf: Leaf) {
    self.row = row
    self.leaf = leaf
  }

  /// The winner of then.
  package init?(_ past: PastRecord) {
    guard let winner = past.winner else { return nil }
    self.init(row: past.row, leaf: winner)
    self.past = past
  }
}

/// What a batch did.
package struct CommitResult: Sendable {
  package struct Retyped: Sendable {
    /// The first of them.
    package var id: String
    package var old: String
    package var new: String
    package var count = 1
  }

  /// One for each entry, in its order.
  package var results: [WriteResult] = []
  /// The entries that were left out.
  package var faults: [EntryFault] = []
  /// The records that have another type now, by what they were and are; of so many pairs only.
  package var retyped: [Retyped] = []
  static let mostRetyped = 20
  /// Ids of records that refer to each other in a circle, so that not every reference is written before it is used.
  package var cycle: [String] = []
  /// Nil if nothing had to be written.
  package var block: BlockRef?
}

extension Records {
  /// What a record of a type gets when it is made.
  package func defaults(of type: String?) throws -> [(path: PropertyPath, value: Value)] {
    try type.map { try author.prototypes(of: $0).values(of: $0) } ?? []
  }
}
