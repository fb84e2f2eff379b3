import SeaCore
import SeaTestSupport
import Testing

/// Regular expressions that are matched in linear time.
@Suite struct PatternTests {
  private func matches(_ pattern: String, _ text: String) -> Bool? {
    guard let pattern = try? LinearPattern(pattern) else { return nil }
    return Array(text.utf8).withUnsafeBufferPointer { pattern.matches($0) }
  }

  @Test(arguments: [
    ("", "", true), ("a", "", false), ("b", "abc", true), ("^b", "abc", false), ("c$", "abc", true), ("^$", "", true),
    ("a.c", "a\nc", false), ("a.c", "aßc", true), ("colou?r", "color", true), ("^a*b+$", "aabb", true),
    ("^(ab|cd|e)+$", "abcde", true), ("^(ab|cd|e)+$", "abced", false), ("^a{2}$", "aaa", false),
    ("^a{2,}$", "aaa", true),
    ("^(a|b){2,3}$", "abab", false), ("^(a|b){0,3}c$", "c", true), ("[a-c]x", "bx", true), ("[^a-c]x", "bx", false),
    ("[]x]", "]", true), ("[a-]", "-", true), ("\\d{4}-\\d\\d", "am 2026-11", true), ("\\bcat\\b", "a cat.", true),
    ("\\bcat\\b", "concat", false), ("\\Bcat", "concat", true), ("(?i)ÄbC", "ÄBc", true), ("\\.", "x", false),
    ("[\\d.]+$", "v1.2", true), ("(?:a|)b", "b", true), ("^(a*)*$", "aaaa", true), ("^(a?){3}$", "aa", true),
    ("a+?", "", false), ("^a+?$", "aa", true), ("^a*?b??c{2,}?$", "cc", true), ("c*b+?a{2,}", "aabbcc", false),
    ("\\S+@\\S+", "mail: a@b", true), ("[^\\W\\d]", "9", false), ("x*", "yyy", true), ("\\n", "a\nb", true),
  ]) func patternMatchesAnyPartOfText(pattern: String, text: String, expected: Bool) {
    #expect(matches(pattern, text) == expected, "\(pattern) in \(text)")
  }

  @Test(arguments: [
    "(", ")", "a)", "[", "[a", "*", "a|*", "\\", "\\q", "a{2,1}", "a{", "(?=a)", "[b-a]", "a{99999}", "(a{100}){100}",
    "a**", "a+{2}", "a?+", "a+??",
  ])
  func invalidPatternIsRefused(pattern: String) { #expect(throws: PatternFault.self) { try LinearPattern(pattern) } }

  @Test(
    arguments: [
      ("a(b", .unreadable(at: 4)), ("a)", .unreadable(at: 2)), ("a**", .unreadable(at: 3)), ("*", .unreadable(at: 1)),
      ("ä\\q", .unreadable(at: 3)), ("[a", .unreadable(at: 3)), ("(a{100}){100}", .tooLong), ("a{1001}", .tooLong),
      (String(repeating: "(", count: 101), .tooDeep),
    ] as [(String, PatternFault)]) func invalidPatternReportsReasonAndPosition(pattern: String, fault: PatternFault)
  {
    #expect(throws: fault) { try LinearPattern(pattern) }
  }

  /// Where a program that tries one way after the other would need 2^n steps.
  @Test func nestedQuantifiersMatchInLinearTime() throws {
    let text = String(repeating: "a", count: 20_000) + "b"
    for pattern in ["^(a|a)*$", "^(a*)*$", "^(a+)+$", "(a|aa)+$"] { #expect(matches(pattern, text) == false) }
  }
}

@Suite struct DecimalSumTests {
  private func sum(_ texts: [String]) throws -> String? {
    var sum = DecimalSum()
    for text in texts {
      guard case .decimal(let decimal) = try Value.json(#"{"$decimal":"\#(text)"}"#) else { continue }
      sum.add(decimal)
    }
    return sum.value?.description
  }

  @Test func sumKeepsAllDigits() throws {
    #expect(try sum(["0.1", "0.2"]) == "0.3")
    #expect(try sum(["12.50", "1299.00"]) == "1311.50")
    #expect(try sum(["1", "-1.00"]) == "0.00")
    #expect(try sum(["-5", "2.5"]) == "-2.5")
    #expect(try sum(["99999999999999999999999999.99", "0.01"]) == "100000000000000000000000000.00")
    #expect(try sum(["-99999999999999999999999999.99", "0.01"]) == "-99999999999999999999999999.98")
    #expect(try sum(["9223372036854775807", "9223372036854775807", "0.1"]) == "18446744073709551614.1")
    #expect(try sum([]) == nil)
  }

  /// Against whole numbers of 128 bits.
  @Test(arguments: TestSeed.some(20)) func sumEqualsIntegerSum(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let numbers = (0..<200).map { _ in Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random) }
    let exact = numbers.reduce(Int128(0)) { $0 + Int128($1) }
    var sum = DecimalSum()
    for number in numbers { sum.add(Decimal(exponent: -3, mantissa: BigInteger(number))) }
    #expect(sum.value?.mantissa.int128 == exact && sum.value?.exponent == -3)
  }
}

@Suite struct ShapeTests {
  private func shape(_ type: String?, _ json: String) throws -> Shape? {
    var body = ByteWriter()
    _ = try Value.json(json).encodeBody(into: &body)
    var writer = ByteWriter()
    if let type {
      let type = Array(type.utf8)
      try type.withUnsafeBufferPointer { try Shape.write(type: $0, body: body.bytes, into: &writer) }
    } else {
      try Shape.write(type: nil, body: body.bytes, into: &writer)
    }
    return Shape(writer.bytes)
  }

  @Test func shapeListsTypeAndPropertyKinds() throws {
    let found = try #require(
      try shape(
        "t",
        """
        {"a":1,"b":"x","c":true,"d":{"$date":"2026-01-01T00:00:00.5Z"},"e":{"$date":"2026-01-01T00:00:00Z"},"f":{"$decimal":"1.5"},
        "g":{"$ref":"x"},"h":{"$ref":"x","as":"y"},"i":[1],"j":{"k":1},"k":{},"l":1.5,"m":{"$data":"AQ=="},
        "n":{"$label":"HomePhone","$value":"1"},"o":{"as":1,"mime":2},"p":{"mime":1,"size":2,"x":3,"y":4},"q":{"$int":"99999999999999999999"},
        "r":{"$dict":{"$ref":1}}}
        """))
    #expect(found.type == "t")
    let kinds = Dictionary(uniqueKeysWithValues: found.properties.map { ($0.name, $0.kind) })
    let expected: [String: PropertyKind] = [
      "a": .number, "b": .text, "c": .boolean, "d": .date, "e": .date, "f": .number, "g": .reference, "h": .reference,
      "i": .array, "j": .dictionary, "k": .dictionary, "l": .number, "m": .data, "n": .text, "o": .dictionary,
      "p": .dictionary, "q": .number, "r": .dictionary,
    ]
    #expect(kinds == expected)
    #expect(try shape(nil, "{}")?.type == nil)
  }

  @Test func truncatedShapeIsRefused() throws {
    var body = ByteWriter()
    _ = try Value.json(#"{"a":1,"bc":"x"}"#).encodeBody(into: &body)
    var writer = ByteWriter()
    try Shape.write(type: nil, body: body.bytes, into: &writer)
    let bytes = writer.array()
    for length in 1..<bytes.count where ![1, 4].contains(length) {
      bytes[..<length].withUnsafeBufferPointer { #expect(Shape($0) == nil, "\(length)") }
    }
  }
}
