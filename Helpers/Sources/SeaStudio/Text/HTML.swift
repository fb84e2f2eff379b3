/// A piece of HTML. In an interpolated string, the literal parts are markup, and all interpolated strings are text. A
/// `String` cannot become markup, so text from a record cannot add an element.
///
///     let row: HTML = "<td>\(name)</td>"
package struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
  package private(set) var source: String

  package init(stringLiteral source: String) { self.source = source }
  package init(stringInterpolation parts: Interpolation) { source = parts.source }
  package init() { source = "" }

  package var isEmpty: Bool { source.isEmpty }
  package var bytes: [UInt8] { Array(source.utf8) }

  package static func + (a: HTML, b: HTML) -> HTML {
    var both = a
    both += b
    return both
  }

  package static func += (a: inout HTML, b: HTML) { a.source += b.source }

  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var source = ""

    package init(literalCapacity: Int, interpolationCount: Int) { source.reserveCapacity(literalCapacity * 2) }
    package mutating func appendLiteral(_ literal: String) { source += literal }

    /// Text between tags. Characters that cannot be seen appear as marks.
    package mutating func appendInterpolation(_ text: String) { Visible.append(text, to: &source) }
    package mutating func appendInterpolation(_ text: Substring) { Visible.append(String(text), to: &source) }
    package mutating func appendInterpolation(_ number: some BinaryInteger) { source += String(number) }
    package mutating func appendInterpolation(_ html: HTML) { source += html.source }
    package mutating func appendInterpolation(_ html: HTML?) { if let html { source += html.source } }
    package mutating func appendInterpolation(_ all: [HTML]) { for html in all { source += html.source } }
    /// The value of an attribute that a form sends back, with exactly these characters.
    package mutating func appendInterpolation(value text: String) { HTML.escape(text, into: &source) }
    /// The value of an attribute that people read, such as a title: characters that cannot be seen are spelled out.
    package mutating func appendInterpolation(label text: String) { HTML.escape(Visible.plain(text), into: &source) }
    package mutating func appendInterpolation(_ link: Link) { HTML.escape(link.text, into: &source) }
  }

  /// Escapes all characters that have a meaning in text or in a quoted attribute.
  fileprivate static func escape(_ text: String, into source: inout String) {
    if isPlain(text) {
      source += text
    } else {
      for scalar in text.unicodeScalars { append(scalar, to: &source) }
    }
  }

  /// Whether a text has only characters without a meaning in HTML, which can be seen. Most texts are like that.
  static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case 0x22, 0x26, 0x27, 0x3C, 0x3E: false
      default: (0x20...0x7E).contains(byte)
      }
    }
  }

  static func append(_ scalar: Unicode.Scalar, to source: inout String) {
    switch scalar {
    case "&": source += "&amp;"
    case "<": source += "&lt;"
    case ">": source += "&gt;"
    case "\"": source += "&quot;"
    case "'": source += "&#39;"
    // A parser changes these, so that a form would send back something else.
    case "\r": source += "&#13;"
    case "\n": source += "&#10;"
    case "\0": source += "\u{FFFD}"
    default: source.unicodeScalars.append(scalar)
    }
  }
}

extension Sequence<HTML> {
  package func joined(by separator: HTML) -> HTML {
    var all = HTML()
    for (k, html) in enumerated() {
      if k > 0 { all += separator }
      all += html
    }
    return all
  }
}
