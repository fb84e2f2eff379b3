import SeaCore
import SeaEngine

/// A table for people, with each column as wide as its widest cell. If the table is too wide, the widest columns are
/// narrowed first, and then lines are cut at the edge of the terminal. A mark shows each cut. Some tables fold instead:
/// on a narrow terminal, each row takes several lines.
///
/// Only the first rows determine the widths, which limits memory. A longer cell in a later row shifts the cells after
/// it.
package struct Table {
  package struct Column: Sendable {
    package let title: String
    package let right: Bool
    /// Whether the column is never narrowed, for example because part of a time is useless.
    package let isWhole: Bool
    package init(_ title: String, right: Bool = false, isWhole: Bool = false) {
      self.title = title
      self.right = right
      self.isWhole = isWhole
    }
  }

  private struct Row {
    var cells: [String]
    var slots: [ColorSlot?] = []
    var margin = ""
  }

  private let columns: [Column]
  private let width: Int?
  private let palette: Palette?
  private let output: Output
  private var waiting: [Row] = []
  private var waitingBytes = 0
  private var widths: [Int]?
  private let folds: Bool
  private var lines: [Range<Int>] = []
  private var isNarrow = false
  /// Called with the titles of columns that do not fit.
  var noticeHidden: (([String]) -> Void)?
  private static let sample = 1000
  private static let mostWaiting = 4 << 20
  private static let mostPadded = 120
  private static let least = 6
  private static let gap = 2
  private static let leastLast = 8
  private static let leastMargin = 4
  private var margin = Table.leastMargin

  package init(_ columns: [Column], width: Int?, palette: Palette? = nil, folds: Bool = false, output: Output) {
    self.columns = columns
    self.folds = folds
    self.width = width
    self.palette = palette
    self.output = output
  }

  package init(_ columns: [Column], _ terminal: Terminal, folds: Bool = false) {
    self.init(columns, width: terminal.width, palette: terminal.palette, folds: folds, output: terminal.output)
    noticeHidden = { [unowned terminal] in Table.notice(hidden: $0, terminal) }
  }

  var hasColors: Bool { palette != nil }

  package mutating func row(_ cells: [String], _ slots: [ColorSlot?] = [], margin: String = "") throws {
    let row = Row(cells: cells.map { Escape.shown(begin(of: $0)) }, slots: slots, margin: margin)
    if let widths { return try print(row, widths) }
    waiting.append(row)
    waitingBytes += row.cells.reduce(0) { $0 + $1.utf8.count }
    if waiting.count == Table.sample || waitingBytes > Table.mostWaiting { try fit() }
  }

  private func begin(of cell: String) -> String {
    // Combining marks have no width, so even a long cell may fit.
    guard let width, cell.utf8.count > 16 * width else { return cell }
    return String(String.UnicodeScalarView(cell.unicodeScalars.prefix(16 * width)))
  }

  package mutating func end() throws {
    if widths == nil { try fit() }
    guard isNarrow, lines.count < 2, let width, let widths else { return }
    // The last column of the terminal shows the mark.
    var start = 0
    let hidden = zip(columns, widths).filter { _, cells in
      defer { start += cells + Table.gap }
      return start >= width - 1
    }
    let titles = hidden.map(\.0.title).filter { !$0.isEmpty }
    if !titles.isEmpty { noticeHidden?(titles) }
  }

  static func notice(hidden titles: [String], _ terminal: Terminal) {
    let names = titles.prefix(20).joined(separator: ", ") + (titles.count > 20 ? ", and \(titles.count - 20) more" : "")
    terminal.notice("columns not shown: \(names); to show all, use --json")
  }

  var isTooWide: Bool { width.map { Table.sum(widest()) > $0 } ?? false }

  private func widest() -> [Int] {
    var found = columns.map { TextWidth.of($0.title) }
    for row in waiting {
      for (k, cell) in row.cells.enumerated() where k < found.count {
        found[k] = max(found[k], min(TextWidth.of(cell), Table.mostPadded))
      }
    }
    return found
  }

  private static func sum(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }

  /// Narrows the widest columns until the row fits, keeping them equally wide.
  /// - Parameter whole: true for each column that must keep its width.
  package static func narrowed(_ widths: [Int], to width: Int, keeping whole: [Bool] = []) -> [Int] {
    func cut(_ most: Int) -> [Int] {
      widths.indices.map { whole.indices.contains($0) && whole[$0] ? widths[$0] : min(widths[$0], most) }
    }
    var most = widths.max() ?? 0
    while most > least, sum(cut(most)) > width { most -= 1 }
    var result = cut(most)
    // Distribute the width that was lost to rounding.
    var left = width - sum(result)
    for k in result.indices where left > 0 && result[k] < widths[k] {
      result[k] += 1
      left -= 1
    }
    return result
  }

  private static func folded(_ widths: [Int], to width: Int, margin: Int) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var (start, used) = (0, 0)
    for (k, size) in widths.enumerated() {
      if k > start, used + gap + size > width {
        lines.append(start..<k)
        (start, used) = (k, margin + size)
      } else {
        used += (k > start ? gap : 0) + size
      }
    }
    return lines + [start..<widths.count]
  }

  private mutating func fit() throws {
    guard !waiting.isEmpty else { return }
    var found = widest()
    if let width, Table.sum(found) > width {
      // In the last column, the beginning of long text matters most.
      if let last = found.last {
        found[found.count - 1] = max(min(last, Table.leastLast), last - Table.sum(found) + width)
      }
      margin = max(Table.leastMargin, (waiting.map { TextWidth.of($0.margin) }.max() ?? 0) + Table.gap)
      if folds, width < Terminal.narrow, margin < width / 2, Table.sum(found) > width {
        found = widest().map { min($0, width - margin) }
        lines = Table.folded(found, to: width, margin: margin)
      } else {
        found = Table.narrowed(found, to: width, keeping: columns.map(\.isWhole))
      }
      isNarrow = true
    }
    if lines.isEmpty { lines = [found.indices] }
    widths = found
    if columns.contains(where: { !$0.title.isEmpty }) {
      try print(Row(cells: columns.map(\.title), slots: columns.map { _ in .heading }), found)
    }
    for row in waiting { try print(row, found) }
    waiting = []
  }

  private func print(_ row: Row, _ widths: [Int]) throws {
    for (k, columns) in lines.enumerated()
    where k == 0 || columns.contains(where: { $0 < row.cells.count && !row.cells[$0].isEmpty }) {
      try print(row, widths, columns, isFirst: k == 0)
    }
  }

  private func print(_ row: Row, _ widths: [Int], _ places: Range<Int>, isFirst: Bool) throws {
    var line = ByteWriter(capacity: 128)
    var colors: [(place: Range<Int>, color: ColorWords)] = []
    var (spaces, start) = (0, 0)
    if !isFirst {
      line.append(row.margin)
      start = max(0, margin - TextWidth.of(row.margin))
    }
    for k in places where k < row.cells.count {
      let cell = isNarrow ? TextWidth.cut(row.cells[k], to: widths[k]) : row.cells[k]
      let space = max(0, widths[k] - TextWidth.of(cell))
      if !cell.isEmpty {
        var left = start + spaces + (columns[k].right ? space : 0)
        while left > 0 {
          line.byte(0x20)
          left -= 1
        }
        let begin = line.count
        line.append(cell)
        if let palette, k < row.slots.count, let color = row.slots[k].flatMap({ palette[$0] }) {
          colors.append((begin..<line.count, color))
        }
        (start, spaces) = (0, columns[k].right ? 0 : space)
      } else {
        spaces += space
      }
      start += Table.gap
      if let width, line.count > 16 * width { break }
    }
    while line.bytes.last == 0x20 { line.truncate(to: line.count - 1) }
    var whole = line.count
    if let width {
      let text = String(decoding: line.bytes, as: UTF8.self)
      let cut = TextWidth.cut(text, to: width)
      if cut != text { whole = cut.utf8.count - TextWidth.mark.utf8.count }
      line.truncate(to: 0)
      line.append(cut)
    }
    line.byte(0x0A)
    try write(line, colors, to: whole)
  }

  private func write(_ line: borrowing ByteWriter, _ colors: [(place: Range<Int>, color: ColorWords)], to whole: Int)
    throws
  {
    guard !colors.isEmpty else { return try output.write(UnsafeRawBufferPointer(line.bytes)) }
    let bytes = line.bytes
    var at = 0
    func text(_ end: Int) -> String { String(decoding: bytes[at..<end], as: UTF8.self) }
    for (place, color) in colors where place.lowerBound < whole {
      try output.write(text(place.lowerBound))
      at = place.lowerBound
      let end = min(place.upperBound, whole)
      try output.write(text(end), color)
      at = end
    }
    try output.write(text(bytes.count))
  }
}
