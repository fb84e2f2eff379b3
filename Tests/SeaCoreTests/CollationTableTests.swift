@_spi(_Unicode) import Swift
import Foundation
import Testing

/// `Sources/SeaCore/Bytes/CollationTable.swift` is generated from the Unicode data of the standard library.
/// `SEA_REGENERATE=1` writes it. A later version of the standard library gives the same table, because only characters
/// of Unicode 17 are taken, whose decompositions and case never change.
@Suite struct CollationTableTests {
  private static let version = 17
  private static let upperHalf = UInt64(1) << 63

  /// Letters that are sorted beside others. They have no decomposition in Unicode; in the default collation of Unicode,
  /// they differ from these letters only by a mark, or follow them.
  private static let beside: [(letter: Unicode.Scalar, letters: String)] = [
    ("ß", "ss"), ("æ", "ae"), ("ð", "d"), ("ø", "o"), ("þ", "th"), ("đ", "d"), ("ħ", "h"), ("ı", "i"), ("ĳ", "ij"),
    ("ł", "l"), ("ŋ", "n"), ("œ", "oe"), ("ŧ", "t"), ("ﬀ", "ff"), ("ﬁ", "fi"), ("ﬂ", "fl"), ("ﬃ", "ﬀi"), ("ﬄ", "ﬀl"),
    ("ﬆ", "st"),
  ]

  /// Combining characters that are letters for readers: the signs of vowels, and the virama.
  private static let letterClasses: Set<UInt8> = [0, 9, 84, 91, 103, 118, 129, 130, 132]

  private static func isKnown(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.age.map { $0.major <= version } ?? false
  }

  private static func single(_ text: String) -> Unicode.Scalar? {
    let scalars = text.unicodeScalars
    return scalars.count == 1 && isKnown(scalars.first!) ? scalars.first : nil
  }

  /// The simple case folding of CaseFolding.txt (C and S), except that Cherokee becomes lower case, and marks stay.
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "\u{131}", "\u{345}": return scalar
    case "\u{FB05}": return "\u{FB06}"
    default:
      let upper = single(scalar.properties.uppercaseMapping) ?? scalar
      return single(upper.properties.lowercaseMapping) ?? upper
    }
  }

  private static func row(_ first: Unicode.Scalar, _ second: UInt32, _ third: UInt32) -> UInt64 {
    UInt64(first.value) << 42 | UInt64(second) << 21 | UInt64(third)
  }

  @Test func tableIsThatOfUnicode17() throws {
    var folds: [(first: Unicode.Scalar, last: Unicode.Scalar, to: Unicode.Scalar, step: UInt32)] = []
    var marks: [(first: Unicode.Scalar, last: Unicode.Scalar, markClass: UInt8)] = []
    var decomposed: [(scalar: Unicode.Scalar, parts: [Unicode.Scalar])] = []
    // Ideographs and Hangul have neither case nor parts in this table.
    let ranges: [ClosedRange<UInt32>] = [0x80...0x33FF, 0xA000...0xABFF, 0xE000...0x1_FFFF]
    for scalar in ranges.joined().compactMap(Unicode.Scalar.init) where CollationTableTests.isKnown(scalar) {
      let to = CollationTableTests.folded(scalar)
      if to != scalar {
        let step = folds.last.map { scalar.value - $0.last.value } ?? 0
        if let last = folds.last, step == 1 || step == 2, last.step == 0 || last.step == step,
          to.value &- scalar.value == last.to.value &- last.first.value
        {
          folds[folds.count - 1].last = scalar
          folds[folds.count - 1].step = step
        } else {
          folds.append((scalar, scalar, to, 0))
        }
      }
      let markClass = scalar.properties.canonicalCombiningClass.rawValue
      if !CollationTableTests.letterClasses.contains(markClass) {
        if let last = marks.last, last.last.value + 1 == scalar.value, last.markClass == markClass {
          marks[marks.count - 1].last = scalar
        } else {
          marks.append((scalar, scalar, markClass))
        }
      }
      let parts = String(Character(scalar))._nfd.map(CollationTableTests.folded)
      // й is a letter of its own in Russian and its neighbors.
      if parts.count > 1, to == scalar, scalar != "й" { decomposed.append((scalar, parts)) }
    }
    var parts = try decomposed.map { scalar, parts in
      let first =
        parts.count == 2 ? parts[0] : try #require(decomposed.first { $0.parts == Array(parts.dropLast()) }).scalar
      return CollationTableTests.row(scalar, first.value, parts.last!.value)
    }
    for (letter, letters) in CollationTableTests.beside {
      let letters = letters.unicodeScalars.map(\.value)
      let second = letters.count > 1 ? letters[1] : 0
      parts.append(CollationTableTests.row(letter, letters[0], second) | CollationTableTests.upperHalf)
    }
    parts.sort { $0 & ~CollationTableTests.upperHalf < $1 & ~CollationTableTests.upperHalf }

    let source = """
      // CollationTableTests writes this file: SEA_REGENERATE=1 swift test --filter CollationTableTests
      // swift-format-ignore-file

      /// The data of Unicode \(CollationTableTests.version) that `Collation` uses. Each row has three fields of 21 bits, and is
      /// sorted by the first.
      enum CollationTable {
        /// The first and the last character of a range, and the character without case that replaces the first. If the
        /// highest bit is set, every second character of the range does not change.
        static let folds: [UInt64] = [
      \(list(folds.map { row($0.first, $0.last.value, $0.to.value) | ($0.step == 2 ? upperHalf : 0) }))
        ]

        /// A character, and the two that replace it; the second is 0 if there is only one. If the highest bit is set, the
        /// character is not equal to these, but sorted beside them.
        static let parts: [UInt64] = [
      \(list(parts))
        ]

        /// The first and the last character of a range of marks, and their combining class.
        static let marks: [UInt64] = [
      \(list(marks.map { row($0.first, $0.last.value, UInt32($0.markClass)) }))
        ]
      }

      """
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/SeaCore/Bytes/CollationTable.swift").standardized
    if ProcessInfo.processInfo.environment["SEA_REGENERATE"] == "1" {
      try source.write(to: file, atomically: true, encoding: .utf8)
    }
    let isSame = try String(contentsOf: file, encoding: .utf8) == source
    #expect(isSame, "the table is stale: SEA_REGENERATE=1 swift test --filter CollationTableTests")
  }

  private func row(_ first: Unicode.Scalar, _ second: UInt32, _ third: UInt32) -> UInt64 {
    CollationTableTests.row(first, second, third)
  }

  private var upperHalf: UInt64 { CollationTableTests.upperHalf }

  private func list(_ rows: [UInt64]) -> String {
    var lines: [String] = []
    for row in rows {
      let text = "0x" + String(row, radix: 16, uppercase: true) + ","
      if let last = lines.last, last.count + text.count < 119 {
        lines[lines.count - 1] += " " + text
      } else {
        lines.append("    " + text)
      }
    }
    return lines.joined(separator: "\n")
  }
}
