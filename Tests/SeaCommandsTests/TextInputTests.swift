import SeaCommands
import SeaTestSupport
import Testing

/// Text in other encodings becomes UTF-8, in whatever pieces it arrives.
@Suite struct TextInputTests {
  private func read(_ bytes: [UInt8], _ encoding: TextEncoding, _ capacity: Int) throws -> [UInt8] {
    var rest = bytes[...]
    let input = Input { buffer in
      let piece = rest.prefix(min(capacity, buffer.count))
      buffer.copyBytes(from: piece)
      rest = rest.dropFirst(piece.count)
      return piece.count
    }
    let text = TextInput("f", input, encoding)
    var all: [UInt8] = []
    while case let piece = try text.piece(), !piece.isEmpty { all += piece }
    return all
  }

  private func wide(_ text: String, isBig: Bool) -> [UInt8] {
    text.utf16.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  @Test(arguments: [1, 2, 3, 1000]) func everyCharacterOfUTF16IsRead(capacity: Int) throws {
    var random = SeededRandom(TestSeed.value)
    let signs = ["a", "é", "€", "😀", "\n", "\u{FFFD}", "\u{10FFFF}", "\u{D7FF}", "\u{E000}"]
    for _ in 0..<50 {
      let text =
        "x" + (0..<Int.random(in: 0...9, using: &random)).map { _ in signs.randomElement(using: &random)! }.joined()
      for isBig in [false, true] {
        #expect(try read(wide(text, isBig: isBig), .utf16, capacity) == Array(text.utf8))
        // A byte order mark takes precedence over the option.
        for encoding in TextEncoding.allCases {
          #expect(try read(wide("\u{FEFF}" + text, isBig: isBig), encoding, capacity) == Array(text.utf8))
        }
      }
      for encoding in TextEncoding.allCases {
        #expect(try read(Array(("\u{FEFF}" + text).utf8), encoding, capacity) == Array(text.utf8))
      }
      #expect(try read(Array(text.utf8), .utf8, capacity) == Array(text.utf8))
    }
  }

  @Test(arguments: [1, 1000]) func everyByteIsOneCharacter(capacity: Int) throws {
    let bytes = [0x61] + Array(UInt8(0x80)...0xFF)
    let latin = try read(bytes, .latin1, capacity)
    #expect(latin == bytes.flatMap { Array(String(UnicodeScalar($0)).utf8) })
    let windows = String(decoding: try read(bytes, .windows1252, capacity), as: UTF8.self).unicodeScalars
    #expect(windows.count == bytes.count && Set(windows).count == bytes.count)
    #expect(windows.dropFirst().prefix(3).map(\.value) == [0x20AC, 0x81, 0x201A])
    #expect(windows.dropFirst(0x21).map(\.value) == (0xA0...0xFF).map { $0 })
  }

  @Test(arguments: [1, 2, 1000]) func brokenUTF16IsAnErrorOnce(capacity: Int) throws {
    for bad: [UInt8] in [[0x61], [0x00, 0xD8], [0x00, 0xDC], [0x00, 0xD8, 0x61, 0x00], [0x00, 0xD8, 0x00, 0xD8]] {
      #expect(throws: CommandError.self) { try read([0xFF, 0xFE, 0x0A, 0x00] + bad, .utf8, capacity) }
    }
    #expect(throws: CommandError.self) { try read([0x61, 0x00], .utf8, capacity) }
    #expect(throws: CommandError.self) { try read([0x00, 0x61], .utf8, capacity) }
  }

  @Test func shortInputIsComplete() throws {
    for bytes: [UInt8] in [[], [0x61], [0xEF], [0xEF, 0xBB], [0xFF], [0x00]] {
      #expect(try read(bytes, .utf8, 1) == bytes)
    }
    for mark: [UInt8] in [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]] { #expect(try read(mark, .utf8, 1) == []) }
  }
}
