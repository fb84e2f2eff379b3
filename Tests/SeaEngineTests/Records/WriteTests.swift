import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// The effects of a batch on the records of a separate database.
@Suite struct WriteTests {
  private func database() throws -> Database {
    let made = try Database.create(in: ScratchFolder.lasting(), .init(), .init())
    return try Database(path: made.path, .init(access: .write))
  }

  @discardableResult private func put(
    _ database: Database, _ texts: String..., isPatch: Bool = false, dryRun: Bool = false
  ) throws -> CommitResult {
    let batch = WriteBatch(label: "test")
    var options = WriteBatch.Options()
    options.isPatch = isPatch
    for text in texts { try batch.add(text, options) }
    return try database.records.write(batch, dryRun: dryRun)
  }

  private func outcomes(_ written: CommitResult) -> [WriteResult.Outcome] { written.results.map(\.outcome) }

  @Test func unchangedContentIsNotWrittenAgain() throws {
    let database = try database()
    defer { database.close() }
    let text = #"{"_id":"a","_type":"t","n":1,"c":{"$counter":2},"s":{"$set":["x","y"]},"l":[{"$set":[1]}]}"#
    let first = try put(database, text)
    #expect(outcomes(first) == [.created] && first.block != nil)
    // The parent's new sets name no revision yet, but the content is the same.
    let second = try put(database, text)
    #expect(outcomes(second) == [.unchanged] && second.block == nil)
    #expect(second.results[0].revision == first.results[0].revision)
    let patch = try put(database, #"{"_id":"a","n":1,"s":{"$set":["y","x"]}}"#, isPatch: true)
    #expect(outcomes(patch) == [.unchanged] && patch.block == nil)
    let type = try put(database, text.replacing(#""_type":"t""#, with: #""_type":"u""#))
    #expect(outcomes(type) == [.updated])
    #expect(outcomes(try put(database, #"{"_id":"a"}"#, #"{"_id":"a"}"#)) == [.updated, .unchanged])
  }

  @Test func aBatchIsOneBlockOrNothing() throws {
    let database = try database()
    defer { database.close() }
    let before = try database.store.branches.chain(database.instance)?.head
    #expect(throws: KitError.recordNotFound("b")) {
      try put(database, #"{"_id":"a"}"#, #"{"_id":"b","_deleted":true}"#)
    }
    #expect(try database.store.branches.chain(database.instance)?.head == before)
    #expect(try database.store.records.record("a") == nil)
    let written = try put(database, #"{"_id":"a"}"#, #"{"_id":"b"}"#)
    #expect(written.block?.index == (before?.index ?? 0) + 1)
  }

  @Test func dryRunReportsSameResultAndWritesNothing() throws {
    let database = try database()
    defer { database.close() }
    try put(database, #"{"_id":"a","n":1}"#)
    let head = try database.store.branches.chain(database.instance)?.head
    let texts = (#"{"_id":"a","n":2}"#, #"{"_id":"b"}"#)
    let dry = try put(database, texts.0, texts.1, dryRun: true)
    #expect(try database.store.branches.chain(database.instance)?.head == head && dry.block == nil)
    let real = try put(database, texts.0, texts.1)
    #expect(dry.results.map(\.revision) == real.results.map(\.revision) && outcomes(dry) == outcomes(real))
  }

  @Test func staleRevisionIsRefused() throws {
    let database = try database()
    defer { database.close() }
    let rev = try put(database, #"{"_id":"a","n":1}"#).results[0].revision
    let next = try put(database, #"{"_id":"a","_rev":"\#(rev)","n":2}"#).results[0].revision
    #expect(next.depth == 2)
    #expect(throws: KitError.stale(id: "a", have: next, want: rev.description)) {
      try put(database, #"{"_id":"a","_rev":"\#(rev)","n":3}"#)
    }
    #expect(throws: KitError.stale(id: "b", have: nil, want: rev.description)) {
      try put(database, #"{"_id":"b","_rev":"\#(rev)"}"#)
    }
    // The second document was made from the first one of the same batch.
    #expect(throws: KitError.self) {
      try put(database, #"{"_id":"a","n":4}"#, #"{"_id":"a","_rev":"\#(next)","n":5}"#)
    }
  }

  @Test func patchOrDeletionRequiresRecordID() throws {
    let database = try database()
    defer { database.close() }
    #expect(throws: KitError.noID(isPatch: true)) { try put(database, #"{"a":1}"#, isPatch: true) }
    #expect(throws: KitError.noID(isPatch: false)) { try put(database, #"{"_deleted":true}"#) }
    #expect(throws: KitError.recordNotFound("a")) { try put(database, #"{"_id":"a"}"#, isPatch: true) }
  }

  @Test func recreatedRecordDescendsFromDeletion() throws {
    let database = try database()
    defer { database.close() }
    let written = try put(
      database, #"{"_id":"a","n":1}"#, #"{"_id":"a","_deleted":true}"#, #"{"_id":"a","n":1}"#)
    #expect(outcomes(written) == [.created, .deleted, .created])
    #expect(written.results.map { $0.revision.depth } == [1, 2, 3])
  }

  @Test func referencedRecordsComeFirstAndCyclesAreReported() throws {
    let database = try database()
    defer { database.close() }
    let line = try put(
      database, #"{"_id":"a","to":{"$ref":"b"}}"#, #"{"_id":"b","to":[{"$ref":"c"}]}"#, #"{"_id":"c"}"#)
    #expect(line.cycle.isEmpty)
    #expect(try order(database, ["a", "b", "c"]) == ["c", "b", "a"])
    let circle = try put(
      database, #"{"_id":"x","to":{"$ref":"y"}}"#, #"{"_id":"y","to":{"$ref":"x"}}"#,
      #"{"_id":"self","to":{"$ref":"self"}}"#)
    #expect(Set(circle.cycle) == ["x", "y"])
  }

  /// The records in the order of their last revisions in the block.
  private func order(_ database: Database, _ ids: [String]) throws -> [String] {
    try ids.map { id -> (String, Int) in
      let row = try #require(try database.store.records.record(id))
      let leaf = try #require(try database.store.records.leaves(of: row).first)
      return (id, Int(leaf.offset))
    }.sorted { $0.1 < $1.1 }.map { $0.0 }
  }

  @Test func refusedDocumentLeavesBatchUnchanged() throws {
    let batch = WriteBatch(label: nil)
    try batch.add(#"{"_id":"a","n":1}"#)
    let size = batch.size
    #expect(throws: CoreError.self) { try batch.add(#"{"_id":"b","n":{"$ref":"a b"}}"#) }
    #expect(batch.size == size && batch.count == 1)
    try batch.add(#"{"_id":"c"}"#)
    #expect(batch.id(of: 1) == "c")
  }

  @Test func batchLargerThanBlockIsRefusedEarly() throws {
    let batch = WriteBatch(label: nil)
    let text = #"{"_id":"a","text":"\#(String(repeating: "x", count: 1 << 22))"}"#
    var added = 0
    #expect(throws: KitError.transactionTooLarge(records: 16)) {
      for _ in 0..<100 {
        try batch.add(text)
        added += 1
      }
    }
    #expect(added == 15 && batch.count == 15)
  }
}

/// The sort order of values.
@Suite struct SortKeyTests {
  private func key(_ text: String) throws -> SortKey { try SortKey(Value.json(text).encoding) }

  @Test func numbersOfAllKindsAreSortedByValue() throws {
    let rising = [
      #"{"$decimal":"-1e400"}"#, "-1e300", #"{"$int":"-123456789012345678901234567890"}"#, "-9007199254740993", "-10",
      "-2",
      "-1.5", #"{"$decimal":"-1.4999999999999999999999"}"#, "-0.1", #"{"$decimal":"-0.01"}"#, "0", "1e-300", "0.001",
      #"{"$decimal":"0.10000000000000000000001"}"#, "0.5", "1", #"{"$decimal":"1.000000000000000000000001"}"#, "1.25",
      "9",
      "10", "99", "100", "9007199254740992", "9007199254740993", #"{"$decimal":"9007199254740993.5"}"#,
      #"{"$int":"123456789012345678901234567890"}"#, #"{"$int":"123456789012345678901234567891"}"#, "1e300",
      #"{"$decimal":"1e400"}"#,
    ]
    let keys = try rising.map(key)
    for a in keys.indices {
      for b in keys.indices { #expect((keys[a] < keys[b]) == (a < b), "\(rising[a]) \(rising[b])") }
    }
    #expect(try key("5") == key(#"{"$decimal":"5.00"}"#) && key("0") == key(#"{"$decimal":"0.000"}"#))
  }

  @Test func kindsAreSortedSeparatelyAndMissingValuesLast() throws {
    let rising = [
      "false", "true", "-5", "7", #"{"$day":"0999-12-31"}"#, #"{"$date":"2025-12-31T23:59:59.999Z"}"#,
      #"{"$day":"2026-01-01"}"#, #"{"$date":"2026-01-01"}"#, #"{"$date":"2026-01-01T23:59:59Z"}"#,
      #"{"$day":"2026-01-02"}"#, #""""#, #""b""#, #""B""#, #"{"$ref":"a"}"#, "[1]",
    ]
    let keys = try rising.map(key) + [SortKey(nil)]
    for a in keys.indices { for b in keys.indices { #expect((keys[a] < keys[b]) == (a < b), "\(a) \(b)") } }
    #expect(keys.last?.isMissing == true && !keys[0].isMissing)
  }
}
