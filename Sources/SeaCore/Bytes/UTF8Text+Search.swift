// What the compiler brings along for these has an engine for regular expressions with it, a twentieth of the program: see SourceTests.

extension Collection<UInt8> {
  /// Where other bytes stand first; nil if nowhere, or if there are none. O(n · m).
  package func firstPlace(of bytes: some Collection<UInt8>) -> Range<Index>? {
    guard let first = bytes.first else { return nil }
    var rest = self[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: bytes) { return start..<index(start, offsetBy: bytes.count) }
      rest = rest.dropFirst()
    }
    return nil
  }
}

extension StringProtocol {
  /// Where the bytes of a text stand first; nil if nowhere, or if it has none. O(n · m).
  package func firstPlace(of text: String) -> Range<Index>? { utf8.firstPlace(of: text.utf8) }

  /// Whether the bytes of a text, which has some, stand in it.
  package func holds(_ text: String) -> Bool { firstPlace(of: text) != nil }

  /// What stands before, between and behind the places of a text, with nothing left out.
  package func parts(between text: String) -> [SubSequence] {
    var parts: [SubSequence] = []
    var rest = self[...]
    while let place = rest.firstPlace(of: text) {
      parts.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return parts + [rest]
  }

  /// The same with another text in each place of one.
  package func replacing(every text: String, by other: String) -> String {
    parts(between: text).joined(separator: other)
  }
}
