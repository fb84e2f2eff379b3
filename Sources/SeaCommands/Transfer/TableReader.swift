import SeaCore
import SeaEngine

/// Reads comma-separated (RFC 4180) or tab-separated values row by row. Little more than one row is kept in memory.
///
/// Rows end with LF or CRLF. Empty rows are skipped. In TSV, a cell that begins with a quotation mark is a C string. In
/// this string, two quotation marks also stand for one. A sheet is CSV that `sea-read-xlsx` has printed: each row of it
/// is a row of the sheet.
package final class TableReader {
  package enum Form: Sendable { case csv, tsv, sheet }

  struct Cell {
    var start: Int
    var end: Int
    var isQuoted = false
    var isUnescaped = false
  }

  let name: String
  private let input: TextInput
  let form: Form
  private let isRelaxed: Bool
  private(set) var separator: UInt8
  private let findsSeparator: Bool
  /// Whether the separator is not the usual one, and was found in the input.
  private(set) var isSeparatorFound = false
  private var buffer = ByteWriter(capacity: 1 << 16)
  private var unescaped = ByteWriter(capacity: 1 << 10)
  private var ended = false
  private var isBegun = false
  private var start = 0
  private var row = 0..<0
  private var lines = 0
  private(set) var cells: [Cell] = []
  /// The line on which the row begins, or the row of a sheet. The first is 1.
  private(set) var line = 0

  /// - Parameters:
  ///   - separator: the separator of the cells; nil for the usual one.
  ///   - findsSeparator: whether the first rows of CSV may determine the separator.
  package init(
    _ name: String, _ input: Input, _ form: Form, _ encoding: TextEncoding = .utf8, isRelaxed: Bool = false,
    separator: UInt8? = nil, findsSeparator: Bool = false
  ) {
    (self.name, self.form, self.isRelaxed) = (name, form, isRelaxed)
    self.input = TextInput(name, input, encoding)
    self.separator = separator ?? (form == .tsv ? 0x09 : 0x2C)
    self.findsSeparator = findsSeparator && form == .csv
  }

  /// The probable separator of a row that was read as a single cell; nil if unknown.
  var otherSeparator: String? {
    guard form == .csv, cells.count == 1, !cells[0].isQuoted else { return nil }
    return ColumnSigns.all.dropFirst().first(where: bytes(cells[0]).contains).map(ColumnSigns.name)
  }

  /// Returns the bytes of a cell, which are valid until the next row is read.
  func bytes(_ cell: Cell) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: (cell.isUnescaped ? unescaped.bytes : buffer.bytes)[cell.start..<cell.end])
  }

  func text(_ cell: Cell) -> String { String(decoding: bytes(cell), as: UTF8.self) }

  /// Returns the text of an unquoted cell of CSV, or a cell of a sheet, without the blanks around it; nil if there are none.
  func withoutBlanks(_ cell: Cell) -> String? {
    guard form == .sheet || form == .csv && !cell.isQuoted else { return nil }
    let (text, isBlank) = (bytes(cell), { (byte: UInt8) in byte == 0x20 || byte == 0x09 })
    guard text.first.map(isBlank) ?? false || text.last.map(isBlank) ?? false else { return nil }
    let start = text.firstIndex { !isBlank($0) } ?? text.count
    let end = text.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return String(decoding: text[start..<end], as: UTF8.self)
  }

  func isAbsent(_ cell: Cell) -> Bool { cell.start == cell.end && !cell.isQuoted }

  var raw: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: buffer.bytes[row]) }

  /// The text of each cell in the row, nil for empty cells. Used only in tests.
  package var texts: [String?] { cells.map { isAbsent($0) ? nil : text($0) } }

  /// Reads the next row; returns false at the end.
  /// - Throws: `CommandError.table` with line and column. The next call continues after the end of a line.
  package func next() throws -> Bool {
    if !isBegun { try begin() }
    while true {
      if start == buffer.count, try !more() { return false }
      if form != .sheet { line = lines + 1 }
      let end: Int?
      do throws(Misfit) { end = try split() } catch {
        try pass(error)
        continue
      }
      guard let end else {
        try grow()
        continue
      }
      row = start..<end
      if form == .sheet { line += 1 }
      let whole = UnsafeBufferPointer(rebasing: buffer.bytes[row])
      start = end
      lines += UTF8Text.lines(whole)
      if let place = UTF8Text.fault(in: whole)?.offset {
        throw fault(.notUTF8(likely: TextEncoding.likely(buffer.bytes)), at: row.lowerBound + place)
      }
      if cells.allSatisfy(isAbsent) { continue }
      return true
    }
  }

  func fault(_ fault: TableFault, cell: Int? = nil) -> CommandError {
    if form == .sheet {
      let name = cell.map { SheetCell.name(row: line, column: $0 + 1) } ?? "row \(line)"
      return .table(name: self.name, line: line, column: (cell ?? 0) + 1, fault, cell: name)
    }
    let place = cell.flatMap { $0 < cells.count && !cells[$0].isUnescaped ? cells[$0].start : nil }
    return self.fault(fault, at: place ?? row.lowerBound)
  }

  private func fault(_ fault: TableFault, at place: Int) -> CommandError {
    let before = UnsafeBufferPointer(rebasing: buffer.bytes[row.lowerBound..<max(place, row.lowerBound)])
    let column = before.lastIndex(of: 0x0A).map { before.count - $0 } ?? before.count + 1
    return .table(name: name, line: line + UTF8Text.lines(before), column: column, fault)
  }

  // MARK: - Reading

  private func begin() throws {
    isBegun = true
    guard form == .csv else { return }
    while buffer.count < ColumnSigns.sample, !buffer.bytes.contains(0x0A), try more() {}
    if let (sign, end) = ColumnSigns.line(buffer.bytes) {
      // Excel writes and reads this line.
      (start, lines) = (end, 1)
      if findsSeparator { (separator, isSeparatorFound) = (sign, true) }
      return
    }
    guard findsSeparator, ColumnSigns.mayDiffer(buffer.bytes) else { return }
    while buffer.count < ColumnSigns.sample, try more() {}
    let found = ColumnSigns.fitting(buffer.bytes, isWhole: ended)
    if found.count > 1 {
      line = 1
      throw fault(.severalSigns(found.map(ColumnSigns.name)), at: 0)
    }
    if let sign = found.first { (separator, isSeparatorFound) = (sign, sign != separator) }
  }

  /// Doubles the amount of buffered input before splitting an incomplete row again, so that the total time is linear in
  /// the length of the row.
  private func grow() throws {
    let enough = 2 * (buffer.count - start)
    while buffer.count - start < enough, try more() {}
    guard buffer.count - start <= DocumentReader.longest else {
      row = start..<start
      throw fault(.tooLong(limit: DocumentReader.longest), at: start)
    }
  }

  private func more() throws -> Bool {
    guard !ended else { return false }
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    let piece = try input.piece()
    ended = piece.isEmpty
    buffer.append(piece)
    return !ended
  }

  private struct Misfit: Error {
    var fault: TableFault
    var place: Int
  }

  private func pass(_ misfit: Misfit) throws {
    var end = misfit.place
    while true {
      while end < buffer.count, buffer.bytes[end] != 0x0A { end += 1 }
      if end < buffer.count || ended { break }
      let moved = start
      guard buffer.count - start <= DocumentReader.longest, try more() else { break }
      end -= moved
      if moved > 0 { return }
    }
    row = start..<min(end + 1, buffer.count)
    start = row.upperBound
    let failure = fault(misfit.fault, at: misfit.place)
    lines += UTF8Text.lines(raw)
    throw failure
  }

  // MARK: - Splitting

  /// Finds the cells of the row that begins at `start`.
  /// - Returns: the end of the row; nil if more input is needed.
  private func split() throws(Misfit) -> Int? {
    cells.removeAll(keepingCapacity: true)
    unescaped.truncate(to: 0)
    let bytes = buffer.bytes
    var at = start
    while true {
      guard let end = try cell(bytes, at, separator) else { return nil }
      at = end
      guard at < bytes.count else {
        guard ended else { return nil }
        return at
      }
      switch bytes[at] {
      case separator: at += 1
      case 0x0A: return at + 1
      default: return at + 2
      }
      if at == bytes.count, !ended { return nil }
    }
  }

  /// Finds the next cell.
  /// - Returns: the offset of the separator, line end or end of input after the cell; nil if more input is needed.
  private func cell(
    _ bytes: UnsafeBufferPointer<UInt8>, _ from: Int, _ separator: UInt8
  ) throws(Misfit) -> Int? {
    if from < bytes.count, bytes[from] == 0x22 {
      if form != .tsv || !isRelaxed { return try quoted(bytes, from, separator) }
      if let end = quotedLine(bytes, from, separator) { return end }
    }
    var at = from
    while at < bytes.count {
      let byte = bytes[at]
      if byte > 0x2C, byte != separator {
        at &+= 1
        continue
      }
      if byte == separator || byte == 0x0A { break }
      if byte == 0x22, form == .csv, !isRelaxed { throw Misfit(fault: .quoteInside, place: at) }
      if byte == 0 { throw Misfit(fault: .nul, place: at) }
      if byte == 0x0D {
        guard at + 1 < bytes.count || ended else { return nil }
        guard at + 1 < bytes.count, bytes[at + 1] == 0x0A else { throw Misfit(fault: .carriageReturn, place: at) }
        break
      }
      at &+= 1
    }
    cells.append(Cell(start: from, end: at))
    return at
  }

  /// Finds a cell that is a C string within one line.
  /// - Returns: nil if the cell is not a C string and must be used literally.
  private func quotedLine(_ bytes: UnsafeBufferPointer<UInt8>, _ from: Int, _ separator: UInt8) -> Int? {
    var end = from
    while end < bytes.count, bytes[end] != separator, bytes[end] != 0x0A { end &+= 1 }
    let (count, place) = (cells.count, unescaped.count)
    let line = UnsafeBufferPointer(rebasing: bytes[..<min(end + 1, bytes.count)])
    if let found = try? quoted(line, from, separator), found == end || (found + 1 == end && bytes[found] == 0x0D) {
      return found
    }
    cells.removeLast(cells.count - count)
    unescaped.truncate(to: place)
    return nil
  }

  private func quoted(
    _ bytes: UnsafeBufferPointer<UInt8>, _ from: Int, _ separator: UInt8
  ) throws(Misfit) -> Int? {
    var at = from + 1
    var copied = at
    var cell = Cell(start: at, end: at, isQuoted: true)
    let place = unescaped.count
    /// Copies the bytes before an escape, because the cell now differs from the input.
    func copy(to end: Int) {
      unescaped.append(UnsafeBufferPointer(rebasing: bytes[copied..<end]))
      cell.isUnescaped = true
    }
    while true {
      while at < bytes.count, bytes[at] != 0x22, bytes[at] != 0 || form != .tsv, form != .tsv || bytes[at] != 0x5C {
        at &+= 1
      }
      guard at < bytes.count else {
        if ended { throw Misfit(fault: .unclosedQuote, place: from) }
        return nil
      }
      if bytes[at] == 0 { throw Misfit(fault: .nul, place: at) }
      guard at + 1 < bytes.count || ended else { return nil }
      if bytes[at] == 0x5C {
        copy(to: at)
        guard let end = CText.escape(bytes, at, into: &unescaped) else {
          if at + 4 > bytes.count, !ended { return nil }
          throw Misfit(fault: .badEscape, place: at)
        }
        (at, copied) = (end, end)
      } else if at + 1 < bytes.count, bytes[at + 1] == 0x22 {
        copy(to: at + 1)
        at += 2
        copied = at
      } else {
        break
      }
    }
    if cell.isUnescaped {
      copy(to: at)
      (cell.start, cell.end) = (place, unescaped.count)
    } else {
      cell.end = at
    }
    cells.append(cell)
    at += 1
    guard at < bytes.count else { return at }
    if bytes[at] == 0x0D {
      guard at + 1 < bytes.count || ended else { return nil }
      if at + 1 < bytes.count, bytes[at + 1] == 0x0A { return at }
    } else if bytes[at] == separator || bytes[at] == 0x0A {
      return at
    }
    throw Misfit(fault: .textAfterQuote, place: at)
  }
}

/// The characters that separate the cells of CSV files.
enum ColumnSigns {
  static let all = Array(",;\t|".utf8)
  /// The number of bytes that are compared.
  static let sample = 1 << 16

  static func name(_ sign: UInt8) -> String { String(UnicodeScalar(sign)) }

  static func isSign(_ byte: UInt8) -> Bool { byte == 0x09 || (0x20...0x7E).contains(byte) && byte != 0x22 }

  /// Returns the separator that a first line such as `sep=;` names, and the end of this line.
  static func line(_ bytes: UnsafeBufferPointer<UInt8>) -> (sign: UInt8, end: Int)? {
    let line = bytes.prefix { $0 != 0x0A }
    let text = line.last == 0x0D ? line.dropLast() : line
    guard text.count == 5, text.prefix(4).map({ $0 | 0x20 }) == Array("sep=".utf8).map({ $0 | 0x20 }), isSign(text[4])
    else { return nil }
    return (text[4], min(line.count + 1, bytes.count))
  }

  /// Whether the first line contains another separator than a comma.
  static func mayDiffer(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.prefix { $0 != 0x0A }.contains { $0 != all[0] && all.contains($0) }
  }

  /// Returns each separator with which the rows in `bytes` have the same number of cells, and more than one.
  /// - Parameter isWhole: whether the last row is complete.
  static func fitting(_ bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool) -> [UInt8] {
    all.filter { sign in
      var (want, cells, last) = (0, 1, UInt8(0x0A))
      var (isQuoted, isEmpty) = (false, true)
      func endsWell() -> Bool {
        defer { (cells, isEmpty) = (1, true) }
        if isEmpty { return true }
        if want == 0 { want = cells }
        return cells == want
      }
      for byte in bytes {
        if byte == 0x22, isQuoted || last == sign || last == 0x0A || last == 0x22 {
          isQuoted.toggle()
        } else if isQuoted {
          isEmpty = false
        } else if byte == 0x0A {
          if !endsWell() { return false }
        } else if byte == sign {
          cells += 1
        } else if byte != 0x0D {
          isEmpty = false
        }
        last = byte
      }
      return (!isWhole || isQuoted || endsWell()) && want > 1
    }
  }
}

enum CText {
  static func escape(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, into writer: inout ByteWriter) -> Int? {
    guard at + 1 < bytes.count else { return nil }
    switch bytes[at + 1] {
    case 0x22, 0x5C: writer.byte(bytes[at + 1])
    case 0x74: writer.byte(0x09)
    case 0x6E: writer.byte(0x0A)
    case 0x72: writer.byte(0x0D)
    case 0x30...0x33:
      guard at + 3 < bytes.count, (0x30...0x37).contains(bytes[at + 2]), (0x30...0x37).contains(bytes[at + 3]) else {
        return nil
      }
      let value = (bytes[at + 1] - 0x30) << 6 | (bytes[at + 2] - 0x30) << 3 | (bytes[at + 3] - 0x30)
      // `Escape.quoted` never escapes other bytes. This limit also ensures that the result is valid UTF-8.
      guard value < 0x80 else { return nil }
      writer.byte(value)
      return at + 4
    default: return nil
    }
    return at + 2
  }
}
