import SeaCommands
import SeaCore
import SeaTestSupport
import Testing

@Suite struct ConflictCellsTests {
  private func shown(_ texts: [String?]) -> [String] {
    ConflictCells.texts(texts.map { $0.map { Value.string($0) } })
  }

  @Test func shortTextsAreShownWhole() {
    #expect(
      shown(["the same beginning, one", "the same beginning, two"]) == [
        "the same beginning, one", "the same beginning, two",
      ])
    #expect(shown([nil, "x"]) == ["-", "x"])
  }

  @Test func longTextsStartNearFirstDifference() {
    let long = String(repeating: "the quick brown fox ", count: 50)
    #expect(shown([long + "jumps", long + "sleeps", nil]) == ["…own fox jumps", "…own fox sleeps", "-"])
    // One that ends there.
    #expect(shown([long, long + "jumps"]) == ["…own fox ", "…own fox jumps"])
    // What parts early is cut at its end.
    #expect(shown(["a" + long, "b" + long])[0].hasPrefix("athe quick"))
    // One text is nothing to part from.
    #expect(shown([long, long])[0].hasPrefix("the quick"))
    #expect(shown([long])[0].hasPrefix("the quick"))
  }

  @Test func charactersAreNeverSplit() {
    // é and è, and their second bytes: U+00E9 and U+00E8, C3 A9 and C3 A8.
    let long = String(repeating: "ü", count: 60)
    #expect(shown([long + "é", long + "è"]) == ["…üüüüüüüüé", "…üüüüüüüüè"])
    #expect(shown([long + "é", long + "\u{1F600}"]) == ["…üüüüüüüüé", "…üüüüüüüü\u{1F600}"])
  }

  @Test(arguments: TestSeed.some(20)) func differentTextsLookDifferent(seed: UInt64) {
    var random = SeededRandom(seed)
    for _ in 0..<50 {
      let length = Int.random(in: 0..<200, using: &random)
      var texts = [String](repeating: String(repeating: "ab", count: length), count: 3)
      for k in texts.indices {
        texts[k] += ["", "x", "éa", "\u{301}", "yy"].randomElement(using: &random)! + String(repeating: "z", count: 60)
      }
      let told = shown(texts)
      for (a, b) in zip(texts, told) {
        for (c, d) in zip(texts, told) where a.unicodeScalars.elementsEqual(c.unicodeScalars) == false {
          #expect(b.unicodeScalars.elementsEqual(d.unicodeScalars) == false, "\(a) \(c)")
        }
      }
    }
  }

  @Test func arraysAndLabelsShowTheirDifference() {
    let names = (0..<30).map { Value.integer(Int64($0)) }
    let cells = ConflictCells.texts([.array(names + [.integer(7)]), .array(names + [.integer(8)])])
    #expect(cells[0].hasSuffix("7]"))
    #expect(cells[1].hasSuffix("8]"))
    let long = Value.string(String(repeating: "x", count: 50) + "y")
    let labeled = Value.labeled(long, "note")
    let both = ConflictCells.texts([.string(String(repeating: "x", count: 60)), labeled])
    #expect(both[1] == "…xxxxxxxxy [note]")
  }
}
