@_spi(_Unicode) import Swift
import SeaCore
import SeaTestSupport
import Testing

@Suite struct CollationTests {
  private func compare(_ a: String, _ b: String) -> Int {
    Array(a.utf8).withUnsafeBufferPointer { a in Array(b.utf8).withUnsafeBufferPointer { Collation.compare(a, $0) } }
  }

  private func key(_ text: String) -> [UInt8] { Array(text.utf8).withUnsafeBufferPointer(Collation.key) }

  private func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  private func matches(_ text: String, _ pattern: String, escape: Unicode.Scalar? = nil) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer { text in
      Array(pattern.utf8).withUnsafeBufferPointer { Collation.matches(text, like: $0, escape: escape?.value) {} }
    }
  }

  @Test(arguments: [
    ["apfel", "Apfel", "äpfel", "Äpfel", "Apfelbaum", "Zebra", "zoo"],
    ["Öl", "olaf", "öz", "Oz1"], ["ea", "Éa", "eb", "éb"], ["Strasse", "Straße", "Strassen", "Straßen", "Strast"],
    ["aäb", "äab", "ab"], ["o", "ó", "ö", "ø", "oe", "œ", "of"], ["Ada", "Æda", "Afra"], ["lodz", "łódź", "Lodz1"],
    ["ёж", "еж1", "Ель", "иод", "июль", "йод", "к"], ["가나", "각", "나"],
    ["", " ", "1", "10", "9", "a", "z", "я"], ["i", "I", "İ", "ı", "j"], ["ΑΒ", "άγ", "αδ", "β"],
    ["a b", "a_b", "ab", "aB"], ["a", "a\0", "a\u{1}", "a\u{2}", "a\u{3}", "a "],
  ]) func listsAreSorted(list: [String]) {
    let sorted = list.sorted { key($0).lexicographicallyPrecedes(key($1)) }
    #expect(sorted == list)
  }

  @Test func caseAndEncodingOfLettersDoNotMatterForEquality() {
    for (a, b) in [
      ("Öz", "öZ"), ("É", "e\u{301}"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("ЖЁЛУДЬ", "жёлудь"), ("ẞ", "ß"), ("ǅ", "Ǆ"), ("K", "K"),
      ("각", "\u{1100}\u{1161}\u{11A8}"), ("각", "가\u{11A8}"), ("й", "И\u{306}"), ("ệ", "ê\u{323}"), ("Ꭰ", "ꭰ"),
      ("ᾂ", "α\u{313}\u{300}\u{345}"), ("𐐀", "𐐨"), ("", ""),
    ] { #expect(compare(a, b) == 0, "\(a) \(b)") }
    for (a, b) in [
      ("ß", "ss"), ("ø", "o"), ("o", "ö"), ("i", "ı"), ("æ", "ae"), ("и", "й"), ("가", "각"),
      ("a\u{308}\u{301}", "a\u{301}\u{308}"),
    ] {
      #expect(compare(a, b) != 0 && compare(a, b) == -compare(b, a), "\(a) \(b)")
    }
  }

  /// Letters with and without case and marks, marks of several classes, Hangul, controls and emoji.
  private static let letters: [Unicode.Scalar] =
    Array("aAbsSzoOöÖøØßẞœŒæıIiİéÉêệſKк иИйЙёЁσςΣάΆᾂᾊ가각ÅÅ _[1".unicodeScalars)
    + [
      "\u{301}", "\u{308}", "\u{323}", "\u{306}", "\u{345}", "\u{1100}", "\u{1161}", "\u{11A8}", "\0", "\u{1}", "\u{2}",
      "\u{1F600}", "\u{10400}", "\u{10428}", "中", "\u{13A0}", "\u{AB70}",
    ]

  private func text(_ random: inout SeededRandom) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      text.append(CollationTests.letters.randomElement(using: &random)!)
    }
    return String(text)
  }

  /// The decomposed text without case, as the standard library gives it.
  private func plain(_ text: String) -> [Unicode.Scalar] {
    var folded = String.UnicodeScalarView()
    for scalar in text._nfd { folded.append(CollationTableTests.folded(scalar)) }
    return Array(String(folded)._nfd)
  }

  /// The other case of some characters.
  private func recased(_ text: String, _ random: inout SeededRandom) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let folded = CollationTableTests.folded(scalar)
      let twins = CollationTests.letters.filter { CollationTableTests.folded($0) == folded }
      result.append(twins.randomElement(using: &random) ?? scalar)
    }
    return String(result)
  }

  @Test(arguments: 0..<20) func orderIsTotalAndIgnoresCase(seed: Int) {
    var random = SeededRandom(UInt64(seed))
    for _ in 0..<200 {
      let start = text(&random)
      let (a, b, c) = (start + text(&random), start + text(&random), text(&random))
      #expect(compare(a, b) == -compare(b, a))
      #expect((compare(a, b) == 0) == (plain(a) == plain(b)), "\(a) \(b)")
      if compare(a, b) <= 0, compare(b, c) <= 0 { #expect(compare(a, c) <= 0, "\(a) \(b) \(c)") }
      // Keys are one order, so they prove transitivity; both orders agree.
      let keys = order(key(a), key(b))
      #expect((keys == 0) == a.utf8.elementsEqual(b.utf8))
      if compare(a, b) != 0 { #expect(keys == compare(a, b), "\(a) \(b)") }
      let twin = recased(a, &random)
      #expect(compare(a, twin) == 0 && compare(twin, b) == compare(a, b), "\(a) \(twin)")
      #expect(matches(a, twin) && matches(b + a, "%" + twin) && matches(a + b, twin + "%"), "\(a) \(twin)")
    }
  }

  /// No character decomposes into more parts than there is room for.
  @Test func everyCharacterAndManyMarksHaveAKey() {
    var bytes: [UInt8] = []
    for number in UInt32(1)...0x10_FFFF {
      guard let scalar = Unicode.Scalar(number) else { continue }
      bytes.removeAll(keepingCapacity: true)
      bytes += UTF8.encode(scalar)!
      let isFound = bytes.withUnsafeBufferPointer { Collation.key($0).isEmpty || Collation.compare($0, $0) != 0 }
      if isFound { Issue.record("U+\(String(number, radix: 16))") }
    }
    for mark in ["\u{301}", "\u{345}", "\u{1D165}", "\u{F71}\u{F72}"] {
      let text = "a" + String(repeating: mark, count: 100)
      #expect(key(text) == key(text) && compare(text, text + mark) < 0)
    }
  }

  @Test func bytesThatAreNotUTF8ComeLast() {
    func key(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBufferPointer(Collation.key) }
    let odd: [[UInt8]] = [
      [0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF5], [0xFF],
    ]
    let last = key(Array("\u{10FFFF}".utf8))
    for one in odd {
      #expect(order(last, key(one)) < 0 && key(one) == key(one))
      #expect(one.withUnsafeBufferPointer { Collation.matches($0, like: $0) {} })
      for other in odd where other != one { #expect(key(one) != key(other)) }
    }
  }

  @Test func patternsMatchAsInSQL() {
    for (text, pattern) in [
      ("Öz", "öz"), ("Müller", "mÜ%"), ("Müller", "m_ller"), ("Müller", "%ü%R"), ("", "%"), ("a", "_"), ("😀", "_"),
      ("abcabd", "%ab%d"), ("aaa", "%a"), ("ΟΔΟΣ", "οδος"), ("100%", "100%"), ("ÉÉ", "%é"), ("x", "%%x%"),
    ] { #expect(matches(text, pattern), "\(text) \(pattern)") }
    for (text, pattern) in [
      ("Öz", "oz"), ("Müller", "m__ller"), ("", "_"), ("a", ""), ("abc", "%ab"), ("ab", "abc"), ("ß", "ss"),
      ("ab", "b%"),
      ("e\u{301}", "_"),
    ] { #expect(!matches(text, pattern), "\(text) \(pattern)") }
    #expect(matches("50%", "50!%", escape: "!") && !matches("500", "50!%", escape: "!"))
    #expect(matches("a_b", "a\\_b", escape: "\\") && !matches("axb", "a\\_b", escape: "\\"))
    #expect(!matches("a%", "%", escape: "%") && matches("a%", "a%%", escape: "%") && !matches("a", "a!", escape: "!"))
    #expect(matches("üxü", "üXü", escape: "ö") && matches("x%", "xö%", escape: "ö"))
  }

  @Test func patternsEndAfterLinearlyManySteps() {
    let text = String(repeating: "a", count: 20_000)
    #expect(!matches(text, String(repeating: "%a", count: 40) + "%b"))
  }
}
