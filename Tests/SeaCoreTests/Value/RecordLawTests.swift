import SeaCore
import SeaTestSupport
import Testing

@Suite struct RecordLawTests {
  @Test(arguments: TestSeed.some(8)) func bodyRoundTripsThroughItsEncoding(seed: UInt64) throws {
    var generator = ValueGenerator(seed)
    for _ in 0..<150 {
      let value = generator.body()
      var writer = ByteWriter()
      try value.encodeBody(into: &writer)
      let bytes = writer.array()
      let decoded = try RecordSupport.value(bytes)
      #expect(decoded.encoding == bytes)
      #expect(decoded == value)
    }
  }

  /// Printed and read again, a body is the same bytes; of counters and sets the state comes from the body before.
  @Test(arguments: TestSeed.some(8)) func bodyRoundTripsThroughJSON(seed: UInt64) throws {
    var generator = ValueGenerator(seed << 8)
    for _ in 0..<150 {
      let value = generator.body()
      let bytes = value.encoding
      for style in [JSONStyle.compact, .pretty] {
        let text = try RecordSupport.json(bytes, style: style)
        let read = try RecordSupport.encode(Array(text.utf8))
        if read.input.needsState {
          let draft = try read.body.withUnsafeBufferPointer { try Value.decodeDraft($0) }
          let adopted = try Value.adopting(draft, previous: value, instance: RecordSupport.instance)
          #expect(adopted.encoding == bytes, "\(text)")
        } else {
          #expect(read.body == bytes, "\(text)")
        }
      }
    }
  }

  @Test(arguments: TestSeed.some(4)) func acceptedJSONIsStableAfterOneRoundTrip(seed: UInt64) throws {
    var random = Seeded(seed << 16)
    var accepted = 0
    for _ in 0..<400 {
      let text = "{\"a\":" + RandomJSON.value(&random, depth: 0) + " , \"b\" : " + RandomJSON.number(&random) + "}"
      guard let first = try? RecordSupport.encode(Array(text.utf8)) else { continue }
      accepted += 1
      try RecordSupport.validate(first.body)
      let printed = try RecordSupport.json(first.body)
      let second = try RecordSupport.encode(Array(printed.utf8))
      #expect(second.body == first.body, "\(text)")
      #expect(try RecordSupport.json(second.body) == printed)
    }
    #expect(accepted > 300)
  }

  @Test func referencesAreFound() throws {
    let body = try RecordSupport.body(
      #"{"a":{"$ref":"x"},"b":[{"as":"k","$ref":"y"},{"$dict":{"$ref":"no"}}],"c":"$ref","d":{"$ref":"x"}}"#)
    var found: [String] = []
    body.withUnsafeBufferPointer { bytes in
      BodyReferences.forEach(in: bytes) { found.append(String(decoding: $0, as: UTF8.self)) }
    }
    #expect(found == ["x", "y", "x"])
    #expect(try RecordSupport.validate(body))
    #expect(try !RecordSupport.validate(RecordSupport.body(#"{"a":{"$dict":{"$ref":"no"}}}"#)))
  }

  @Test func keysAreSortedByEncoding() throws {
    let text = #"{"bb":1,"a":2,"é":3,"aa":4,"z":5,"\u0061\u0061\u0061":6,"":7}"#
    #expect(
      RecordSupport.refusal(text) == .badMember(.property, .empty, "", offset: 57))
    let nested = try RecordSupport.json(RecordSupport.body(#"{"x":\#(text)}"#))
    #expect(nested == #"{"x":{"":7,"a":2,"z":5,"aa":4,"bb":1,"é":3,"aaa":6}}"#)
  }

  @Test func manyKeysAreSortedAndDuplicatesRefused() throws {
    let keys = (0..<500).map { "key\(($0 * 7919) % 500)" }
    let text = "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    try RecordSupport.validate(RecordSupport.body(text))
    let twice = "{" + (keys + ["key123"]).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    #expect(RecordSupport.refusal(twice) == .badJSON(.duplicateKey, offset: twice.utf8.count - 11))
  }

  @Test func spellingsOfOneCharacterAreTwoKeys() throws {
    let body = try RecordSupport.body("{\"\u{E9}\":1,\"e\u{301}\":2}")
    let value = try RecordSupport.value(body)
    #expect(value.members?.count == 2)
    #expect(value.members?["\u{E9}"] == .integer(1))
    #expect(value.members?["e\u{301}"] == .integer(2))
    #expect(Value.string("\u{E9}") != .string("e\u{301}"))
  }

  @Test func reservedMembersAreReadSeparately() throws {
    let rev = "3-" + String(repeating: "ab", count: 32)
    let read = try RecordSupport.encode(
      Array(
        #"{"n":1,"\u005fid":"i","_type":"t","_rev":"\#(rev)","_deleted":true,"_conflicts":[],"_time":0,"z":null}"#.utf8)
    )
    #expect(read.input.id == "i")
    #expect(read.input.type == "t")
    #expect(read.input.rev?.description == rev)
    #expect(read.input.deleted)
    #expect(!read.input.needsState)
    #expect(try RecordSupport.json(read.body) == #"{"n":1}"#)
  }
}

/// JSON texts as people and programs write them: spaces, escapes, numbers in every form.
enum RandomJSON {
  static func number(_ random: inout Seeded) -> String {
    func digits(_ most: Int) -> String {
      let text = (0..<Int.random(in: 1...most, using: &random)).map { _ in
        String(Int.random(in: 0...9, using: &random))
      }.joined()
      return text
    }
    var text = Bool.random(using: &random) ? "-" : ""
    let whole = digits(Int.random(in: 1...22, using: &random)).drop { $0 == "0" }
    text += whole.isEmpty ? "0" : String(whole)
    if Bool.random(using: &random) { text += "." + digits(18) }
    if Int.random(in: 0...2, using: &random) == 0 {
      text += ["e", "E", "e+", "e-"].randomElement(using: &random)! + digits(3)
    }
    return text
  }

  static func string(_ random: inout Seeded) -> String {
    let parts = ["a", "é", "\\n", "\\\"", "\\/", "\\u00e9", "\\ud83d\\ude00", "\\u0000", "😀", "$", "word word word"]
    return "\"" + (0..<Int.random(in: 0...4, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
      + "\""
  }

  static func value(_ random: inout Seeded, depth: Int) -> String {
    switch Int.random(in: 0...(depth < 4 ? 9 : 6), using: &random) {
    case 0: return ["null", "true", "false"].randomElement(using: &random)!
    case 1, 2: return number(&random)
    case 3: return string(&random)
    case 4: return "{\"$decimal\":\"\(number(&random))\"}"
    case 5: return "{ \"$date\" : \"\(Int.random(in: 1000...9999, using: &random))-02-03T04:05:06.7+01:30\" }"
    case 6: return "{\"$day\":\"\(Int.random(in: 1000...9999, using: &random))-02-28\"}"
    case 7, 8:
      return "["
        + (0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random, depth: depth + 1) }
        .joined(separator: "\n,\t") + "]"
    default:
      let members = (0..<Int.random(in: 0...3, using: &random)).map {
        "\"k\(9 - $0)\": " + value(&random, depth: depth + 1)
      }
      return "{" + members.joined(separator: ",") + "}"
    }
  }
}
