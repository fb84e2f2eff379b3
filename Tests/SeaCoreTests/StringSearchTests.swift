import SeaCore
import SeaTestSupport
import Testing

@Suite struct StringSearchTests {
  @Test func searchComparesBytes() {
    #expect("a->b->c".firstPlace(of: "->").map { "a->b->c"[$0.upperBound...] } == "b->c")
    #expect("aab".firstPlace(of: "ab").map { "aab"[..<$0.lowerBound] } == "a")
    #expect("abc".firstPlace(of: "bd") == nil && "abc".firstPlace(of: "") == nil && "".firstPlace(of: "a") == nil)
    #expect("abcabd".containsText("abd") && !"abcabe".containsText("abd") && "a".containsText("a"))
    // A mark behind a letter makes another character of it, and other bytes of none.
    #expect("e\u{301}".containsText("e") && "\r\n".containsText("\n"))
    #expect(Substring("x://y").dropFirst(1).containsText("://") && !Substring("x://y").dropFirst(2).containsText("://"))
    #expect([1, 2, 3, 2, 3, 4].firstPlace(of: [2, 3, 4] as [UInt8]) == 3..<6)
  }

  @Test func splitAndReplaceFindEveryMatch() {
    #expect("a; b;c; ".parts(between: "; ") == ["a", "b;c", ""])
    #expect(
      "".parts(between: "; ") == [""] && "; ".parts(between: "; ") == ["", ""] && "a".parts(between: "") == ["a"])
    #expect("it's 's".replacing(every: "'", by: "'\\''") == "it'\\''s '\\''s")
    #expect("aaa".replacing(every: "aa", by: "b") == "ba" && "a".replacing(every: "", by: "b") == "a")
  }

  @Test(arguments: 0..<200) func searchSplitAndReplaceMatchStandardLibrary(seed: Int) {
    var random = SeededRandom(UInt64(seed))
    let text = String((0..<Int.random(in: 0..<30, using: &random)).map { _ in "ab;".randomElement(using: &random)! })
    let word = String((0...Int.random(in: 0..<3, using: &random)).map { _ in "ab;".randomElement(using: &random)! })
    #expect(text.firstPlace(of: word) == text.firstRange(of: word))
    #expect(text.parts(between: word) == text.split(separator: word, omittingEmptySubsequences: false))
    #expect(text.replacing(every: word, by: "xy") == text.replacing(word, with: "xy"))
  }
}
