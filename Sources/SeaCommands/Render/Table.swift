import SeaCore

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
    var line = ByteWriter(capacity: 128)
    // Of the spaces only those are written that something stands behind.
    var (spaces, start) = (0, 0)
    for k in 0..<min(cells.count, widths.count) {
      let cell = cells[k]
      let space = max(0, widths[k] - TextWidth.of(cell))
      if !cell.isEmpty {
        var left = start + spaces + (columns[k].right ? space : 0)
        while left > 0 {
          line.byte(0x20)
          left -= 1
        }
        line.append(cell)
        (start, spaces) = (0, columns[k].right ? 0 : space)
      } else {
        spaces += space
      }
      start += 2
      if let width, line.count > 16 * width { break }
    }
    while line.bytes.last == 0x20 { line.truncate(to: line.count - 1) }
    if let width {
      let cut = TextWidth.cut(String(decoding: line.bytes, as: UTF8.self), to: width)
      line.truncate(to: 0)
      line.append(cut)
    }
    line.byte(0x0A)
    try output.write(UnsafeRawBufferPointer(line.bytes))
  }
}
