import SeaCore
import SeaTestSupport
import Testing

@Suite struct StoredValueTests {
  static let values = [
    "{}", #"{"a":[]}"#, #"{"a":[1,-1,0.5,null,"x",true]}"#, #"{"a":{"b":{"c":[{}]}}}"#,
    #"{"a":{"$dict":{"$ref":"x","b":1}}}"#,
    #"{"a":{"$ref":"x"},"b":{"$ref":"x","as":"y"},"c":{"as":"y"},"d":{"as":1,"x":{"$date":"2026-01-01T00:00:00Z"}}}"#,
    #"{"a":{"$label":"m","$value":[1]},"b":{"$decimal":"1.50"},"c":{"$int":"99999999999999999999"}}"#,
    #"{"a":9007199254740991,"b":{"$int":"9007199254740992"},"c":{"$int":"-9007199254740993"},"d":1e300}"#,
    #"{"a":{"mime":"x"},"b":{"mime":"x","size":1},"c":{"mime":"x","size":1,"other":2,"another":3}}"#,
    #"{"d":"\u001b\u202e\"\\","e":{"$data":"AAEC"}}"#,
  ]

  private func body(_ json: String) throws -> (value: Value, bytes: [UInt8]) {
    let value = try Value.json(json)
    var writer = ByteWriter()
    _ = try value.encodeBody(into: &writer)
    return (value, writer.array())
  }

  @Test(arguments: values) func plainJSONIsEqualFromBytesAndValues(_ json: String) throws {
    let (value, bytes) = try body(json)
    var written = ByteWriter()
    try bytes.withUnsafeBufferPointer { try PlainJSON.write(body: $0, into: &written) }
    #expect(written.array() == PlainJSON.bytes(value))
  }

  @Test(arguments: values) func storedEntriesMatchDecodedMembers(_ json: String) throws {
    let (value, bytes) = try body(json)
    func check(_ entries: StoredEntries, _ members: Members) throws {
      var entries = entries
      for (name, value) in members.entries {
        let next = entries.next()
        let entry = try #require(next)
        #expect(entry.name == name)
        #expect(try entry.value.value() == value)
        let inner = entry.value.entries
        #expect((inner == nil) == (value.members == nil), "\(name)")
        if let inner, let members = value.members { try check(inner, members) }
      }
      let end = entries.next()
      #expect(end == nil)
    }
    let members = try #require(value.members)
    try check(StoredEntries(body: bytes), members)
  }

  @Test func invalidBodyIsRefused() {
    #expect(throws: CoreError.self) { try StoredEntries(body: [0xA1, 0x61]) }
    #expect(throws: CoreError.self) { try StoredEntries(body: [0xA0, 0xA0]) }
  }

  /// A long text may go out in pieces.
  @Test func longTextIsWrittenInPieces() throws {
    let text = String(repeating: "x\u{1B}", count: 1 << 20)
    var most = 0
    var out: [UInt8] = []
    var writer = ByteWriter()
    writer.flushes(over: 1 << 16) {
      most = max(most, $0.count)
      out += $0
    }
    StoredValue(.string(text)).write(into: &writer)
    out += writer.array()
    #expect(most > 0 && most < 3 << 20)
    #expect(try Value.json(String(decoding: out, as: UTF8.self)) == .string(text))
  }
}
