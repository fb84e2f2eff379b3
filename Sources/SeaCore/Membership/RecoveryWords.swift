/// The recovery key as 24 words from BIP-39's English word list. The words encode the 256 bits of an Ed25519 seed and
/// the first 8 bits of its SHA-256 digest, eleven bits per word, the most significant first.
package struct RecoveryWords: Sendable {
  package static let count = 24
  package let seed: [UInt8]

  /// - Parameter seed: 32 random bytes.
  package init(seed: [UInt8]) {
    precondition(seed.count == 32)
    self.seed = seed
  }

  /// Parses typed words by the same rules as `FingerprintWords`.
  /// - Throws: `badRecovery` if there are not 24 words, a word is not in the list, or the checksum is wrong.
  package init(typed text: String) throws(CoreError) {
    let words = text.lowercased().split { $0.isWhitespace }
    guard words.count == RecoveryWords.count else { throw .badRecovery }
    var bytes: [UInt8] = []
    var (bits, held) = (0, 0)
    for word in words {
      guard let number = WordList.number(String(word)) else { throw .badRecovery }
      bits = (bits << 11 | number) & 0x7_FFFF
      held += 11
      while held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> held))
      }
    }
    let seed = Array(bytes.prefix(32))
    guard bytes[32] == SHA256.hash(seed).bytes[0] else { throw .badRecovery }
    self.seed = seed
  }

  package var words: [String] {
    var words: [String] = []
    var (bits, held) = (0, 0)
    for byte in seed + [SHA256.hash(seed).bytes[0]] {
      bits = (bits << 8 | Int(byte)) & 0x7_FFFF
      held += 8
      guard held >= 11 else { continue }
      held -= 11
      words.append(WordList.word(bits >> held & 0x7FF))
    }
    return words
  }

  package var lines: [String] {
    let words = words
    return stride(from: 0, to: words.count, by: 4).map { words[$0..<$0 + 4].joined(separator: " ") }
  }

  package func identity() throws(CoreError) -> Identity {
    try Identity(
      signingSeed: seed, exchangeSeed: HKDF.key(seed, info: Array("sea recovery exchange v1".utf8)))
  }
}
