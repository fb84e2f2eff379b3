import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Revisions that are imported unchanged from elsewhere.
@Suite struct LoadedHistoryTests {
  private struct Line {
    var input: RecordInput
    var body: [UInt8]
  }

  /// A database with revisions of every kind, as lines.
  private func lines(_ random: inout SeededRandom) throws -> [Line] {
    let group = try TestGroup(2)
    for step in 0..<40 {
      let one = group.instances[Int.random(in: 0..<2, using: &random)]
      let id = "r\(Int.random(in: 0..<6, using: &random))"
      switch Int.random(in: 0..<9, using: &random) {
      case 0: try group.exchange()
      case 1: if try one.records.view(id)?.body != nil { try one.deleteRecord(id) }
      case 2: _ = try one.put(#"{"_id":"\#(id)","_type":"t","c":{"$counter":\#(step)},"s":{"$set":["a",\#(step)]}}"#)
      default: _ = try one.put(#"{"_id":"\#(id)","_type":"t","n":\#(step),"to":{"$ref":"r1"}}"#)
      }
    }
    try group.exchange()
    var lines: [Line] = []
    try group.instances[0].records.forEachRevision(types: []) { one in
      var input = RecordInput()
      (input.id, input.type, input.rev, input.parent, input.merged) =
        (one.id, one.type, one.revision, one.parent, one.merged)
      (input.deleted, input.isResolved) = (one.kind == .delete, one.kind == .resolved)
      input.stored = one.body
      var shown = ByteWriter()
      if let body = one.body {
        try body.withUnsafeBufferPointer { try Value.decode(body: $0) }.draft.encode(into: &shown)
      }
      lines.append(Line(input: input, body: shown.array()))
    }
    return lines
  }

  private func load(_ lines: [Line], into database: Database) throws -> Int {
    var new = 0
    try database.records.importHistory(label: "load", dryRun: false) { open in
      for line in lines {
        if try line.body.withUnsafeBufferPointer({ try open.add(line.input, $0) }) { new += 1 }
      }
    }
    return new
  }

  /// In any order, and split into transactions in any way.
  @Test(arguments: TestSeed.some(4)) func everyLoadOrderGivesSameRevisions(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let lines = try lines(&random)
    let group = try TestGroup(3)
    var digests: Set<[UInt8]> = []
    for database in group.instances {
      var left = lines.shuffled(using: &random)[...]
      var new = 0
      while !left.isEmpty {
        let count = Int.random(in: 1...left.count, using: &random)
        new += try load(Array(left.prefix(count)), into: database)
        left = left.dropFirst(count)
      }
      #expect(new == lines.count)
      #expect(try load(lines, into: database) == 0)
      #expect(try database.store.projection.isRight())
      var found: [[UInt8]] = []
      try database.records.forEachRevision(types: []) { found.append(Array("\($0.id) \($0.revision)".utf8)) }
      digests.insert(Array(found.joined()))
    }
    #expect(digests.count == 1)
  }

  /// A line that does not match its revision id is refused, and nothing of its transaction is written.
  @Test(arguments: TestSeed.some(4)) func mismatchedRevisionIDIsRefused(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let lines = try lines(&random)
    let group = try TestGroup(1)
    let database = group.instances[0]
    for _ in 0..<200 {
      var bad = lines.randomElement(using: &random)!
      switch Int.random(in: 0..<9, using: &random) {
      case 0: bad.input.parent = bad.input.parent == nil ? bad.input.rev : nil
      case 1: bad.input.merged.append(bad.input.rev!)
      case 2: bad.input.merged = Array(repeating: bad.input.rev!, count: 70)
      case 3: bad.input.id = "other"
      case 4: bad.input.type = bad.input.type == nil ? "u" : nil
      case 5: bad.input.parent = RevisionID(depth: .max, digest: bad.input.rev!.digest)
      case 6:
        guard var body = bad.input.stored, !body.isEmpty else { continue }
        body[Int.random(in: 0..<body.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        bad.input.stored = body
      case 7:
        guard bad.input.stored != nil else { continue }
        var shown = ByteWriter()
        Value.dictionary(Members()).encode(into: &shown)
        if bad.body == shown.array() { continue }
        bad.body = shown.array()
      default:
        guard let body = bad.input.stored else { continue }
        bad.input.stored = Bool.random(using: &random) ? body + [0] : []
      }
      let before = try database.store.branches.branches().map(\.head)
      #expect(throws: KitError.otherRevision(id: bad.input.id!, bad.input.rev!)) {
        _ = try load([lines[0], bad], into: database)
      }
      #expect(try database.store.branches.branches().map(\.head) == before)
    }
    #expect(try database.records.count() == 0)
  }
}
