import SeaCore
import Testing

@Suite struct ReferenceSpliceTests {
  private func spliced(_ json: String, _ find: @escaping (String) throws -> [UInt8]?) throws -> String {
    let value = try Value.json(json)
    let bytes = try value.encoding.withUnsafeBufferPointer { try ReferenceSplice.value($0, find) }
    return try bytes.withUnsafeBufferPointer { try Value.decode(value: $0) }.json()
  }

  /// References in arrays and dictionaries lead on, whatever they are about; nothing else is touched.
  @Test(arguments: [
    (#"{"$ref":"a"}"#, #"{"x":1}"#),
    (#"{"$ref":"none"}"#, #"{"$ref":"none"}"#),
    (#"{"as":"k","$ref":"a"}"#, #"{"x":1}"#),
    (#"[1,{"$ref":"a"},{"y":{"$ref":"a"}},"$ref",{}]"#, #"[1,{"x":1},{"y":{"x":1}},"$ref",{}]"#),
    (#"{"$label":"l","$value":{"$ref":"a"}}"#, #"{"x":1}"#),
    (#"{"$label":"l","$value":{"$ref":"none"}}"#, #"{"$label":"l","$value":{"$ref":"none"}}"#),
    (#"{"$label":"l","$value":"$ref"}"#, #"{"$label":"l","$value":"$ref"}"#),
    (#"{"$dict":{"$ref":{"$ref":"a"}}}"#, #"{"$dict":{"$ref":{"x":1}}}"#),
    (#"{"as":"k","n":1.5}"#, #"{"as":"k","n":1.5}"#), (#"{"as":1,"b":{"$ref":"a"}}"#, #"{"as":1,"b":{"x":1}}"#),
  ]) func referencesAreReplacedByTheirRecords(_ one: (json: String, expected: String)) throws {
    let found = try Value.json(#"{"x":1}"#).encoding
    let expected = try Value.json(one.expected).json()
    #expect(try spliced(one.json) { $0 == "a" ? found : nil } == expected)
    let same = try Value.json(one.json).json()
    #expect(try spliced(one.json) { _ in nil } == same)
  }

  /// What is added stands where the order of the encoding has it.
  @Test func addedMembersKeepEncodingOrder() throws {
    let body = Value.dictionary(Members([("a", .integer(1)), ("longer", .bool(true)), ("zzz", .null)]))
    let more = try body.encoding.withUnsafeBufferPointer {
      try ReferenceSplice.adding([("_type", "t"), ("_id", "i"), ("_rev", "r")], to: $0)
    }
    guard case .dictionary(var members) = body else { return }
    for (name, text) in [("_id", "i"), ("_rev", "r"), ("_type", "t")] { members[name] = .string(text) }
    #expect(more == Value.dictionary(members).encoding)
  }
}
