import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// Entities of Datastore's interchange: sea-datastore(5).
@Suite struct EntityTests {
  /// What an entity becomes, and what stands on it.
  private func decode(_ text: String) throws -> (input: EntityInput, body: [UInt8]) {
    var tape = JSONTape(isEntity: true)
    var writer = ByteWriter()
    var text = text
    let result: Result<(EntityInput, [UInt8]), CoreError> = text.withUTF8 { bytes in
      do throws(CoreError) {
        let end = JSONTape.skipSpace(bytes, from: try tape.parse(bytes, at: 0))
        guard end == bytes.count else { throw .badJSON(.trailingText, offset: end) }
        writer.append("before")
        let input = try encodeEntity(tape, bytes, into: &writer)
        return .success((input, Array(writer.array()[input.record.body])))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func json(_ entity: String) throws -> String { try RecordSupport.json(decode(entity).body) }

  /// The JSON of a property that has this value in an entity.
  private func value(_ value: String) throws -> String {
    let text = try json(#"{"p":\#(value)}"#)
    return String(text.dropFirst(#"{"p":"#.count).dropLast())
  }

  private func encode(_ body: [UInt8], compact: Bool, type: String? = "t") throws -> String {
    var writer = ByteWriter()
    try body.withUnsafeBufferPointer {
      try EntityWriter(isCompact: compact).write(id: "i", type: type, body: $0, into: &writer)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func refusal(_ entity: String) -> CoreError? {
    do { _ = try decode(entity) } catch { return error as? CoreError }
    return nil
  }

  @Test(arguments: [
    (#"{"string":"a"}"#, #""a""#), (#"{"string":"a","type":"string"}"#, #""a""#),
    (#"{"string":"a","type":"address",}"#, #"{"$label":"address","$value":"a"}"#),
    (#"{"integer":1}"#, "1"), (#"{"integer":1.0,"type":"string"}"#, #"{"$label":"string","$value":1}"#),
    (#"{"integer":9223372036854775807}"#, #"{"$int":"9223372036854775807"}"#),
    (#"{"double":1.5,"type":"double"}"#, "1.5"), (#"{"double":0.10000000000000001}"#, "0.1"),
    (#"{"double":2}"#, #"{"$label":"double","$value":2}"#), (#"{"double":1e300}"#, "1e+300"),
    (#"{"boolean":true,"type":"boolean"}"#, "true"), (#"{"boolean":false}"#, "false"),
    (#"{"date":"1969-11-12T01:23:45+01:00"}"#, #"{"$date":"1969-11-12T00:23:45Z"}"#),
    (#"{"entity":"x"}"#, #"{"$ref":"x"}"#), (#"{"entity":"x","type":"owner"}"#, #"{"as":"owner","$ref":"x"}"#),
    (#"{"data":"AA==","type":"data"}"#, #"{"$data":"AA=="}"#),
    // Bare values; of these a text is nothing but a text.
    (#""ZW5jb2RlZCBzdHJpbmc=""#, #""ZW5jb2RlZCBzdHJpbmc=""#), (#""1969-11-12T01:23:45Z""#, #""1969-11-12T01:23:45Z""#),
    ("21", "21"), ("2.0", "2"), ("-0.0", "0"), ("1.25", "1.25"), ("true", "true"),
    // The first key counts.
    (#"{"data":"?","entity":1,"date":0,"boolean":0,"double":1,"integer":"","string":"a"}"#, #""a""#),
    (#"{"data":"?","date":"1970-01-01"}"#, #"{"$date":"1970-01-01T00:00:00Z"}"#),
    (#"{"string":"12.50","type":"x","sea":{"$decimal":"12.50"}}"#, #"{"$decimal":"12.50"}"#),
    (#"{"sea":[1,[2,],],}"#, "[1,[2]]"), (#"{"type":null,"datestamp":null,"string":"a"}"#, #""a""#),
  ])
  func entityValueBecomesRecordValue(_ given: String, _ want: String) throws { #expect(try value(given) == want) }

  @Test func entityBecomesRecord() throws {
    let (input, _) = try decode(#"{"identifier":"i","type":"t","a":1}"#)
    #expect(input.record.id == "i" && input.record.type == "t" && !input.record.needsState)
    #expect(try decode("{}").input.record.id == nil)
    #expect(try decode(#"{"a":{"entity":"x"}}"#).input.record.hasReferences)
    let null = try decode(#"{"a":null}"#)
    #expect(null.input.record.needsState)
    #expect(try null.body.withUnsafeBufferPointer { try Value.decodeDraft($0) }.members?["a"] == .null)
    #expect(try json(#"{"datestamp":"1970-01-01T00:00:01Z"}"#) == #"{"datestamp":{"$date":"1970-01-01T00:00:01Z"}}"#)
    #expect(
      try json(#"{"datestamp":{"date":"1970-01-01"},"b":1}"#)
        == #"{"b":1,"datestamp":{"$date":"1970-01-01T00:00:00Z"}}"#)
    #expect(
      try json(#"{"$type":1,"$identifier":2,"$datestamp":"x","z":0,"a.b":3}"#)
        == #"{"z":0,"a.b":3,"type":1,"datestamp":"x","identifier":2}"#)
  }

  @Test func datestampsOfPropertiesAreKept() throws {
    let one = #"{"$date":"1970-01-01T00:00:01Z"}"#
    #expect(
      try json(
        #"{"zzzzzzzzzzz":{"string":"s","datestamp":{"date":"1970-01-01T00:00:01Z"}},"a":{"integer":1,"datestamp":"1970-01-01T00:00:01Z"}}"#
      )
        == #"{"a":1,"datestamps":{"a":\#(one),"zzzzzzzzzzz":\#(one)},"zzzzzzzzzzz":"s"}"#)
    #expect(
      try json(#"{"datestamp":{"date":"1970-01-01T00:00:01Z","datestamp":"1970-01-01T00:00:01Z"}}"#)
        == #"{"datestamp":\#(one),"datestamps":{"datestamp":\#(one)}}"#)
    #expect(
      try json(#"{"datestamps":{"sea":{"gone":\#(one)}},"a":{"integer":1,"datestamp":"1970-01-01T00:00:01Z"}}"#)
        == #"{"a":1,"datestamps":{"a":\#(one),"gone":\#(one)}}"#)
    #expect(try json(#"{"datestamps":"mine","a":1}"#) == #"{"a":1,"datestamps":"mine"}"#)
    #expect(
      refusal(#"{"datestamps":"mine","a":{"integer":1,"datestamp":"1970-01-01T00:00:01Z"}}"#)
        == .badEntity(.datestamps, "datestamps", offset: 1))
  }

  /// A whole double has a semantic type of its own already: then the number is an integer, and that is counted.
  @Test func typedWholeDoubleIsCountedAsLost() throws {
    let (input, body) = try decode(
      #"{"a":{"double":2,"type":"Kg"},"b":{"double":2.5,"type":"Kg"},"c":{"double":2},"d":{"integer":2,"type":"Kg"}}"#)
    #expect(input.lostDoubles == 1)
    #expect(
      try RecordSupport.json(body)
        == #"{"a":{"$label":"Kg","$value":2},"b":{"$label":"Kg","$value":2.5},"c":{"$label":"double","$value":2},"d":{"$label":"Kg","$value":2}}"#
    )
  }

  @Test(arguments: [
    (#"{"p":[]}"#, CoreError.badEntity(.array, "p", offset: 5)), (#"{"p":{}}"#, .badEntity(.noValue, "p", offset: 5)),
    (#"{"p":{"type":"x"}}"#, .badEntity(.noValue, "p", offset: 5)),
    (#"{"p":{"string":"a","foo":1}}"#, .badEntity(.unknownKey, "foo", offset: 19)),
    (#"{"p":{"string":1}}"#, .badEntity(.notText, "string", offset: 15)),
    (#"{"p":{"string":null,"integer":1}}"#, .badEntity(.notText, "string", offset: 15)),
    (#"{"p":{"integer":1.5}}"#, .badEntity(.notInteger, "integer", offset: 16)),
    (#"{"p":{"integer":1e30}}"#, .badEntity(.notInteger, "integer", offset: 16)),
    (#"{"p":{"integer":"1"}}"#, .badEntity(.notInteger, "integer", offset: 16)),
    (#"{"p":{"double":true}}"#, .badEntity(.notNumber, "double", offset: 15)),
    (#"{"p":{"double":1e999}}"#, .badJSON(.numberOutOfRange, offset: 15)),
    (#"{"p":1e999}"#, .badJSON(.numberOutOfRange, offset: 5)),
    (#"{"p":{"boolean":1}}"#, .badEntity(.notBoolean, "boolean", offset: 16)),
    (#"{"p":{"date":"yesterday"}}"#, .badJSON(.badDate, offset: 13)),
    (#"{"p":{"date":5}}"#, .badJSON(.badDate, offset: 13)), (#"{"p":{"data":"?"}}"#, .badJSON(.badData, offset: 13)),
    (#"{"p":{"entity":"a b"}}"#, .badMember(.reference, .whiteSpace, "a b", offset: 15)),
    (#"{"p":{"entity":5}}"#, .badMember(.reference, .notText, "", offset: 15)),
    (#"{"p":{"string":"a","type":""}}"#, .badEntity(.badType, "", offset: 26)),
    (#"{"p":{"string":"a","type":5}}"#, .badEntity(.badType, "", offset: 26)),
    (#"{"p":{"string":"a","datestamp":{"date":"1970-01-01","x":1}}}"#, .badEntity(.notADate, "datestamp", offset: 31)),
    (#"{"p":{"string":"a","datestamp":"x"}}"#, .badJSON(.badDate, offset: 31)),
    (#"{"p":{"sea":null}}"#, .badJSON(.nullValue, offset: 12)),
    (#"{"p":{"sea":{"$x":1}}}"#, .badJSON(.badReserved, offset: 13)),
    (#"{"datestamp":"x"}"#, .badJSON(.badDate, offset: 13)),
    (#"{"datestamp":{"string":"1970-01-01"}}"#, .badEntity(.notADate, "datestamp", offset: 13)),
    (#"{"datestamp":5}"#, .badEntity(.notADate, "datestamp", offset: 13)),
    (#"{"datestamp":"1970-01-01","$datestamp":1}"#, .badJSON(.duplicateKey, offset: 26)),
    (#"{"identifier":5}"#, .badMember(.id, .notText, "", offset: 14)),
    (#"{"identifier":""}"#, .badMember(.id, .empty, "", offset: 14)),
    (#"{"type":"a b"}"#, .badMember(.type, .whiteSpace, "a b", offset: 8)),
    (#"{"_p":1}"#, .badMember(.property, .badStart, "_p", offset: 1)),
    (#"{"$p":1}"#, .badMember(.property, .badStart, "$p", offset: 1)),
    (#"{"p":1,"p":2}"#, .badJSON(.duplicateKey, offset: 7)), ("[]", .badJSON(.notAnObject, offset: 0)),
    // Commas stand behind something, and once.
    ("{,}", .badJSON(.unexpectedCharacter, offset: 1)), (#"{"p":1,,}"#, .badJSON(.unexpectedCharacter, offset: 7)),
    (#"{"p":{"sea":[,]}}"#, .badJSON(.unexpectedCharacter, offset: 13)),
    (#"{"p":{"sea":[1,,]}}"#, .badJSON(.unexpectedCharacter, offset: 15)),
    (#"{"p":{"sea":[1,}}"#, .badJSON(.unexpectedCharacter, offset: 15)),
    (#"{"p":1,"#, .badJSON(.unexpectedEnd, offset: 7)), (#"{"p":{"sea":[1,"#, .badJSON(.unexpectedEnd, offset: 15)),
  ])
  func invalidEntityIsRefused(_ entity: String, _ want: CoreError) { #expect(refusal(entity) == want) }

  /// No record is read with a comma too many.
  @Test(arguments: [#"{"p":1,}"#, #"{"p":[1,]}"#]) func recordWithTrailingCommaIsRefused(_ text: String) {
    #expect(RecordSupport.refusal(text) != nil)
  }

  @Test func nestingDepthIsLimited() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    let deepest = try RecordSupport.body(#"{"p":\#(nested(127))}"#)
    #expect(try decode(encode(deepest, compact: true)).body == deepest)
    #expect(refusal(#"{"p":{"sea":\#(nested(128))}}"#) == .badJSON(.tooDeep, offset: 12 + 127))
    #expect(refusal(#"{"p":{"sea":\#(nested(100_000))}}"#) == .badJSON(.tooDeep, offset: 12 + 127))
  }

  @Test(arguments: [
    (#"{"a":"x"}"#, #""a":{"string":"x","type":"string"}"#, #""a":"x""#),
    (#"{"a":1}"#, #""a":{"integer":1,"type":"integer"}"#, #""a":1"#),
    (#"{"a":1.5}"#, #""a":{"double":1.5,"type":"double"}"#, #""a":1.5"#),
    (#"{"a":true}"#, #""a":{"boolean":true,"type":"boolean"}"#, #""a":{"boolean":true}"#),
    (#"{"a":{"$data":"AA=="}}"#, #""a":{"data":"AA==","type":"data"}"#, #""a":{"data":"AA=="}"#),
    (#"{"a":{"$ref":"x"}}"#, #""a":{"entity":"x","type":"entity"}"#, #""a":{"entity":"x"}"#),
    (
      #"{"a":{"$ref":"x","as":"owner"}}"#, #""a":{"entity":"x","type":"owner"}"#, #""a":{"entity":"x","type":"owner"}"#
    ),
    (
      #"{"a":{"$date":"1969-12-31T23:59:59.001Z"}}"#,
      #""a":{"date":"1969-12-31T23:59:59Z","type":"date","sea":{"$date":"1969-12-31T23:59:59.001Z"}}"#,
      #""a":{"date":"1969-12-31T23:59:59Z","sea":{"$date":"1969-12-31T23:59:59.001Z"}}"#
    ),
    (
      #"{"a":{"$label":"double","$value":2}}"#, #""a":{"double":2,"type":"double"}"#, #""a":{"double":2}"#
    ),
    (
      #"{"a":{"$decimal":"1.50"}}"#, #""a":{"string":"1.50","type":"string","sea":{"$decimal":"1.50"}}"#,
      #""a":{"string":"1.50","sea":{"$decimal":"1.50"}}"#
    ),
    (
      #"{"a":{"$label":"Kg","$value":[1]}}"#,
      #""a":{"string":"[1]","type":"Kg","sea":{"$label":"Kg","$value":[1]}}"#,
      #""a":{"string":"[1]","type":"Kg","sea":{"$label":"Kg","$value":[1]}}"#
    ),
    (
      #"{"datestamp":{"$date":"1970-01-01"},"datestamps":{"gone":{"$date":"1970-01-01"},"type":{"$date":"1970-01-02"}},"type":"x"}"#,
      #""$type":{"string":"x","type":"string","datestamp":"1970-01-02T00:00:00Z"},"datestamp":{"date":"1970-01-01T00:00:00Z","type":"date"},"datestamps":{"string":"{\"gone\":{\"$date\":\"1970-01-01T00:00:00Z\"}}","type":"string","sea":{"gone":{"$date":"1970-01-01T00:00:00Z"}}}"#,
      #""$type":{"string":"x","datestamp":"1970-01-02T00:00:00Z"},"datestamp":{"date":"1970-01-01T00:00:00Z"},"datestamps":{"string":"{\"gone\":{\"$date\":\"1970-01-01T00:00:00Z\"}}","sea":{"gone":{"$date":"1970-01-01T00:00:00Z"}}}"#
    ),
  ])
  func recordIsWrittenNormalizedAndCompact(_ record: String, _ normalized: String, _ compact: String) throws {
    let body = try RecordSupport.body(record)
    #expect(try encode(body, compact: false) == #"{"identifier":"i","type":"t",\#(normalized)}"#)
    #expect(try encode(body, compact: true) == #"{"identifier":"i","type":"t",\#(compact)}"#)
    #expect(try encode(body, compact: true, type: nil) == #"{"identifier":"i",\#(compact)}"#)
  }

  /// Written in either form and read again, a record is the same; of counters and sets the state comes from before.
  @Test(arguments: TestSeed.some(8)) func writtenRecordIsReadUnchanged(seed: UInt64) throws {
    var generator = ValueGenerator(seed << 4)
    let roles = EntityTests.kinds + ["owner", "sea"]
    for _ in 0..<150 {
      var members = generator.body().members ?? Members()
      for name in ["identifier", "type", "datestamp", "datestamps", "string"] where generator.random.next() % 3 == 0 {
        members[name] = generator.body().members?.entries.first?.value
      }
      if generator.random.next() % 2 == 0 {
        members["datestamps"] = .dictionary(
          Members(
            (members.keys + ["gone"]).map { ($0, .date(Int64.random(in: Instant.range, using: &generator.random))) }))
      }
      for (name, value) in members.entries where generator.random.next() % 4 == 0 {
        switch value {
        case .labeled, .dictionary, .array, .counter, .set: continue
        case .reference(let id, _):
          members[name] = .reference(id: id, kind: roles.randomElement(using: &generator.random))
        default: members[name] = .labeled(value, roles.randomElement(using: &generator.random)!)
        }
      }
      let value = Value.dictionary(members)
      for compact in [false, true] {
        let text = try encode(value.encoding, compact: compact)
        let read = try decode(text)
        #expect(read.input.record.id == "i" && read.input.record.type == "t" && read.input.lostDoubles == 0)
        let draft = try read.body.withUnsafeBufferPointer { try Value.decodeDraft($0) }
        let adopted = try Value.adopting(draft, previous: value, instance: RecordSupport.instance)
        #expect(adopted.encoding == value.encoding, "\(text)")
        if !read.input.record.needsState { #expect(read.body == value.encoding, "\(text)") }
      }
    }
  }

  private static let kinds = ["string", "integer", "double", "boolean", "date", "entity", "data"]

  /// Whatever is read is a body, or a draft of one, and what is written of it is read as the same.
  @Test(arguments: TestSeed.some(8)) func acceptedEntityRoundTripsUnchanged(seed: UInt64) throws {
    var random = Seeded(seed << 12)
    var accepted = 0
    for _ in 0..<400 {
      var members: [String] = []
      for name in ["a", "bb", "datestamp", "datestamps", "$type", "identifier"] where random.next() % 2 == 0 {
        var parts: [String] = []
        for kind in EntityTests.kinds where random.next() % 5 == 0 {
          parts.append("\"\(kind)\":" + EntityTests.scalar(kind, &random))
        }
        if random.next() % 2 == 0 {
          parts.append("\"type\":\"\((EntityTests.kinds + ["Kg"]).randomElement(using: &random)!)\"")
        }
        if random.next() % 3 == 0 { parts.append("\"datestamp\":" + EntityTests.scalar("date", &random)) }
        if random.next() % 8 == 0 { parts.append("\"sea\":" + RandomJSON.value(&random, depth: 2)) }
        let isBare = random.next() % 4 == 0
        let bare = EntityTests.scalar(EntityTests.kinds.randomElement(using: &random)!, &random)
        members.append(
          "\"\(name)\" : " + (isBare ? bare : "{" + parts.shuffled(using: &random).joined(separator: ",") + "}"))
      }
      let text = "{" + members.joined(separator: ",") + (members.isEmpty ? "}" : ",\n}")
      guard let first = try? decode(text), !first.input.record.needsState else { continue }
      accepted += 1
      try RecordSupport.validate(first.body)
      let again = try encode(first.body, compact: random.next() % 2 == 0, type: nil)
      #expect(try decode(again).body == first.body, "\(text) \(again)")
    }
    #expect(accepted > 20)
  }

  private static func scalar(_ kind: String, _ random: inout Seeded) -> String {
    if random.next() % 16 == 0 { return RandomJSON.value(&random, depth: 3) }
    switch kind {
    case "integer": return String(Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
    case "double":
      return ["2", "2.5", "-1e300", "0.10000000000000001", "123456789012345678901234567890"].randomElement(
        using: &random)!
    case "boolean": return random.next() % 2 == 0 ? "true" : "false"
    case "date": return "\"19\(Int.random(in: 10...99, using: &random))-02-03T04:05:06+01:30\""
    case "entity": return "\"x\(random.next() % 5)\""
    case "data": return ["\"AA==\"", "\"\""].randomElement(using: &random)!
    default: return RandomJSON.string(&random)
    }
  }
}
