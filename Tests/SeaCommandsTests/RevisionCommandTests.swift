import SeaCommands
import SeaCore
import Testing

@Suite struct RevisionCommandTests {
  private struct Case {
    let id: String
    let lines: [String]
    let orders: [[Int]]
    let answer: String
  }

  /// The cases of Tests/vectors/merge, each with what `pick-winner` is to print for it.
  private func cases() throws -> [Case] {
    let text = try read("Tests/vectors/merge/cases.json")
    let all = try #require(try Value.json(text).members?["cases"])
    guard case .array(let cases) = all else { return [] }
    return try cases.map { value in
      let one = try #require(value.members)
      guard case .string(let id)? = one["id"], case .array(let arrivals)? = one["arrivals"],
        case .array(let orders)? = one["orders"], let expect = one["expect"]?.members
      else { throw LineFault.missingKey("case") }
      func json(_ key: String) throws -> String { try #require(expect[key]).json() }
      let answer = try ["winner", "record_deleted", "conflicts", "deleted_leaves"].map { "\"\($0)\":\(try json($0))" }
      return Case(
        id: id, lines: try arrivals.map { try $0.json() },
        orders: orders.map { order in
          guard case .array(let items) = order else { return [] }
          return items.map { if case .integer(let index) = $0 { Int(index) } else { 0 } }
        },
        answer: "{\(answer.joined(separator: ","))}")
    }
  }

  @Test func winnerIsIndependentOfInputOrder() throws {
    let cases = try cases()
    #expect(cases.count == 226)
    for one in cases {
      for order in one.orders {
        let outcome = Run(input: order.map { one.lines[$0] + "\n" }.joined())("pick-winner")
        #expect(outcome.status == 0 && outcome.outLines == [one.answer], "\(one.id) \(order)")
      }
    }
  }

  @Test func winnerComparesDepthNumericallyAndHashByBytes() {
    let lines = ["9-z", "10-B", "10-a"].map { #"{"rev":"\#($0)","parent":null,"deleted":false}"# }
    #expect(
      Run(input: lines.joined(separator: "\n"))("pick-winner", "-").outLines == [
        #"{"winner":"10-a","record_deleted":false,"conflicts":["10-B","9-z"],"deleted_leaves":[]}"#
      ])
  }

  @Test func emptyInputHasNoWinner() {
    let outcome = Run(input: "\n \n")("pick-winner")
    #expect(outcome.outLines == [#"{"winner":null,"record_deleted":false,"conflicts":[],"deleted_leaves":[]}"#])
  }

  @Test(arguments: [
    ("{\"rev\":\"1-a\"}\n{\"rev\":", "2:8:"), ("{}", "1: missing key \"rev\""), ("[1]", "1:1:"),
    ("{\"rev\":\"a\"}", "1: 'a' is not a revision"), ("{\"rev\":\"0-a\"}", "1: '0-a'"), ("{\"rev\":\"1-\"}", "1: '1-'"),
    ("{\"rev\":1}", "\"rev\" must be a string"), ("{\"rev\":\"1-a\",\"deleted\":1}", "\"deleted\" must be"),
    ("{\"rev\":\"1-a\"} x", "1:15:"), ("{\"rev\":\"1-a\",\"rev\":\"1-b\"}", "1:"),
    ("{\"rev\":\"1-a\"}\n{\"rev\":\"1-a\",\"deleted\":true}", "2: 1-a contradicts an earlier line"),
    ("{\"rev\":\"2-a\",\"parent\":\"1-a\"}\n{\"rev\":\"2-a\",\"parent\":\"1-b\"}", "2: 2-a contradicts"),
    ("{\"rev\":\"1-\\ud800\"}", "1:"),
  ])
  func invalidLineIsReportedWithPosition(_ input: String, _ words: String) {
    let outcome = Run(input: input)("pick-winner")
    #expect(outcome.status == 13 && outcome.out.isEmpty)
    #expect(
      outcome.err.hasPrefix("sea: error[bad-data]: standard input:") && outcome.err.contains(words), "\(outcome.err)")
  }

  @Test func badUTF8IsBadData() {
    var run = Run()
    run.input = Array("{\"rev\":\"1-a\",\"x\":\"".utf8) + [0xFF, 0x22, 0x7D]
    #expect(run("pick-winner").status == 13)
  }

  private let zero = String(repeating: "0", count: 64)

  @Test func revisionIsHashOfItsItems() throws {
    var body = ByteWriter()
    var tape = JSONTape()
    let text = Array(#"{"a":1}"#.utf8)
    try text.withUnsafeBufferPointer { bytes in
      _ = try tape.parse(bytes, at: 0)
      _ = try encodeRecord(tape, bytes, into: &body)
    }
    // id "x", type "t", no parent, nothing merged, "put", then the body.
    let items: [UInt8] = [0x61, 0x78, 0x61, 0x74, 0xF6, 0x80, 0x63] + Array("put".utf8) + body.array()
    let digest = items.withUnsafeBytes { Change.digest(items: $0) }
    let outcome = Run(input: #"{"_id":"x","_type":"t","a":1,"_rev":"1-\#(zero)"}"#)("hash-record")
    #expect(outcome.out == "1-\(digest)\n")
    #expect(Run(input: #"{"a":1}"#)("hash-record", "--id=x", "-t", "t").out == outcome.out)
    #expect(Run(input: #"{"a":1.0,"_id":"x","b":null}"#)("hash-record", "-tt").out == outcome.out)
  }

  @Test func parentAndKindChangeTheHash() {
    let record = #"{"_id":"x","a":1}"#
    let plain = Run(input: record)("hash-record").out
    let child = Run(input: record)("hash-record", "--parent=4-\(zero)").out
    #expect(child.hasPrefix("5-") && child.dropFirst(2) != plain.dropFirst(2))
    let merged = Run(input: record)("hash-record", "--parent=4-\(zero)", "--merged=3-\(zero)").out
    #expect(merged.hasPrefix("5-") && merged != child)
    let deleted = Run(input: record)("hash-record", "--kind=delete").out
    #expect(deleted == Run(input: #"{"_id":"x","_deleted":true}"#)("hash-record").out && deleted != plain)
    #expect(Run(input: record)("hash-record", "--kind=resolved").out != deleted)
    let json = Run(input: record)("hash-record", "--json").out
    #expect(json == #"{"id":"x","rev":"\#(plain.dropLast())"}"# + "\n")
  }

  @Test func invalidRecordsAndParentsAreRefused() {
    #expect(Run(input: "{}")("hash-record").status == 13)
    #expect(Run(input: #"{"_id":"x","c":{"$counter":1}}"#)("hash-record").err.contains("counter"))
    #expect(Run(input: #"{"_id":"a b"}"#)("hash-record").status == 13)
    #expect(Run(input: "{}")("hash-record", "--id=-x").status == 13)
    #expect(Run(input: #"{"_id":"x"}"#)("hash-record", "--parent=4-ab").status == 2)
    #expect(Run(input: #"{"_id":"x"}"#)("hash-record", "--parent=4294967295-\(zero)").status == 2)
    #expect(Run(input: #"{"_id":"x"}"#)("hash-record", "--parent=4-\(zero)", "--merged=4-\(zero)").status == 2)
    let outcome = Run(input: "{\"_id\":\"x\"}\n{\"_id\":\"y\",\"a\":[1,}\n")("hash-record", "--json")
    #expect(outcome.status == 13 && outcome.outLines.count == 1)
    #expect(outcome.err.contains(#""line":2,"column":19"#), "\(outcome.err)")
  }
}
