/// Eight words that people can read aloud to compare an instance's keys.
///
/// The words encode the first 88 bits of SHA-256("sea words v1" ‖ Ed25519 key ‖ X25519 key). Each word encodes eleven
/// bits, the most significant first, as an index into the English word list of BIP-39.
package struct FingerprintWords: Hashable, Sendable, CustomStringConvertible {
  package static let count = 8
  package let numbers: [Int]

  package init(key: [UInt8], exchange: [UInt8]) {
    var hash = SHA256()
    hash.update("sea words v1")
    hash.update(key)
    hash.update(exchange)
    var bits: UInt64 = 0
    var held = 0
    var numbers: [Int] = []
    for byte in hash.digest().bytes.prefix(FingerprintWords.count * 11 / 8) {
      bits = bits << 8 | UInt64(byte)
      held += 8
      if held >= 11 {
        held -= 11
        numbers.append(Int(bits >> UInt64(held) & 0x7FF))
      }
    }
    self.numbers = numbers
  }

  /// Parses eight words in upper or lower case, separated by white space. The first four letters of each word are
  /// enough.
  package init(typed text: String) throws(CoreError) {
    let words = text.lowercased().split { $0.isWhitespace }
    guard words.count == FingerprintWords.count else { throw .badFingerprint(.wordCount(words.count)) }
    var numbers: [Int] = []
    for word in words {
      guard let number = WordList.number(String(word)) else { throw .badFingerprint(.unknownWord(String(word))) }
      numbers.append(number)
    }
    self.numbers = numbers
  }

  package var words: [String] { numbers.map { WordList.word($0) } }

  package var description: String {
    let words = words
    return words.prefix(4).joined(separator: " ") + "  " + words.dropFirst(4).joined(separator: " ")
  }
}
