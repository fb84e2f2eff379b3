import SeaCore
import Testing

@Suite struct RecordOutputTests {
  @Test func reservedMembersSurroundTheProperties() throws {
    let body = try RecordSupport.body(#"{"tags":[],"n":1,"o":{},"m":{"k":[1,"a"]}}"#)
    let rev = RevisionID(depth: 12, digest: RecordSupport.digest)
    let hex = String(repeating: "07", count: 32)
    func print(_ style: JSONStyle) throws -> String {
      var writer = ByteWriter()
      try body.withUnsafeBufferPointer {
        try JSONWriter.writeRecord(
          id: "a\"b", type: "t", rev: rev, deleted: true, conflicts: [rev], extra: [("_lamport", .integer(5))],
          body: $0, style: style, into: &writer)
      }
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    #expect(
      try print(.compact)
        == #"{"_id":"a\"b","_type":"t","_rev":"12-\#(hex)","_lamport":5,"m":{"k":[1,"a"]},"n":1,"o":{},"tags":[],"#
        + #""_deleted":true,"_conflicts":["12-\#(hex)"]}"#)
    #expect(
      try print(.pretty) == """
        {
          "_id": "a\\"b",
          "_type": "t",
          "_rev": "12-\(hex)",
          "_lamport": 5,
          "m": {
            "k": [
              1,
              "a"
            ]
          },
          "n": 1,
          "o": {},
          "tags": [],
          "_deleted": true,
          "_conflicts": [
            "12-\(hex)"
          ]
        }
        """)
  }

  @Test func recordWithoutBodyIsPrintedAsObject() throws {
    var writer = ByteWriter()
    try JSONWriter.writeRecord(id: "x", type: nil, rev: nil, deleted: true, body: nil, into: &writer)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"_id":"x","_deleted":true}"#)
  }

  @Test func controlAndBidiCharactersAreEscaped() throws {
    let text = #"{"a":"\u0000\u0008\t\n\u000b\f\r\u001f \"\\\/\u007f\u0080\u009f\u00a0é😀"}"#
    let printed = try RecordSupport.json(RecordSupport.body(text))
    #expect(printed == #"{"a":"\u0000\b\t\n\u000b\f\r\u001f \"\\/\u007f\u0080\u009f"# + "\u{A0}é😀\"}")
    // On either side of each range, and where a word of eight bytes ends.
    for scalar: UInt32 in [
      0x61B, 0x61C, 0x61D, 0x200D, 0x200E, 0x200F, 0x2010, 0x2027, 0x2028, 0x202E, 0x202F, 0x2065, 0x2066, 0x2069,
      0x206A,
    ] {
      let character = String(Unicode.Scalar(scalar)!)
      let shown =
        UnsafeCharacters.contains(scalar) ? "\\u" + String(scalar + 0x10000, radix: 16).dropFirst() : character
      for before in 0...8 {
        let pad = String(repeating: "x", count: before)
        let printed = try RecordSupport.json(RecordSupport.body("{\"a\":\"\(pad)\(character)yyyyyyyyy\"}"))
        #expect(printed == "{\"a\":\"\(pad)\(shown)yyyyyyyyy\"}")
      }
    }
  }

  @Test(arguments: [
    (#""a\nb""#, "a\nb"), ("12", "12"), ("1.50", "1.5"), ("true", "true"), ("null", "null"),
    (#"{"$int":"12345678901234567890"}"#, "12345678901234567890"), (#"{"$decimal":"12.50"}"#, "12.50"),
    (#"{"$date":"2026-03-01T02:00:00.5+02:00"}"#, "2026-03-01T00:00:00.500Z"), (#"{"$ref":"a/b","as":"k"}"#, "a/b"),
    (#"{"$day":"1927-01-26"}"#, "1927-01-26"), (#"{"$label":"Birthday","$value":{"$day":"1927-01-26"}}"#, "1927-01-26"),
    (#"{"$data":"AAEC"}"#, "AAEC"), (#"[1, 2]"#, "[1,2]"),
    (#"{"b":1, "a":{"$data":"AA=="}}"#, #"{"a":{"$data":"AA=="},"b":1}"#),
  ])
  func plainFormPrintsBareValue(json: String, plain: String) throws { #expect(try RecordSupport.plain(json) == plain) }

  @Test(arguments: [
    (#""a\nb""#, #""a\nb""#), ("12", "12"), ("1.5", "1.5"), ("[null]", "[null]"), ("1e300", "1e+300"),
    (#"{"$int":"-12345678901234567890123"}"#, "-12345678901234567890123"), ("9007199254740993", "9007199254740993"),
    (#"{"$decimal":"12.50"}"#, "12.50"), (#"{"$decimal":"1.5E+100"}"#, "1.5E+100"), (#"{"$data":"AAEC"}"#, #""AAEC""#),
    (#"{"$date":"2026-03-01T02:00:00.5+02:00"}"#, #""2026-03-01T00:00:00.500Z""#),
    (#"{"$day":"1927-01-26"}"#, #""1927-01-26""#), (#"{"$ref":"a/b"}"#, #""a/b""#),
    (#"{"$ref":"a/b","as":"k"}"#, #""a/b""#), (#"{"$counter":{"$int":"9007199254740993"}}"#, "9007199254740993"),
    (#"{"$set":["b",{"$decimal":"1.0"}]}"#, #"["b",1.0]"#),
    (#"{"$label":"L","$value":{"$day":"1927-01-26"}}"#, #""1927-01-26""#),
    (#"{"$label":"L","$value":[{"$ref":"a"}]}"#, #"["a"]"#), (#"{"$dict":{"$ref":1}}"#, #"{"$ref":1}"#),
    (#"{"b":[{"$decimal":"1.10"}],"c":{}}"#, #"{"b":[1.10],"c":{}}"#),
  ])
  func plainStyleLeavesOutKinds(json: String, plain: String) throws {
    let style = JSONStyle(plain: { _ in nil })
    #expect(try RecordSupport.json(RecordSupport.body(#"{"a":\#(json)}"#), style: style) == #"{"a":\#(plain)}"#)
  }

  @Test func plainStyleShowsAssetAsItsPathOrNull() throws {
    let asset =
      #"{"$asset":"00000000-0000-0000-0000-000000000000/1","mime":"a/b","size":1,"sha256":"\#(String(repeating: "07", count: 32))"}"#
    let body = try RecordSupport.body(#"{"a":\#(asset)}"#)
    #expect(try RecordSupport.json(body, style: JSONStyle(plain: { "/x/\($0.size)" })) == #"{"a":"/x/1"}"#)
    #expect(try RecordSupport.json(body, style: JSONStyle(plain: { _ in nil })) == #"{"a":null}"#)
  }

  @Test func rawFormPrintsDataAsBytes() throws {
    #expect(try RecordSupport.plain(#"{"$data":"AAEC"}"#, raw: true) == "\u{0}\u{1}\u{2}")
    #expect(try RecordSupport.plain(#""x""#, raw: true) == "x")
  }

  @Test(
    arguments: [
      ("1970-01-01", 0), ("1970-01-01T00:00:00Z", 0), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("2000-02-29t12:00:00.1234560z", nil),
      ("2000-02-29t12:00:00.123000z", 951_825_600_123), ("1969-12-31 23:59:59.999Z", -1),
      ("2026-03-01T00:00:00-05:30", 1_772_343_000_000), ("2024-02-30", nil), ("1900-02-29", nil), ("0000-01-01", nil),
      ("2026-13-01", nil), ("2026-00-01", nil), ("2026-01-01T24:00:00Z", nil), ("2026-01-01T00:60:00Z", nil),
      ("2026-01-01T00:00:60Z", nil), ("2026-01-01T00:00:00", nil), ("2026-01-01T00:00Z", nil), ("2026-1-1", nil),
      ("2026-01-01T00:00:00.Z", nil), ("2026-01-01T00:00:00+24:00", nil), ("2026-01-01T00:00:00Zx", nil),
      ("0001-01-01T00:00:00+01:00", nil), ("9999-12-31T23:59:59-01:00", nil), ("", nil), ("２026-01-01", nil),
    ] as [(String, Int64?)])
  func datesAreParsedStrictly(text: String, expected: Int64?) throws {
    #expect(Instant.parse(text) == expected)
    guard let expected else { return }
    #expect(Instant.parse(Instant.text(expected)) == expected)
    let bytes = Value.date(expected).encoding
    try RecordSupport.validate([0xA1, 0x61, 0x61] + bytes)
    #expect(try RecordSupport.value([0xA1, 0x61, 0x61] + bytes).members?["a"] == .date(expected))
  }

  @Test func everyDayOfTheCalendarIsReadAndWritten() throws {
    var next = CalendarDay.range.lowerBound
    for year in 1...9999 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (month, days) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
        #expect(CalendarDay.day(year, month + 1, 0) == nil && CalendarDay.day(year, month + 1, days + 1) == nil)
        let first = try #require(CalendarDay.day(year, month + 1, 1))
        #expect(first == next && CalendarDay.parse(CalendarDay.text(next)) == next)
        next += days
        #expect(CalendarDay.parse(CalendarDay.text(next - 1)) == next - 1)
      }
    }
    #expect(next == CalendarDay.range.upperBound + 1 && CalendarDay.text(0) == "1970-01-01")
    #expect(CalendarDay.text(CalendarDay.range.lowerBound) == "0001-01-01")
    #expect(CalendarDay.text(-15_681) == "1927-01-26")
  }

  @Test(arguments: [
    "1927-02-30", "1900-02-29", "0000-01-01", "10000-01-01", "2026-13-01", "2026-00-01", "2026-01-00", "2026-1-1",
    "20260101", "2026-01-01T00:00:00Z", "2026-01-01Z", " 2026-01-01", "2026-01-01 ", "+2026-01-01", "２026-01-01", "",
  ]) func invalidDayIsRefused(text: String) {
    #expect(CalendarDay.parse(text) == nil)
    #expect(RecordSupport.refusal("{\"a\":{\"$day\":\"\(text)\"}}") == .badJSON(.badDay, offset: 13))
  }

  @Test(arguments: ["", "AA==", "AAE=", "AAEC", "+/+/", "AAECAw=="]) func base64DataRoundTrips(text: String) throws {
    #expect(
      try RecordSupport.json(RecordSupport.body(#"{"a":{"$data":"\#(text)"}}"#)) == #"{"a":{"$data":"\#(text)"}}"#)
  }

  @Test func invalidNamesAreRefused() throws {
    let space = [
      "a b", "a\tb", "a\u{85}", "\u{A0}", "\u{1680}", "\u{2000}", "\u{200A}", "\u{2028}", "\u{202F}", "\u{205F}",
      "\u{3000}x",
    ]
    for name in space { #expect(throws: CoreError.badName(.whiteSpace, name)) { try Name.check(name) } }
    for name in ["a\u{0}", "\u{7F}", "x\u{80}", "\u{9F}", "\u{1B}"] {
      #expect(throws: CoreError.badName(.controlCharacter, name)) { try Name.check(name) }
    }
    for name in ["-a", "_a"] { #expect(throws: CoreError.badName(.badStart, name)) { try Name.check(name) } }
    #expect(throws: CoreError.badName(.empty, "")) { try Name.check("") }
    let long = String(repeating: "é", count: 128)
    #expect(throws: CoreError.badName(.tooLong, long)) { try Name.check(long) }
    for name in ["a", "host/web1", "$a", "é", "日本", "\u{200B}", "a-_", String(repeating: "x", count: 255)] {
      try Name.check(name)
    }
    let invalid: [UInt8] = [0x61, 0xC3]
    #expect(throws: CoreError.self) { try invalid.withUnsafeBufferPointer { try Name.check($0) } }
    try Name.checkProperty("a b -")
    #expect(throws: CoreError.badName(.controlCharacter, "a\n")) { try Name.checkProperty("a\n") }
    #expect(throws: CoreError.badName(.badStart, "$a")) { try Name.checkProperty("$a") }
    let name = String(repeating: "n", count: 1025)
    #expect(throws: CoreError.badName(.tooLong, name)) { try Name.checkProperty(name) }
  }
}
