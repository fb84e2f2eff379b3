import SeaCore
import SeaTestSupport
import Testing

@Suite struct RecoveryWordsTests {
  @Test(arguments: Vector.all("recovery"))
  func typedWordsMatchVector(_ vector: Vector) throws {
    let read = Result { () throws(CoreError) in try RecoveryWords(typed: vector.text.joined(separator: "\n")) }
    switch read {
    case .success(let words):
      #expect(vector["expect"] == "ok")
      #expect(Hex.text(words.seed) == vector["seed"])
      let identity = try words.identity()
      #expect(Hex.text(identity.key) == vector["key"])
      #expect(identity.instance == vector.instance)
      #expect(Hex.text(identity.exchangeSeed) == vector["secret"])
      #expect(try Hex.text(identity.exchangeKey()) == vector["exchange"])
    case .failure(let error):
      #expect(vector["expect"] == "bad-words")
      #expect(error == .badRecovery)
    }
  }

  @Test(arguments: TestSeed.some(20)) func wordsAreReadAsWritten(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let words = RecoveryWords(seed: random.bytes(32))
    #expect(words.words.count == 24 && words.lines.count == 6)
    #expect(try RecoveryWords(typed: words.lines.joined(separator: "\n")).seed == words.seed)
  }
}
