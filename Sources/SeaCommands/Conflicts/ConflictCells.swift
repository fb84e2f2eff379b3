import SeaCore
import SeaEngine
import SeaWords

/// What is shown of the values that stand beside each other: where they begin alike and are long, each from a little before the
/// place where they part, so that values that differ look different.
package enum ConflictCells {
  /// Longer values are cut: the table is for seeing, `sea get` for reading.
  private static let widest = 40
  /// Scalars that are shown of what all begin with.
  private static let context = 8

  /// What is shown of each.
  package static func texts(_ values: [Value?]) -> [String] {
    let wholes = values.map { $0.map(whole) }
    let said = wholes.compactMap { $0 }
    let isCut = said.contains { TextWidth.of(beginning(of: $0[...])) > widest }
    // Bytes of UTF-8 that are left out of each.
    let left = isCut ? alike(said) : 0
    return zip(values, wholes).map { value, whole in
      guard let value, let whole else { return "-" }
      let start = whole.utf8.index(whole.startIndex, offsetBy: left, limitedBy: whole.endIndex) ?? whole.endIndex
      let shown = (left > 0 ? TextWidth.mark : "") + beginning(of: whole[start...])
      guard case .labelled(_, let semanticType) = value else { return TextWidth.cut(shown, to: widest) }
      return TextWidth.cut("\(shown) [\(Escape.shown(semanticType))]", to: widest)
    }
  }

  private static func whole(_ value: Value) -> String {
    switch value {
    case .string(let string): string
    case .counter(let counter): String(counter.value)
    case .set(let set): set.elements.map { beginning(of: whole($0)[...]) }.joined(separator: " ")
    case .labelled(let inner, _): whole(inner)
    default: value.summary ?? (try? value.json()) ?? "-"
    }
  }

  /// Of a large text the beginning will do.
  private static func beginning(of text: Substring) -> String {
    Escape.shown(String(String.UnicodeScalarView(text.unicodeScalars.prefix(16 * widest))))
  }

  /// What all begin with, less a few scalars of it; nothing if they are one text.
  private static func alike(_ texts: [String]) -> Int {
    guard let first = texts.first, texts.contains(where: { $0 != first }) else { return 0 }
    var most = first.utf8.count
    for text in texts.dropFirst() {
      var same = 0
      for (a, b) in zip(first.utf8, text.utf8) {
        guard same < most, a == b else { break }
        same += 1
      }
      most = same
    }
    var place = first.utf8.index(first.startIndex, offsetBy: most)
    // Scalars that begin with the same bytes are none that all have.
    while place < first.endIndex, first.utf8[place] & 0xC0 == 0x80 { place = first.utf8.index(before: place) }
    let shown = first.unicodeScalars.index(place, offsetBy: -context, limitedBy: first.startIndex) ?? first.startIndex
    return first.utf8.distance(from: first.startIndex, to: shown)
  }
}
