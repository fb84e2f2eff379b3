import SeaKit
import SeaSystem
import SeaTestSupport
import Testing

/// Dumping records to files of other programs, and loading them.
@Suite struct TransferTests {
  private let database: Database
  private let scratch: ScratchFolder

  init() async throws {
    database = try await .inMemory()
    scratch = try ScratchFolder(inMemory: true)
  }

  private func fill() async throws {
    try await database.write { transaction in
      var bird = Bird(id: "b", name: "wren", seen: 3, owner: Reference(Keeper(id: "k", name: "Ann")))
      bird.weight = "9.50"
      bird.tags = MergeSet(["small"])
      bird.first = Timestamp("2026-03-01T12:30:00.250Z")
      bird.feather = [0, 255]
      bird.phone = Labeled("061", "office")
      try transaction.save(bird)
      try transaction.save(Record(type: nil, id: "free", ["day": .day(Day("2026-03-01")!)]))
    }
  }

  private func text(_ pieces: DumpPieces) async throws -> String {
    var all: [UInt8] = []
    for try await piece in pieces { all += piece }
    return String(decoding: all, as: UTF8.self)
  }

  private func contents(_ database: Database) async throws -> [String: [String: Value]] {
    let all = try await database.fetch(Query.records())
    return Dictionary(all.map { ("\($0.type ?? "")/\($0.id)", $0.properties) }) { $1 }
  }

  @Test func fullDumpRestoresAllRecords() async throws {
    try await fill()
    try await database.save(Bird(id: "d", name: "dollar", notes: ["$d": "e"]))
    let path = scratch.path("birds.jsonl")
    #expect(try await database.dump(to: path) == 4)
    let lines = String(decoding: try scratch.bytes("birds.jsonl"), as: UTF8.self)
    #expect(lines.split(separator: "\n", omittingEmptySubsequences: false).count == 5 && lines.hasSuffix("}\n"))
    #expect(try await text(database.dump()) == String(decoding: scratch.bytes("birds.jsonl"), as: UTF8.self))
    let other = try await Database.inMemory()
    let preview = try await other.preview(loading: path)
    #expect(try await other.count(Query.records()) == 0)
    #expect(try await other.load(path) == preview && preview.created == 4)
    #expect(try await contents(other) == contents(database))
    #expect(try await other.load(path).unchanged == 4)
    #expect(try await other.history.operations().count == 1)
  }

  @Test func dumpOfAQueryHasOnlyItsRecords() async throws {
    try await fill()
    #expect(try await text(database.dump(Keeper.all)).hasPrefix(#"{"_id":"k","_type":"keeper","_rev":"#))
    #expect(try await text(database.dump(Bird.all.where("name = \("owl")"))).isEmpty)
    #expect(try await database.dump(Query.records().limit(2), to: scratch.path("two")) == 2)
    let error = try await failure { try await text(database.dump(Keeper.all.limit(1), as: .history)) }
    #expect(error.code == .usage)
  }

  @Test func plainDumpHasValuesWithoutKinds() async throws {
    try await fill()
    let plain = try await text(database.dump(Bird.all, as: .plain))
    #expect(plain.contains(#""owner":"k""#) && plain.contains(#""seen":3"#) && !plain.contains("$"), "\(plain)")
    // Loading it cannot change the kinds of existing values without a word.
    let error = try await failure { try await database.load(Array(plain.utf8)) }
    #expect(error.code == .badData && error.message.contains("line 1") && error.details["id"] == "b", "\(error)")
  }

  @Test func historyIsRestoredRevisionByRevision() async throws {
    try await fill()
    try await database.write { transaction in
      var record = try #require(try transaction.record("b"))
      record.name = "robin"
      record.add(2, to: "seen")
      try transaction.save(record)
      try transaction.delete("k")
    }
    let path = scratch.path("history.jsonl")
    #expect(try await database.dump(to: path, as: .history) == 5)
    let other = try await Database.inMemory()
    let result = try await other.load(path, as: .history)
    #expect(result.created == 5 && result.waiting == 0)
    #expect(try await contents(other) == contents(database))
    #expect(try await other.record("b")?.revision == database.record("b")?.revision)
    #expect(try await other.load(path, as: .history).unchanged == 5)
    let half = Array(try scratch.bytes("history.jsonl").split(separator: 0x0A).last { $0.count > 200 } ?? [])
    #expect(try await Database.inMemory().load(half, as: .history).created == 1)
  }

  @Test(arguments: [DumpForm.datastore, .compactDatastore]) func datastoreFormsAreWrittenAndRead(
    _ form: DumpForm
  ) async throws {
    try await database.save(Record(type: "person", id: "p", ["name": "Ann", "born": .day(Day("1990-01-02")!)]))
    try await database.save(Record(type: "person", id: "q", ["boss": .reference(RecordReference("p"))]))
    let path = scratch.path("people.json")
    #expect(try await database.dump(to: path, as: form) == 2)
    #expect(try String(decoding: scratch.bytes("people.json"), as: UTF8.self).hasPrefix("{\"entities\":[\n{"))
    let other = try await Database.inMemory()
    #expect(try await other.load(path, as: form).created == 2)
    #expect(try await contents(other) == contents(database))
    #expect(try await other.load(Array("{\"entities\":[]}".utf8), as: form).created == 0)
    for bad in ["", "{", "[]", "{\"entities\":[", "{\"entities\":[{}]", "{\"entities\":[]}x"] {
      #expect(try await failure { try await other.load(Array(bad.utf8), as: form) }.code == .badData, "\(bad)")
    }
  }

  /// The samples that t8740-datastore.sh loads with the command, with the same counts.
  @Test(arguments: [
    ("Compact", 2), ("Deletion", 2), ("Normalized", 2), ("Relationships", 3), ("Simple", 1), ("Test", 1),
  ]) func samplesOfDatastoreAreReadAndComeBack(_ sample: String, _ count: Int) async throws {
    let root = #filePath.dropLast("/Tests/SeaKitTests/TransferTests.swift".utf8.count)
    let bytes = try #require(try File("\(root)/Tests/datastore/\(sample).json").readAll(limit: 1 << 20))
    #expect(try await database.load(bytes, as: .datastore).created == count)
    #expect(try await database.load(bytes, as: .datastore).unchanged == count)
    for form in [DumpForm.datastore, .compactDatastore] {
      let other = try await Database.inMemory()
      try await database.dump(to: scratch.path("again"), as: form)
      #expect(try await other.load(scratch.path("again"), as: form).created == count)
      #expect(try await contents(other) == contents(database))
    }
  }

  @Test func loadWritesAllOrNothing() async throws {
    let inputs: [(text: String, line: String)] = [
      ("{\"_id\":\"a\"}\n{\"_id\":\"b\",}\n", "2"), ("{\"_id\":\"a\"}\n\n[1]\n", "3"), ("{\"_id\":\"a\"}\n{", "2"),
      ("{\"_id\":\"a\"}\n{\"_id\":\"b\",\"x\":{\"$date\":\"never\"}}", "2"), ("[{\"_id\":\"a\"}\n{}]", "2"),
      ("{\"_id\":\"a\"}\n{\"_id\":\"-\"}", "2"), ("{\"_id\":\"a\"}\n3", "2"), ("[{}", "1"), ("[{},]", "1"),
    ]
    for (text, line) in inputs {
      let error = try await failure { try await database.load(Array(text.utf8)) }
      #expect(error.code == .badData && error.details["line"] == line, "\(text): \(error)")
    }
    #expect(try await database.count(Query.records()) == 0)
    #expect(try await failure { try await database.load(scratch.path("none")) }.code == .system)
    #expect(try await failure { try await database.load(scratch.path("")) }.code == .usage)
    #expect(try await failure { try await database.load([], type: "a b") }.code == .badData)
    #expect(try await database.load([]).created == 0)
  }

  @Test func loadUpdatesRecordsAndKeepsOtherProperties() async throws {
    try await database.save(Record(type: "t", id: "a", ["x": 1, "y": 2]))
    try await database.save(Record(type: "t", id: "b"))
    let text = """
      [{"_id":"a","x":3},
       {"_id":"b","_deleted":true}]
      {"name":"new"} {"_id":"c","_type":"u"}
      """
    let result = try await database.load(Array("\u{FEFF}\(text)".utf8), type: "t")
    #expect(result.created == 2 && result.updated == 1 && result.deleted == 1, "\(result)")
    #expect(try await database.record("a")?.properties == ["x": 3, "y": 2])
    #expect(try await database.record("b") == nil)
    #expect(try await database.record("c")?.type == "u")
    #expect(try await database.count(Query.records(of: "t")) == 2)
  }

  @Test func encryptedDatabasesDumpAndLoad() async throws {
    try await fill()
    var new = Database.NewDatabase(contentType: "org.example.test", name: "sealed")
    new.isSealed = true
    var options = Database.Options()
    options.password = { "secret words of mine" }
    let sealed = try await Database.create(in: scratch.path("sealed"), new, options)
    for form in [DumpForm.history, .full] {
      try await database.dump(to: scratch.path("dump"), as: form)
      #expect(try await sealed.load(scratch.path("dump"), as: form).created == (form == .history ? 3 : 0))
    }
    #expect(try await contents(sealed) == contents(database))
    #expect(try await text(sealed.dump(as: .history)) == text(database.dump(as: .history)))
  }

  @Test func readOnlyDatabasesDumpAndPreviewALoad() async throws {
    let folder = scratch.path("db")
    let writer = try await Database.open(folder, creating: "org.example.test")
    try await writer.save(Record(type: "t", id: "a"))
    var options = Database.Options()
    options.isReadOnly = true
    let reader = try await Database.open(folder, options)
    #expect(try await reader.dump(to: scratch.path("dump")) == 1)
    #expect(try await reader.preview(loading: scratch.path("dump")).unchanged == 1)
    #expect(try await failure { try await reader.load(scratch.path("dump")) }.code == .usage)
  }

  @Test func largeRecordsPassThroughSmallBuffers() async throws {
    let long = String(repeating: "0123456789abcdef", count: 20_000)
    try await database.write { transaction in
      for k in 0..<3 { try transaction.save(Record(type: "t", id: "long\(k)", ["text": .string(long + "\(k)")])) }
      for k in 0..<5000 { try transaction.save(Record(type: "t", id: "short\(k)", ["k": .integer(Int64(k))])) }
    }
    try await database.dump(to: scratch.path("all"))
    let other = try await Database.inMemory()
    #expect(try await other.load(scratch.path("all")).created == 5003)
    #expect(try await text(other.dump(as: .plain)) == text(database.dump(as: .plain)))
    // A loop that ends early ends the dump.
    for try await piece in database.dump() {
      #expect(!piece.isEmpty)
      break
    }
  }
}
