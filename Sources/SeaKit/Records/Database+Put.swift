import SeaCore
import SeaStore

extension Database {
  /// What a batch did.
  package struct Written: Sendable {
    /// One for each entry, in its order.
    package var results: [WriteResult] = []
    /// Ids of records that refer to each other in a circle, so that not every reference is written before it is used.
    package var cycle: [String] = []
    /// Nil if nothing had to be written.
    package var block: BlockRef?
  }

  /// Writes a batch as one block, or nothing if any entry cannot be written.
  /// - Throws: `stale`, `recordNotFound`, `transactionTooLarge`, and what the entries' own content throws.
  package func write(_ batch: WriteBatch, dryRun: Bool = false) throws -> Written {
    guard !batch.isEmpty else { return Written() }
    if dryRun {
      return try store.snapshot {
        var plan = WritePlan(store, batch, self, try builder(label: batch.label))
        try plan.make()
        return Written(results: plan.results, cycle: plan.builder.putReferencesFirst(), block: nil)
      }
    }
    try prepareKeys()
    return try writing { try writeInTransaction(batch) }
  }

  /// Writes several batches, each as one block, with one wait for the disk.
  ///
  /// If the content of one of them cannot be written, those before it are, and it throws: as if each had been written by itself.
  /// - Parameter done: called for each batch that is durable.
  package func write(_ batches: [WriteBatch], _ done: (WriteBatch, Written) throws -> Void) throws {
    try prepareKeys()
    let together: [Written]?
    do {
      // More input may be long in coming: others write meanwhile.
      defer { store.unlock() }
      together = try writing { try batches.map { try writeInTransaction($0) } }
    } catch let failure as StoreError {
      // What the disk refused is not tried again, and who has waited for the lock does not wait twice.
      throw failure
    } catch {
      together = nil
    }
    if let together {
      for (batch, written) in zip(batches, together) { try done(batch, written) }
    } else {
      for batch in batches { try done(batch, write(batch)) }
    }
  }

  /// Nobody is asked for a password while others wait for the lock, and nobody twice.
  func prepareKeys() throws { _ = try keyRing() }

  func writeInTransaction(_ batch: WriteBatch) throws -> Written {
    do {
      var plan = WritePlan(store, batch, self, try builder(label: batch.label, capacity: batch.size))
      try plan.make()
      var written = Written(results: plan.results, cycle: plan.builder.putReferencesFirst(), block: nil)
      guard !plan.builder.isEmpty else { return written }
      _ = try write(&plan.builder, label: batch.label)
      written.block = try store.blocks.chain(instance)?.head
      return written
    } catch CoreError.badBlock(.badSize) {
      throw KitError.transactionTooLarge(records: batch.count)
    }
  }
}

/// Turns the entries of a batch into changes.
struct WritePlan: ~Copyable {
  private let store: Store
  private let batch: WriteBatch
  private let database: Database
  var builder: BlockBuilder
  private(set) var results: [WriteResult] = []

  init(_ store: Store, _ batch: WriteBatch, _ database: Database, _ builder: consuming BlockBuilder) {
    self.store = store
    self.batch = batch
    self.database = database
    self.builder = builder
  }

  /// What is known of a record while its entries are worked through.
  private struct Standing {
    var row: RecordRow?
    var leaves: [Leaf] = []
    /// What this batch has made of the record already: it is then the winner.
    var made: Change?
    var madeType: String?

    var live: Bool { made.map { $0.kind == .put } ?? (leaves.first?.kind == .put) }
    var winner: RevisionID? { made?.revision ?? leaves.first?.revision }
  }

  /// Works through the entries by id, so that the index is read in its order.
  mutating func make() throws {
    let arena = batch.arena.bytes
    results = Array(
      repeating: WriteResult(outcome: .unchanged, revision: RevisionID(depth: 1, digest: .zero), wins: true),
      count: batch.count)
    let isEmpty = try store.records.isEmpty()
    let order = batch.count == 1 ? [0] : sortedEntries(arena)
    var standing = Standing()
    var last: UnsafeBufferPointer<UInt8>?
    for k in order {
      let id = UnsafeBufferPointer(rebasing: arena[batch.entries[Int(k)].id])
      if last == nil || UTF8Text.compare(last!, id) != 0 {
        standing = Standing()
        if !isEmpty, let row = try store.records.record(id: id), row.leaves > 0 {
          standing.row = row
          standing.leaves = try store.records.leaves(of: row)
        }
        last = id
      }
      try work(Int(k), id, &standing)
    }
  }

  private func sortedEntries(_ arena: UnsafeBufferPointer<UInt8>) -> [Int32] {
    var keys = IDOrder(capacity: batch.count)
    for entry in batch.entries { keys.add(UnsafeBufferPointer(rebasing: arena[entry.id])) }
    return keys.sorted()
  }

  private mutating func work(
    _ k: Int, _ id: UnsafeBufferPointer<UInt8>, _ standing: inout Standing
  ) throws {
    let entry = batch.entries[k]
    if entry.mustExist, !standing.live { throw KitError.recordNotFound(String(decoding: id, as: UTF8.self)) }
    let parent = try parent(of: entry, id, standing)
    if case .delete = entry.content {
      try delete(k, id, parent, &standing)
      return
    }
    let type = entry.type ?? standing.madeType ?? standing.row?.type
    if case .body(let range) = entry.content {
      let body = UnsafeBufferPointer(rebasing: batch.arena.bytes[range])
      try put(k, id, type, parent, body, entry.hasReferences, &standing)
      return
    }
    let old = try oldValue(standing, parent)
    let new = try newValue(entry, old)
    // Compared as values: the parent's own bytes do not say yet which revision added what to its sets.
    if let parent, let old, old == new, standing.live, UTF8Text.equal(type ?? "", try typeNow(standing, parent) ?? "") {
      results[k] = WriteResult(outcome: .unchanged, revision: parent, wins: parent == standing.winner)
      return
    }
    var bytes = ByteWriter()
    let hasReferences = try counted(new, old, standing).encodeBody(into: &bytes)
    try put(k, id, type, parent, bytes.bytes, hasReferences, &standing)
  }

  /// The leaf that an entry is written upon.
  private func parent(
    of entry: WriteBatch.Entry, _ id: UnsafeBufferPointer<UInt8>, _ standing: Standing
  ) throws -> RevisionID? {
    func stale(_ want: String) -> KitError {
      .stale(id: String(decoding: id, as: UTF8.self), have: standing.live ? standing.winner : nil, want: want)
    }
    switch entry.precondition {
    case .none: return standing.winner
    case .absent:
      if standing.live { throw stale("none") }
      return standing.winner
    case .revision(let text):
      if let winner = standing.winner, RevisionText.matches(winner, text) { return winner }
      if standing.made == nil {
        let found = standing.leaves.filter { $0.kind == .put && RevisionText.matches($0.revision, text) }
        if found.count == 1 { return found[0].revision }
      }
      throw stale(text)
    }
  }

  private mutating func put(
    _ k: Int, _ id: UnsafeBufferPointer<UInt8>, _ type: String?, _ parent: RevisionID?,
    _ body: UnsafeBufferPointer<UInt8>, _ hasReferences: Bool, _ standing: inout Standing
  ) throws {
    if let parent, try isSame(standing, parent, type, body) {
      results[k] = WriteResult(outcome: .unchanged, revision: parent, wins: parent == standing.winner)
      return
    }
    var typeText = type ?? ""
    let change = try typeText.withUTF8 { typeBytes in
      try builder.add(
        id: id, type: type == nil ? nil : typeBytes, parent: parent, kind: .put, body: body,
        hasReferences: hasReferences)
    }
    let wins = !standing.live || parent == standing.winner || standing.winner! < change.revision
    results[k] = WriteResult(outcome: standing.live ? .updated : .created, revision: change.revision, wins: wins)
    if wins {
      standing.made = change
      standing.madeType = type
    }
  }

  /// A record is gone when every live leaf of it is.
  private mutating func delete(
    _ k: Int, _ id: UnsafeBufferPointer<UInt8>, _ parent: RevisionID?, _ standing: inout Standing
  ) throws {
    var ends: [(RevisionID, String?)] = []
    if let made = standing.made { ends.append((made.revision, standing.madeType)) }
    for leaf in standing.leaves where leaf.kind == .put && leaf.revision != standing.made?.parent {
      ends.append((leaf.revision, try store.records.change(of: leaf).type))
    }
    var winner: Change?
    for (end, type) in ends {
      var typeText = type ?? ""
      let change = try typeText.withUTF8 { typeBytes in
        try builder.add(
          id: id, type: type == nil ? nil : typeBytes, parent: end, kind: .delete, body: nil, hasReferences: false)
      }
      if winner == nil || winner!.revision < change.revision { winner = change }
    }
    guard let winner else { throw KitError.recordNotFound(String(decoding: id, as: UTF8.self)) }
    standing = Standing(row: standing.row, leaves: [], made: winner, madeType: standing.madeType)
    results[k] = WriteResult(outcome: .deleted, revision: winner.revision, wins: true)
  }

  private func isSame(
    _ standing: Standing, _ parent: RevisionID, _ type: String?, _ body: UnsafeBufferPointer<UInt8>
  ) throws -> Bool {
    if let made = standing.made, made.revision == parent {
      guard let range = made.body, UTF8Text.equal(standing.madeType ?? "", type ?? "") else { return false }
      return UTF8Text.compare(UnsafeBufferPointer(rebasing: builder.bytes[range]), body) == 0
    }
    guard let leaf = standing.leaves.first(where: { $0.revision == parent }), leaf.kind == .put else { return false }
    let content = try store.records.change(of: leaf)
    guard content.type.map({ UTF8Text.equal($0, type ?? "") }) ?? (type == nil), let old = content.body else {
      return false
    }
    return old.withUnsafeBufferPointer { UTF8Text.compare($0, body) == 0 }
  }

  /// The type that the revision has.
  private func typeNow(_ standing: Standing, _ parent: RevisionID) throws -> String? {
    if standing.made?.revision == parent { return standing.madeType }
    return try standing.leaves.first { $0.revision == parent }.flatMap { try store.records.change(of: $0).type }
  }

  private func oldValue(_ standing: Standing, _ parent: RevisionID?) throws -> Value? {
    guard let parent else { return nil }
    if let made = standing.made, made.revision == parent {
      guard let range = made.body else { return nil }
      return try Value.decode(body: UnsafeBufferPointer(rebasing: builder.bytes[range]))
        .settled(parentDigest: parent.digest)
    }
    guard let leaf = standing.leaves.first(where: { $0.revision == parent }),
      let body = try store.records.body(of: leaf)
    else { return nil }
    let old = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }.settled(parentDigest: parent.digest)
    guard let row = standing.row, row.live > 1, parent == standing.leaves.first?.revision, old.hasStates else {
      return old
    }
    // A counter goes on from what people see; a set from what this revision has seen.
    return try old.counting(as: database.join(row, standing.leaves).shown?.body)
  }

  /// Upon whichever leaf, a counter goes on from what all of them say: another one may know more of what was counted
  /// here.
  private func counted(
    _ new: Value, _ old: Value?, _ standing: Standing
  ) throws -> Value {
    guard let row = standing.row, row.live > 1, standing.made == nil, new.hasStates else { return new }
    return try database.join(row, standing.leaves).counting(on: new, from: old, by: database.instance)
  }

  private func newValue(_ entry: WriteBatch.Entry, _ old: Value?) throws -> Value {
    switch entry.content {
    case .draft(let range):
      let draft = try Value.decodeDraft(UnsafeBufferPointer(rebasing: batch.arena.bytes[range]))
      return try Value.adopting(draft, previous: old, instance: database.instance)
    case .patch(let range):
      let patch = try Value.decodeDraft(UnsafeBufferPointer(rebasing: batch.arena.bytes[range]))
      let merged = (old ?? .empty).merged(patch: patch)
      return try Value.adopting(merged, previous: old, instance: database.instance)
    case .edit(let edit): return try Value.adopting(edit(old), previous: old, instance: database.instance)
    case .body, .delete: preconditionFailure("has no value")
    }
  }
}
