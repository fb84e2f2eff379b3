import SeaCore
import Testing

@Suite struct FingerprintTests {
  private let words = FingerprintWords(
    key: [UInt8](repeating: 3, count: 32), exchange: [UInt8](repeating: 5, count: 32))

  @Test func wordListIsTheBIP39List() {
    let file = WordList.text.map { $0 == 0x20 ? 0x0A : $0 } + [0x0A]
    #expect(
      SHA256.hash(file).description == "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda")
    #expect(WordList.word(0) == "abandon")
    #expect(WordList.word(WordList.count - 1) == "zoo")
    #expect(WordList.word(WordList.count).isEmpty)
  }

  @Test func wordsAreFoundByFirstFourLetters() {
    for number in stride(from: 0, to: WordList.count, by: 89) {
      let word = WordList.word(number)
      #expect(WordList.number(word) == number)
      #expect(WordList.number(String(word.prefix(4))) == number)
      #expect(WordList.number(word + "x") == nil)
      if word.count > 4 { #expect(WordList.number(String(word.prefix(3))) != number) }
    }
    #expect(WordList.number("act") != WordList.number("acti"))
    #expect(WordList.number("") == nil)
    #expect(WordList.number("zo") == nil)
  }

  /// Worked out apart, with hashlib.
  @Test func fingerprintHasEightKnownWords() {
    #expect(words.description == "fringe type special life  boil daughter turtle foam")
    #expect(words.numbers.count == FingerprintWords.count)
    #expect(
      words != FingerprintWords(key: [UInt8](repeating: 5, count: 32), exchange: [UInt8](repeating: 3, count: 32)))
  }

  @Test func typedWordsAreNormalizedAndChecked() throws {
    for text in [
      words.description, "fringe type special life boil daughter turtle foam",
      "  Frin\tTYPE spec life\nboil   daug turt foam ", "FRINGE TYPE SPECIAL LIFE BOIL DAUGHTER TURTLE FOAM",
    ] {
      #expect(try FingerprintWords(typed: text) == words)
    }
    #expect(try FingerprintWords(typed: "type fringe special life boil daughter turtle foam") != words)
    #expect(throws: CoreError.badFingerprint(.wordCount(4))) {
      try FingerprintWords(typed: "fringe type special life")
    }
    #expect(throws: CoreError.badFingerprint(.wordCount(0))) { try FingerprintWords(typed: "") }
    #expect(throws: CoreError.badFingerprint(.wordCount(9))) {
      try FingerprintWords(typed: words.description + " foam")
    }
    for wrong in ["fri", "fringes", "fr1nge", "fringé", "frinx"] {
      #expect(throws: CoreError.badFingerprint(.unknownWord(wrong))) {
        try FingerprintWords(typed: "\(wrong) type special life boil daughter turtle foam")
      }
    }
  }
}
