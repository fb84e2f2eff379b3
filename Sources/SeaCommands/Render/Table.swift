/// A table for people: columns padded to their widest cell, lines cut to the terminal's width.
///
/// The widths come from the first rows; later rows are printed as they come, so that memory stays bounded. A cell that is longer than a line
/// of text moves what stands behind it, and no other row.
package struct Table {
  package struct Column: Sendable {
    package let title: String
    package let right: Bool
    package init(_ title: String, right: Bool = false) {
      self.title = title
      self.right = right
    }
  }

  private let columns: [Column]
  private let width: Int?
  private let output: Output
  private var waiting: [[String]] = []
  private var widths: [Int]?
  private static let sample = 1000
  private static let mostPadded = 120

  /// `width` is the terminal's, nil to cut nothing. The title line appears with the first row only.
  package init(_ columns: [Column], width: Int?, output: Output) {
    self.columns = columns
    self.width = width
    self.output = output
  }

  package mutating func row(_ cells: [String]) throws {
    let shown = cells.map { Escape.shown(begin(of: $0)) }
    if let widths { return try print(shown, widths) }
    waiting.append(shown)
    if waiting.count == Table.sample { try fit() }
  }

  /// As much of a cell as a line can show.
  private func begin(of cell: String) -> String {
    // Marks take no room, some of them stand upon each other.
    guard let width, cell.utf8.count > 16 * width else { return cell }
    return String(String.UnicodeScalarView(cell.unicodeScalars.prefix(16 * width)))
  }

  /// Prints what is still held back. Must be called once, after the last row.
  package mutating func end() throws {
    if widths == nil { try fit() }
  }

  private mutating func fit() throws {
    guard !waiting.isEmpty else { return }
    var found = columns.map { TextWidth.of($0.title) }
    for row in waiting {
      for (k, cell) in row.enumerated() where k < found.count {
        found[k] = max(found[k], min(TextWidth.of(cell), Table.mostPadded))
      }
    }
    widths = found
    if columns.contains(where: { !$0.title.isEmpty }) { try print(columns.map(\.title), found) }
    for row in waiting { try print(row, found) }
    waiting = []
  }

  private func print(_ cells: [String], _ widths: [Int]) throws {
    var line = ""
    // Of the spaces only those are written that something stands behind.
    var (spaces, start) = (0, 0)
    for (k, cell) in cells.enumerated() where k < widths.count {
      let space = max(0, widths[k] - TextWidth.of(cell))
      if !cell.isEmpty {
        line += String(repeating: " ", count: start + spaces + (columns[k].right ? space : 0)) + cell
        (start, spaces) = (0, columns[k].right ? 0 : space)
      } else {
        spaces += space
      }
      start += 2
      if let width, line.utf8.count > 16 * width { break }
    }
    while line.hasSuffix(" ") { line.removeLast() }
    if let width { line = TextWidth.cut(line, to: width) }
    try output.write(line + "\n")
  }
}

/// How many cells of a terminal a text takes.
package enum TextWidth {
  package static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + of($1) }
  }

  /// The beginning of `text` that fits, with `…` at the end when something was left out.
  package static func cut(_ text: String, to width: Int) -> String {
    guard of(text) > width, width > 0 else { return text }
    var result = ""
    var used = 0
    for scalar in text.unicodeScalars {
      let next = of(scalar)
      if used + next > width - 1 { break }
      used += next
      result.unicodeScalars.append(scalar)
    }
    return result + "…"
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0..<0x300: 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      2
    default:
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: 0
      default: 1
      }
    }
  }
}
