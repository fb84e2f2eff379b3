import SeaCore
import SeaWords

/// HTML in the making. Whatever is not a literal of this program goes through `escape`.
package struct HTMLText {
  private(set) var text = ""

  /// Markup of this program's own.
  mutating func raw(_ markup: String) { text += markup + "\n" }

  /// Begins a part that scrolls by itself, and can have the focus for that.
  /// - Parameter fromEnd: whether its end is in sight first.
  mutating func region(_ label: String, fromEnd: Bool = false) {
    let kind = fromEnd ? "scroll end" : "scroll"
    raw("<div class=\"\(kind)\" tabindex=\"0\" role=\"region\" aria-label=\"\(HTMLText.escape(label))\">")
  }

  /// An element with text in it.
  mutating func element(_ tag: String, _ content: String, _ attributes: String = "") {
    raw("<\(tag)\(attributes.isEmpty ? "" : " " + attributes)>\(HTMLText.escape(content))</\(tag)>")
  }

  /// A row of a table; cells are markup.
  mutating func row(_ cells: [String], header: Bool = false, _ attributes: String = "") {
    let tag = header ? "th scope=\"col\"" : "td"
    let end = header ? "th" : "td"
    let inside = cells.map { "<\(tag)>\($0)</\(end)>" }.joined()
    raw("<tr\(attributes.isEmpty ? "" : " " + attributes)>\(inside)</tr>")
  }

  /// Text of others: no markup, no sign that steers anything, nothing that is no character, and no more than can be looked at.
  package static func escape(_ text: String, most: Int = 2000) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      if count > most { return result + "…" }
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case _ where scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value): result += "\u{FFFD}"
      case _ where (0x7F..<0xA0).contains(scalar.value): result += Escape.shown("\\x" + Escape.hex(scalar.value, 2))
      default:
        if let escaped = Escape.escaped(scalar) { result += escaped } else { result.unicodeScalars.append(scalar) }
      }
    }
    return result
  }
}
