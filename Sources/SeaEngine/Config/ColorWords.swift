/// A color described in git's words, stored as an escape sequence. The sequence consists only of numbers, so no
/// untrusted text can get into it.
package struct ColorWords: Equatable, Sendable {
  /// The text between `ESC [` and `m`; empty for the default color.
  package let codes: String

  private static let colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
  private static let attributes: [(name: String, on: Int, off: Int)] = [
    ("bold", 1, 22), ("dim", 2, 22), ("italic", 3, 23), ("ul", 4, 24), ("blink", 5, 25), ("reverse", 7, 27),
    ("strike", 9, 29),
  ]

  static let names = ["normal", "default"] + colors + colors.map { "bright" + $0 } + attributes.map(\.name)

  /// Parses attributes and up to two colors (text and background), separated by spaces. Returns nil for other words.
  package init?(_ text: String) {
    var (all, found) = ([String](), 0)
    for word in text.split(separator: " ").map({ $0.lowercased() }) {
      if let attribute = ColorWords.attribute(word) {
        all.append(String(attribute))
      } else if found < 2, let color = ColorWords.color(word, behind: found == 1) {
        found += 1
        if !color.isEmpty { all.append(color) }
      } else {
        return nil
      }
    }
    codes = all.joined(separator: ";")
  }

  private static func attribute(_ word: String) -> Int? {
    let isOff = word.hasPrefix("no")
    let name = isOff ? word.dropFirst(word.hasPrefix("no-") ? 3 : 2) : word[...]
    return attributes.first { $0.name == name }.map { isOff ? $0.off : $0.on }
  }

  private static func color(_ word: String, behind: Bool) -> String? {
    let base = behind ? 40 : 30
    if word == "normal" || word == "-1" { return "" }
    if word == "default" { return String(base + 9) }
    if let at = colors.firstIndex(of: word) { return String(base + at) }
    if word.hasPrefix("bright"), let at = colors.firstIndex(of: String(word.dropFirst(6))) {
      return String(base + 60 + at)
    }
    if let number = UInt8(word) { return "\(base + 8);5;\(number)" }
    return rgb(word).map { "\(base + 8);2;\($0.map(String.init).joined(separator: ";"))" }
  }

  private static func rgb(_ word: String) -> [Int]? {
    let digits = word.dropFirst()
    guard word.hasPrefix("#"), digits.utf8.count == 6 || digits.utf8.count == 3 else { return nil }
    let values = digits.compactMap(\.hexDigitValue)
    guard values.count == digits.utf8.count else { return nil }
    if values.count == 3 { return values.map { $0 * 17 } }
    return stride(from: 0, to: 6, by: 2).map { values[$0] * 16 + values[$0 + 1] }
  }
}

/// A part of the output whose color can be set with `color.SLOT`.
package enum ColorSlot: String, CaseIterable, Sendable {
  case heading
  case revision
  case old
  case new
  /// The winner, or an automatic resolution.
  case good
  case problem

  package var setting: String { "color.\(rawValue)" }

  package var standard: String {
    switch self {
    case .heading: "bold"
    case .revision: "yellow"
    case .old: "red"
    case .new, .good: "green"
    case .problem: "bold red"
    }
  }
}
