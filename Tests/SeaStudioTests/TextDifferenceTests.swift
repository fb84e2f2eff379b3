import SeaStudio
import Testing

@Suite struct TextDifferenceTests {
  @Test func wordsAreCompared() {
    #expect(
      TextDifference(from: "two adults fly west", to: "two adults swim west").parts
        == [.same("two adults "), .removed("fly"), .added("swim"), .same(" west")])
    #expect(
      TextDifference(from: "a light wind", to: "a very strong wind").parts
        == [.same("a "), .removed("light"), .added("very strong"), .same(" wind")])
    #expect(
      TextDifference(from: "Two adults were here", to: "One adult was here").parts
        == [.removed("Two adults were"), .added("One adult was"), .same(" here")])
    #expect(TextDifference(from: "", to: "new").parts == [.added("new")])
    #expect(TextDifference(from: "old", to: "").parts == [.removed("old")])
    #expect(TextDifference(from: "same", to: "same").parts == [.same("same")])
    #expect(TextDifference(from: "", to: "").parts.isEmpty)
  }

  @Test func partsMakeUpBothTexts() {
    let words = ["heron", "wren", " ", "\n", "<b>", "of", "\u{202E}"]
    var chance = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let (old, new) = (
        (0..<9).map { _ in words.randomElement(using: &chance)! }.joined(),
        (0..<9).map { _ in words.randomElement(using: &chance)! }.joined()
      )
      let difference = TextDifference(from: old, to: new)
      var (before, after) = ("", "")
      for part in difference.parts {
        switch part {
        case .same(let text): (before, after) = (before + text, after + text)
        case .removed(let text): before += text
        case .added(let text): after += text
        }
      }
      #expect(before == old && after == new)
    }
  }

  @Test func newTextHasMarksForNewWordsOnly() {
    let marked = TextDifference(from: "Old mill", to: "Lower mill (ruin)").newHTML
    #expect(marked.source == "<mark>Lower</mark> mill<mark> (ruin)</mark>")
    #expect(TextDifference(from: "Fibula with pin", to: "Fibula, gilt").newHTML.source == "Fibula<mark>, gilt</mark>")
    #expect(TextDifference(from: "Old mill", to: "New house").newHTML.source == "New house")
  }

  @Test func markupInTextsIsText() {
    let html = TextDifference(from: "a <i>x</i>", to: "a <script>y</script>").html.source
    #expect(html.contains("<ins>") && !html.contains("<script>") && !html.contains("<i>"))
  }

  @Test func longTextsAreComparedQuickly() {
    let old = Array(repeating: "word", count: 20_000).joined(separator: " ")
    let new = old.replacing("word", with: "other")
    #expect(TextDifference(from: old, to: new).parts.count <= 3)
  }
}
