import SeaCore
import SeaTestSupport
import Testing

/// The merge of texts by lines. The vectors compare it with a second program.
@Suite struct TextMergeTests {
  private func merge(_ base: String, _ ours: String, _ theirs: String) -> String? {
    let merge = TextMerge(base: Array(base.utf8), ours: Array(ours.utf8), theirs: Array(theirs.utf8))
    return merge.text.map { String(decoding: $0, as: UTF8.self) }
  }

  private func text(_ random: inout SeededRandom) -> [String] {
    (0..<Int.random(in: 0...8, using: &random)).map { _ in
      ["a\n", "b\n", "\n", "\u{E9}\n", "a\r\n"].randomElement(using: &random)!
    }
  }

  private func edited(_ lines: [String], _ random: inout SeededRandom) -> String {
    var lines = lines
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let at = Int.random(in: 0...lines.count, using: &random)
      if at < lines.count, Bool.random(using: &random) { lines.remove(at: at) }
      if Bool.random(using: &random) { lines.insert(["x\n", "y\n", "a\n"].randomElement(using: &random)!, at: at) }
    }
    return lines.joined() + ["", "", "end"].randomElement(using: &random)!
  }

  @Test(arguments: TestSeed.some(20)) func mergeIsSymmetricAndTakesChangedSide(seed: UInt64) {
    var random = SeededRandom(seed)
    var merged = 0
    for _ in 0..<500 {
      let base = text(&random)
      let (ours, theirs) = (edited(base, &random), edited(base, &random))
      let before = base.joined()
      let result = merge(before, ours, theirs)
      #expect(result == merge(before, theirs, ours))
      #expect(merge(before, before, theirs) == theirs && merge(before, ours, before) == ours)
      #expect(merge(before, ours, ours) == ours)
      if let result, result != ours, result != theirs, ours != before, theirs != before { merged += 1 }
    }
    #expect(merged > 10)
  }

  /// Each line that only one side added is in the result, and no line that one side removed.
  @Test(arguments: TestSeed.some(20)) func noEditIsLost(seed: UInt64) {
    var random = SeededRandom(seed)
    var merged = 0
    for _ in 0..<200 {
      let base = (0..<20).map { "\($0)\n" }
      var sides = [base, base]
      for k in 0..<2 {
        sides[k].remove(at: Int.random(in: 0..<20, using: &random))
        sides[k].insert("new \(k)\n", at: Int.random(in: 0...19, using: &random))
      }
      guard let result = merge(base.joined(), sides[0].joined(), sides[1].joined()) else { continue }
      let lines = result.split(separator: "\n").map { "\($0)\n" }
      let kept = base.filter { sides[0].contains($0) && sides[1].contains($0) }
      #expect(lines.filter { !$0.hasPrefix("new") } == kept)
      #expect(Set(lines) == Set(kept + ["new 0\n", "new 1\n"]) && lines.count == kept.count + 2)
      merged += 1
    }
    #expect(merged > 10)
  }

  /// Only the lines between the common ones are compared.
  @Test func aLongTextWithFewChangesIsMerged() {
    let many = (0..<100_000).map { "\($0)\n" }.joined()
    #expect(merge(many + "a\nb\nc\n", "x\n" + many + "a\nb\nc\n", many + "a\nb\nd\n") == "x\n" + many + "a\nb\nd\n")
    #expect(merge(many, "", many + "x\n") == nil)
    #expect(merge(many, many + "x\n", "y\n" + many) == "y\n" + many + "x\n")
  }
}
