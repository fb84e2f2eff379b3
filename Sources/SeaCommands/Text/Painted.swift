import SeaEngine

/// Text with colored parts. Text and colors are kept separate until they are printed, so that no text can act as a
/// color code.
///
///     let line: Painted = "\(revision, .revision)  \(label)"
package struct Painted: Equatable, Sendable, ExpressibleByStringInterpolation {
  package struct Span: Equatable, Sendable {
    package var text: String
    package let slot: ColorSlot?
  }

  package private(set) var spans: [Span] = []

  package init(_ text: String, _ slot: ColorSlot? = nil) { add(text, slot) }

  package init(stringLiteral text: String) { add(text, nil) }

  package init(stringInterpolation text: StringInterpolation) { self = text.painted }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var painted = Painted("")

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) { painted.add(text, nil) }

    package mutating func appendInterpolation(_ value: some CustomStringConvertible, _ slot: ColorSlot? = nil) {
      painted.add(value.description, slot)
    }

    package mutating func appendInterpolation(_ other: Painted) { painted += other }
  }

  package var text: String { spans.count == 1 ? spans[0].text : spans.map(\.text).joined() }

  private mutating func add(_ text: String, _ slot: ColorSlot?) {
    if text.isEmpty { return }
    if let last = spans.last, last.slot == slot {
      spans[spans.count - 1].text += text
    } else {
      spans.append(Span(text: text, slot: slot))
    }
  }

  /// Breaks the text between words. Later lines are indented at least as far as the first. Long words are never broken,
  /// nor are commands that fit on a line, because users may copy them.
  package func wrapped(to width: Int, indent: Int) -> [Painted] {
    guard TextWidth.of(text) > width else { return [self] }
    let longest = text.split(separator: " ").map { TextWidth.of(String($0)) }.max() ?? 0
    let first = text.utf8.prefix { $0 == UInt8(ascii: " ") }.count
    let indent = max(0, min(max(indent, first), width - longest))
    var lines = [Painted("")]
    var used = 0
    for word in Painted.joiningCommands(words, upTo: width - indent) {
      let size = TextWidth.of(word.text.text)
      if used > indent, used + word.spaces + size > width {
        lines.append(Painted(String(repeating: " ", count: indent)))
        used = indent
      } else {
        lines[lines.count - 1] += Painted(String(repeating: " ", count: word.spaces))
        used += word.spaces
      }
      lines[lines.count - 1] += word.text
      used += size
    }
    return lines
  }

  private var words: [(spaces: Int, text: Painted)] {
    var words: [(spaces: Int, text: Painted)] = []
    var spaces = 0
    var isOpen = false
    for span in spans {
      for (k, part) in span.text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
        if k > 0 { (spaces, isOpen) = (isOpen ? 1 : spaces + 1, false) }
        if part.isEmpty { continue }
        if isOpen {
          words[words.count - 1].text += Painted(String(part), span.slot)
        } else {
          words.append((spaces, Painted(String(part), span.slot)))
          (spaces, isOpen) = (0, true)
        }
      }
    }
    return words
  }

  /// Joins each command into one word. A command begins with `sea` after a colon and ends before a comma or semicolon.
  private static func joiningCommands(
    _ words: [(spaces: Int, text: Painted)], upTo most: Int
  ) -> [(spaces: Int, text: Painted)] {
    var result: [(spaces: Int, text: Painted)] = []
    var k = 0
    while k < words.count {
      var (spaces, whole) = words[k]
      var end = k + 1
      if k > 0, whole.text == "sea", words[k - 1].text.text.hasSuffix(":") {
        while end < words.count, !whole.text.hasSuffix(";"), !whole.text.hasSuffix(",") {
          whole += Painted(String(repeating: " ", count: words[end].spaces)) + words[end].text
          end += 1
        }
        if TextWidth.of(whole.text) > most { (spaces, whole, end) = (words[k].spaces, words[k].text, k + 1) }
      }
      result.append((spaces, whole))
      k = end
    }
    return result
  }

  package static func += (left: inout Painted, right: Painted) {
    for span in right.spans { left.add(span.text, span.slot) }
  }

  package static func + (left: Painted, right: Painted) -> Painted {
    var both = left
    both += right
    return both
  }
}
