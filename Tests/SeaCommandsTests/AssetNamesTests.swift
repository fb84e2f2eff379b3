import SeaCommands
import Testing

@Suite struct AssetNamesTests {
  @Test(arguments: [
    ("Wren 2026.jpg", "Wren 2026.jpg"), ("a/b", "a_b"), ("../x", "_.._x"), (".hidden", "_.hidden"), ("-rf", "_-rf"),
    ("a:b*c?", "a_b_c_"), ("end. ", "end"), ("", "_"), ("...", "_"), ("con", "_con"), ("COM1.txt", "_COM1.txt"),
    ("COMB", "COMB"), ("a\nb\u{7F}", "a_b_"), ("a\u{202E}b", "a_b"), ("Zürich", "Zürich"), ("~x", "_~x"),
  ])
  func nameIsSafeOnEverySystem(text: String, name: String) { #expect(AssetNames.safe(text) == name) }

  @Test func longNameIsCutBetweenCharacters() {
    let name = AssetNames.safe(String(repeating: "ü", count: 500))
    #expect(name.utf8.count <= 140 && name.allSatisfy { $0 == "ü" })
  }
}
