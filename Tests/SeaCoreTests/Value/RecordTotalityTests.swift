import SeaCore
import SeaTestSupport
import Testing

/// Whatever the bytes are: a value that has just these bytes, or an error. Never a trap.
@Suite struct RecordTotalityTests {
  /// True if the bytes were accepted.
  private func decode(_ bytes: [UInt8]) -> Bool {
    do {
      let value = try RecordSupport.value(bytes)
      #expect(value.encoding == bytes)
      try RecordSupport.validate(bytes)
      return true
    } catch is CoreError {
      #expect(RecordSupport.refusal(hex: Hex.text(bytes)) != nil)
      return false
    } catch {
      Issue.record(error)
      return false
    }
  }

  private var bodies: [[UInt8]] {
    var generator = ValueGenerator(TestSeed.value &+ 3)
    return (0..<40).map { _ in generator.body().encoding }.filter { $0.count < 400 }
  }

  @Test func everyTruncationIsRefused() {
    for bytes in bodies {
      for length in 0..<bytes.count { #expect(!decode(Array(bytes[..<length]))) }
    }
  }

  @Test func everyFlippedBitIsRefusedOrIsAnotherValue() {
    for bytes in bodies {
      for bit in 0..<(bytes.count * 8) {
        var changed = bytes
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        _ = decode(changed)
      }
    }
  }

  @Test func randomBytesNeverTrap() {
    var random = Seeded(TestSeed.value &+ 11)
    let heads: [UInt8] = [
      0xA1, 0xA2, 0x61, 0x62, 0x64, 0x24, 0x61, 0x63, 0x80, 0x82, 0xC1, 0xC2, 0xC4, 0xF9, 0xFB, 0x40,
    ]
    for _ in 0..<150_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
        Bool.random(using: &random) ? heads.randomElement(using: &random)! : UInt8.random(in: 0...255, using: &random)
      }
      _ = bytes.withUnsafeBufferPointer { bytes in
        var cursor = CBORCursor(bytes)
        let fits = (try? cursor.skipBody()) != nil
        var writer = ByteWriter(capacity: 64)
        // The way out meets bytes that nobody validated.
        let printed =
          (try? JSONWriter.writeRecord(id: nil, type: nil, rev: nil, body: bytes, into: &writer)) != nil
        if fits, cursor.atEnd { #expect(printed) }
        return (try? JSONWriter.writePlain(value: bytes, into: &writer)) != nil
      }
    }
  }

  @Test func mutatedTextsNeverTrap() {
    var random = Seeded(TestSeed.value &+ 12)
    let seeds = [
      #"{"_id":"a","_rev":"1-ab","n":-12.5e+3,"s":"é\ud83d\ude00\n","a":[1,{"x":null}],"d":{"$date":"2026-03-01T00:00:00.5Z"},"y":{"$day":"1927-01-26"}}"#,
      #"{"i":{"$int":"123456789012345678901"},"c":{"$decimal":"1.50E-9"},"b":{"$data":"q83vEjRW"},"k":{"$dict":{"$a":1}}}"#,
      #"{"r":{"as":"k","$ref":"x"},"n":{"$counter":-4},"t":{"$set":[3,1,"a",[true,false]]},"z":1e400,"big":18446744073709551616}"#,
    ].map { Array($0.utf8) }
    var accepted = 0
    for _ in 0..<60_000 * TestSeed.factor {
      var text = seeds.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 1...3, using: &random) where text.count > 1 {
        let at = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0: text[at] = UInt8.random(in: 0...255, using: &random)
        case 1: text.remove(at: at)
        case 2: text.insert(text[Int.random(in: 0..<text.count, using: &random)], at: at)
        default: text = Array(text[..<max(at, 1)])
        }
      }
      guard let read = try? RecordSupport.encode(text) else { continue }
      accepted += 1
      if read.input.needsState {
        #expect((try? read.body.withUnsafeBufferPointer { try Value.decodeDraft($0) }) != nil)
      } else {
        #expect((try? RecordSupport.validate(read.body)) != nil)
      }
    }
    #expect(accepted > 1000)
  }

  /// The streaming reader waits for more as long as the end is all that is wrong.
  @Test func everyPrefixOfValidTextIsIncomplete() throws {
    let text = Array(
      #" {"a":[1,-2.5e-3,true,false,null,"é\u00e9\ud83d\ude00\\"],"b":{"$data":"AA=="},"日本":"😀"}"#.utf8)
    for length in 0..<text.count {
      #expect(RecordSupport.refusal(Array(text[..<length])) == .badJSON(.unexpectedEnd, offset: length))
    }
    #expect(RecordSupport.refusal(text) == nil)
  }

  @Test func incompleteTapeYieldsNoValue() {
    var tape = JSONTape()
    var writer = ByteWriter()
    let text = Array(#"{"a":1,"b":[1,2"#.utf8)
    text.withUnsafeBufferPointer { bytes in
      #expect((try? tape.parse(bytes, at: 0)) == nil)
      #expect((try? encodeRecord(tape, bytes, into: &writer)) == nil)
      #expect((try? encodeValue(tape, bytes, into: &writer)) == nil)
    }
  }

  /// A stream: one value after another, with or without white space between them.
  @Test func concatenatedValuesAreParsedOneByOne() throws {
    var tape = JSONTape()
    let text = Array("  {\"a\":1}{\"b\":2}\n[3] 4 ".utf8)
    var ends: [Int] = []
    try text.withUnsafeBufferPointer { bytes in
      while JSONTape.skipSpace(bytes, from: ends.last ?? 0) < bytes.count {
        ends.append(try tape.parse(bytes, at: ends.last ?? 0))
      }
    }
    #expect(ends == [9, 16, 20, 22])
  }

  @Test func deepTextsAreRefusedWithoutRecursion() {
    for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
      func nested(_ depth: Int) -> String {
        "{\"x\":" + String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth) + "}"
      }
      #expect(RecordSupport.refusal(nested(127)) == nil)
      #expect(RecordSupport.refusal(nested(128)) == .badJSON(.tooDeep, offset: 5 + 127 * open.utf8.count))
      #expect(RecordSupport.refusal(String(repeating: open, count: 1_000_000)) != nil)
    }
    let deep = [0xA1, 0x61, 0x61] + [UInt8](repeating: 0x81, count: 1_000_000) + [0x00]
    #expect(RecordSupport.refusal(hex: Hex.text(deep)) == .badEncoding(.tooDeep, offset: 130))
  }
}
