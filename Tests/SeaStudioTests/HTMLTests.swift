import SeaStudio
import Testing

/// Text never becomes markup, and what cannot be seen is shown.
@Suite struct HTMLTests {
  @Test func interpolatedTextIsEscaped() {
    let text = "<script>alert('1')</script> & \"x\""
    let html: HTML = "<p title=\"\(label: text)\">\(text)</p>"
    #expect(
      html.source
        == "<p title=\"&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;x&quot;\">"
        + "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;x&quot;</p>")
  }

  @Test func htmlIsNotEscapedTwice() {
    let inner: HTML = "<b>\("a & b")</b>"
    let all: [HTML] = [inner, inner]
    #expect(("\(inner)\(all)" as HTML).source == String(repeating: "<b>a &amp; b</b>", count: 3))
    #expect(all.joined(by: ", ").source == "<b>a &amp; b</b>, <b>a &amp; b</b>")
  }

  @Test(arguments: [
    ("\u{202E}", "U+202E"), ("\u{0}", "U+0000"), ("\u{1B}", "U+001B"), ("\u{200B}", "U+200B"), ("\u{2066}", "U+2066"),
    ("\u{FEFF}", "U+FEFF"), ("\u{E0041}", "U+E0041"), ("\r", "U+000D"), ("\u{2028}", "U+2028"), ("a\u{200D}", "U+200D"),
  ]) func hiddenCharactersAreShown(character: String, code: String) {
    let html: HTML = "\(character)"
    #expect(html.source.contains(code) && html.source.contains("class=\"mark\""))
    #expect(("\(label: character)" as HTML).source.contains(code))
  }

  @Test(arguments: ["Zürich", "👩‍👩‍👧", "مرحبا", "नमस्ते", "a\tb\nc", "שלום"]) func ordinaryTextHasNoMarks(text: String) {
    #expect(("\(text)" as HTML).source == text)
  }

  @Test func longWordsCanBeBroken() {
    // In Swift, an accent after a tag is one character with the end of the tag.
    func breaks(_ html: HTML) -> Int { html.source.utf8.count { $0 == UInt8(ascii: "<") } }
    #expect(breaks("\("e" + String(repeating: "\u{301}", count: 1000))") == 5)
    #expect(breaks("\("ü " + String(repeating: "ü ", count: 1000))") == 0)
  }

  @Test func fieldsKeepTheirExactCharacters() {
    #expect(("\(value: "a\nb\r\u{202E}'")" as HTML).source == "a&#10;b&#13;\u{202E}&#39;")
  }

  @Test func addressesAreEncoded() {
    let link = Link("/record", [("id", "a b/<x>&\"ü"), ("rev", nil)])
    #expect(link.text == "/record?id=a%20b/%3Cx%3E%26%22%C3%BC")
    #expect(Percent.decoded(link.text.dropFirst(11)) == "a b/<x>&\"ü")
    #expect(Percent.decoded("%") == nil && Percent.decoded("%ff") == nil)
    #expect(Parameters("a=1&b=%C3%BC+x&a=2")?.values("a") == ["1", "2"])
    #expect(Parameters("a=%zz") == nil)
  }

  @Test(arguments: [
    ("plain/id-1", "plain/id-1"), ("it's", #"'it'\''s'"#), ("a b", "'a b'"), ("", "''"), ("$(rm)", "'$(rm)'"),
    ("\u{202E}x", #""$(printf '\342\200\256x')""#), ("a\nb%", #""$(printf 'a\012b%%')""#),
    ("a\tb", #""$(printf 'a\011b')""#),
  ]) func commandsAreQuoted(word: String, quoted: String) {
    #expect(CommandText("get", word).text == "sea get \(quoted)")
  }
}
