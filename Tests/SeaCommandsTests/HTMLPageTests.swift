import SeaCommands
import Testing

/// What others wrote is text in a page, whatever it is.
@Suite struct HTMLPageTests {
  @Test func foreignTextIsEscaped() {
    let shown = "&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;"
    #expect(HTMLText.escape("<script>alert('\"&')</script>") == shown)
    #expect(HTMLText.escape("a\u{202E}b\u{0}c\u{1B}") == "a\\u202eb\\x00c\\x1b")
    // What XML has no place for.
    for code in [0xFFFF, 0xFDD0, 0x1FFFE] as [UInt32] {
      #expect(Unicode.Scalar(code).map { HTMLText.escape(String($0)) } == "\u{FFFD}")
    }
    #expect(HTMLText.escape("\u{85}") == "\\x85")
    #expect(HTMLText.escape("grün 🐦") == "grün 🐦")
    #expect(HTMLText.escape(String(repeating: "x", count: 50), most: 10) == "xxxxxxxxxx…")
  }

  @Test func styleSheetLoadsNoResources() {
    for word in ["url(", "@import", "//", "expression", "</"] { #expect(!PageStyle.text.contains(word), "\(word)") }
    #expect(PageStyle.text.contains("prefers-color-scheme: dark"))
  }
}
