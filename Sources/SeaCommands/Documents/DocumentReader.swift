import SeaCore
import SeaEngine
import SeaSystem

/// Reads JSON objects one by one: from lines, concatenated objects, arrays, or Datastore's interchange format. Little
/// more than the current object is kept in memory.
package final class DocumentReader {
  let name: String
  private let input: TextInput
  private var buffer = ByteWriter(capacity: 1 << 12)
  private var start = 0
  private var ended = false
  var willRead: () throws -> Void = {}
  /// The number of lines before the buffer, and the number of bytes of the buffer's first line that came before the
  /// buffer.
  private var (lines, column) = (0, 0)
  private var document = 0
  private var tape: JSONTape
  /// Where the reader is relative to the documents. The last three cases are for Datastore's interchange format.
  private enum ReadState { case outside, first, behind, element, opening, closing, over }
  private var spot: ReadState
  private let hasEntities: Bool
  private var documentLines: DocumentLines?
  private var mark = (offset: 0, lines: 0)
  private let unwraps: Bool
  private var isFirst = true
  /// The key of the list of records in the only document so far.
  private(set) var list: String?
  /// The end of the object whose list is read, and whether the elements contain documents of CouchDB.
  private var wrapping: (end: Int, hasDocuments: Bool)?
  /// The end of a document that is only a part of an element.
  private var innerEnd: Int?

  /// The maximum size of a document in bytes.
  static let longest = 64 << 20

  /// - Parameters:
  ///   - skipsInvalid: whether invalid documents may be skipped.
  ///   - hasEntities: whether the input has the format of sea-datastore(5).
  ///   - unwraps: whether the documents are the elements of a list if the input is one object with such a list.
  package init(
    _ name: String, _ input: Input, _ encoding: TextEncoding = .utf8, skipsInvalid: Bool = false,
    hasEntities: Bool = false, unwraps: Bool = false
  ) {
    self.name = name
    self.unwraps = unwraps
    self.input = TextInput(name, input, encoding)
    self.hasEntities = hasEntities
    tape = JSONTape(isEntity: hasEntities)
    spot = hasEntities ? .opening : .outside
    if skipsInvalid, !hasEntities { documentLines = DocumentLines() }
  }

  /// Passes the next document to `body`; returns false at the end. Does not read ahead, so that documents written one
  /// by one are processed immediately.
  /// - Throws: `CommandError` with the line and column of the error, even if `body` threw the error.
  package func next(_ body: (borrowing JSONTape, UnsafeBufferPointer<UInt8>) throws -> Void) throws -> Bool {
    while true {
      if spot == .opening { try open() }
      if spot == .closing { try close() }
      let from = start
      start = JSONTape.skipSpace(buffer.bytes, from: start)
      documentLines?.skipped(UnsafeBufferPointer(rebasing: buffer.bytes[from..<start]))
      if start == buffer.count {
        if try more() { continue }
        if spot == .outside || spot == .over { return false }
        document = start
        spot = hasEntities ? .over : .outside
        throw located(CoreError.badJSON(.unexpectedEnd, offset: start))
      }
      document = start
      innerEnd = nil
      if try !isDocument() { continue }
      do throws(CoreError) {
        let end = try tape.parse(buffer.bytes, at: start)
        start = end
        if spot != .outside { spot = .behind }
      } catch .badJSON(.unexpectedEnd, _) where !ended {
        try complete()
        continue
      } catch {
        if let fault = try faultOfBeginning() { throw fault }
        throw located(brokenLine(error))
      }
      if try unwrap() { continue }
      if spot == .outside { try documentLines?.add(UnsafeBufferPointer(rebasing: buffer.bytes[document..<start])) }
      guard tape.isObject else { throw located(CoreError.badJSON(.notAnObject, offset: document)) }
      do {
        try body(tape, buffer.bytes)
      } catch let error as CoreError {
        throw located(error)
      } catch let error as KitError {
        throw located(error)
      } catch let fault as TableFault {
        let (line, column) = position(document)
        throw CommandError.table(name: name, line: line, column: column, fault)
      }
      return true
    }
  }

  /// The line where the last document starts. The first line is 1.
  var line: Int {
    mark.lines += UTF8Text.lines(UnsafeBufferPointer(rebasing: buffer.bytes[mark.offset..<document]))
    mark.offset = document
    return mark.lines + 1
  }

  var raw: [UInt8] { Array(buffer.bytes[document..<(innerEnd ?? start)]) }

  /// Skips an invalid document.
  /// - Throws: `noLines` if the end of the document is unknown.
  func skip(_ fault: CommandError) throws {
    // The end of a parsed object is certain. Any other value may be part of an invalid object.
    guard start == document || spot == .outside && !tape.isObject else { return }
    let column = position(document).column
    guard spot == .outside, document < buffer.count, documentLines != nil else { throw CommandError.noLines(fault) }
    try documentLines?.skip(buffer.bytes[document], isAtStart: column == 1, fault)
    start = document
    var searched = start
    while true {
      if let end = buffer.bytes[searched...].firstIndex(of: 0x0A) {
        start = end + 1
        return
      }
      searched = buffer.count - start
      guard searched <= DocumentReader.longest else { throw CommandError.noLines(fault) }
      let isMore = try more()
      document = start
      guard isMore else { break }
    }
    start = buffer.count
  }

  private func isDocument() throws -> Bool {
    switch (buffer.bytes[start], spot) {
    case (0x5B, .outside): spot = .first
    case (0x2C, .behind): spot = .element
    case (0x5D, .first), (0x5D, .behind):
      spot = hasEntities ? .closing : .outside
      if let end = wrapping?.end {
        (start, wrapping) = (end, nil)
        return false
      }
    case (0x5D, .element) where hasEntities: spot = .closing
    case (_, .over): throw located(CoreError.badEntity(.otherKey, "", offset: start))
    case (_, .behind): throw located(CoreError.badJSON(.unexpectedCharacter, offset: start))
    case (_, .outside): return true
    default: return true
    }
    start += 1
    return false
  }

  /// Enters the list of the document if it is the only one and wraps records, or the document of CouchDB in an element.
  /// - Returns: whether a list was entered.
  private func unwrap() throws -> Bool {
    defer { isFirst = false }
    if wrapping?.hasDocuments ?? false, let inner = tape.member("doc", in: buffer.bytes) {
      innerEnd = try tape.parse(buffer.bytes, at: inner)
      document = inner
    }
    list = nil
    guard isFirst, spot == .outside, let found = wrappedList() else { return false }
    guard unwraps else {
      list = found.key
      return false
    }
    // Read on to see whether another document follows.
    let (place, length) = (found.place - document, start - document)
    start = document
    func rest() -> Int { JSONTape.skipSpace(buffer.bytes, from: start + length) }
    while try rest() == buffer.count && more() {}
    document = start
    guard rest() == buffer.count else {
      start = try tape.parse(buffer.bytes, at: document)
      return false
    }
    wrapping = (document + length, hasDocuments: found.key == "rows")
    (start, spot) = (document + place + 1, .first)
    return true
  }

  /// Returns the list of objects in which other programs wrap their records, and its place.
  private func wrappedList() -> (key: String, place: Int)? {
    guard tape.member("_id", in: buffer.bytes) == nil else { return nil }
    for key in ["results", "docs", "rows"] as [StaticString] {
      guard let place = tape.member(key, in: buffer.bytes), buffer.bytes[place] == UInt8(ascii: "[") else { continue }
      let first = buffer.bytes[JSONTape.skipSpace(buffer.bytes, from: place + 1)]
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "]") { return (key.description, place) }
    }
    return nil
  }

  private func open() throws {
    for word in ["{", "\"entities\"", ":", "["] {
      if try accept(word) { continue }
      document = start
      if let fault = try faultOfBeginning() { throw fault }
      throw located(CoreError.badEntity(.notEntities, "", offset: start))
    }
    spot = .first
  }

  private func close() throws {
    _ = try accept(",")
    guard try accept("}") else {
      document = start
      throw located(
        start == buffer.count
          ? CoreError.badJSON(.unexpectedEnd, offset: start) : CoreError.badEntity(.otherKey, "", offset: start))
    }
    spot = .over
  }

  private func accept(_ word: String) throws -> Bool {
    while true {
      start = JSONTape.skipSpace(buffer.bytes, from: start)
      let there = buffer.bytes[start...].prefix(word.utf8.count)
      guard word.utf8.starts(with: there) else { return false }
      if there.count == word.utf8.count {
        start += there.count
        return true
      }
      guard try more() else { return false }
    }
  }

  /// Returns an error if the input begins like a binary file.
  private func faultOfBeginning() throws -> CommandError? {
    guard lines == 0, column == 0, start == 0 else { return nil }
    while buffer.count < BinaryFileKind.signature, try more() {}
    return BinaryFileKind(beginning: buffer.bytes).map { .noText(name: name, $0) }
  }

  /// Reads input until all brackets of the document at `start` are closed. Parsing after each read would be slow.
  /// Errors near the start are still found early, so that an endless document does not fill the memory.
  private func complete() throws {
    var scan = DocumentEnd()
    var scanned = start
    let enough = 2 * (buffer.count - start) + 1 << 12
    repeat {
      guard buffer.count - start <= DocumentReader.longest else {
        throw located(CoreError.badJSON(.tooLong, offset: start))
      }
      let moved = start
      let isMore = try more()
      scanned -= moved - start
      if !isMore { return }
      scan.skip(UnsafeBufferPointer(rebasing: buffer.bytes[scanned...]))
      scanned = buffer.count
    } while !scan.isReached && (buffer.count - start < enough || enough > 8 << 20)
  }

  /// If a document is incomplete, moves its error back to the end of the line that was cut off.
  private func brokenLine(_ error: CoreError) -> CoreError {
    guard case .badJSON(let fault, _) = error, let place = error.place, place > document else { return error }
    let line = BrokenLine(
      bytes: buffer.bytes, document: document, column: position(document).column,
      isLines: [".jsonl", ".ndjson"].contains { name.lowercased().hasSuffix($0) })
    return line.end(place: min(place, buffer.count), isEnd: fault == .unexpectedEnd)
      .map { .badJSON(.unexpectedEnd, offset: $0) } ?? error
  }

  private func located(_ error: any Error) -> CommandError {
    var offset = document
    var excerpt: String?
    if let error = error as? CoreError {
      offset = min(max(error.place ?? document, document), buffer.count)
      excerpt = Excerpt.of(error, in: buffer.bytes)
    }
    let (line, column) = position(offset)
    return .input(name: name, line: line, column: column, error, excerpt: excerpt)
  }

  private func position(_ offset: Int) -> (line: Int, column: Int) {
    let before = buffer.bytes[..<offset]
    let line = lines + UTF8Text.lines(UnsafeBufferPointer(rebasing: before)) + 1
    return (line, before.lastIndex(of: 0x0A).map { offset - $0 } ?? column + offset + 1)
  }

  private func more() throws -> Bool {
    guard !ended else { return false }
    if start > 0 {
      let passed = UnsafeBufferPointer(rebasing: buffer.bytes[..<start])
      lines += UTF8Text.lines(passed)
      column = passed.lastIndex(of: 0x0A).map { start - $0 - 1 } ?? column + start
      buffer.removeFirst(start)
      start = 0
      mark = (0, lines)
    }
    try willRead()
    let piece = try input.piece()
    if piece.isEmpty {
      ended = true
      return false
    }
    buffer.append(piece)
    return true
  }
}

extension DocumentReader {
  /// Creates a reader for an operand of the form `FILE|-|JSON`.
  /// - Parameter name: the name to use in messages about JSON on the command line.
  static func of(_ operand: String, _ name: String, _ session: Session) throws -> DocumentReader {
    let first = operand.utf8.first { !" \t\r\n".utf8.contains($0) }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      do {
        return DocumentReader(operand == "-" ? "standard input" : operand, try session.reader(operand))
      } catch let error as SystemError where error.isMissing && !isFile(operand) {
        throw CommandError.noDocument(error, operand: operand)
      }
    }
    var rest = Array(operand.utf8)[...]
    return DocumentReader(
      name,
      Input { buffer in
        buffer.copyBytes(from: rest.prefix(buffer.count))
        defer { rest = rest.dropFirst(buffer.count) }
        return min(buffer.count, rest.count)
      })
  }
}

extension DocumentReader {
  static func isForeign(_ name: String) -> Bool {
    [".csv", ".tsv", ".db", ".sqlite", ".sqlite3"].contains(ending(name))
  }

  static func isFile(_ name: String) -> Bool {
    isForeign(name) || [".json", ".jsonl", ".ndjson"].contains(ending(name))
  }

  private static func ending(_ name: String) -> String? {
    name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[$0...].lowercased() }
  }
}

/// Detects whether each document is on a separate line. Otherwise, an invalid document cannot be skipped safely.
struct DocumentLines {
  /// The first error in a skipped line. This error is reported if a later document spans several lines.
  private var passed: CommandError?
  private var areLines = true
  private var isNewLine = true

  mutating func skipped(_ space: UnsafeBufferPointer<UInt8>) {
    if !isNewLine, space.contains(0x0A) { isNewLine = true }
  }

  /// Processes a valid document.
  /// - Throws: the error of a skipped line, if this document does not have a line to itself.
  mutating func add(_ document: UnsafeBufferPointer<UInt8>) throws {
    areLines = areLines && isNewLine && !document.contains(0x0A)
    isNewLine = false
    if let passed, !areLines { throw CommandError.noLines(passed) }
  }

  /// Skips the line of an invalid document. `first` is the document's first byte; `isAtStart` states whether this byte
  /// begins the line.
  mutating func skip(_ first: UInt8, isAtStart: Bool, _ fault: CommandError) throws {
    // A line that begins with one of these characters continues a document.
    let isRest = [0x22, 0x2C, 0x3A, 0x5B, 0x5D, 0x7D].contains(first)
    guard areLines, isAtStart, !isRest else { throw CommandError.noLines(passed ?? fault) }
    if passed == nil { passed = fault }
    isNewLine = true
  }
}

/// Finds where a document may end: where all brackets outside of strings are closed.
struct DocumentEnd {
  private(set) var isReached = false
  private var depth = 0
  private var inString = false
  private var escaped = false

  mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>) {
    for byte in bytes {
      if inString {
        if escaped {
          escaped = false
        } else if byte == 0x5C {
          escaped = true
        } else if byte == 0x22 {
          inString = false
        }
        continue
      }
      switch byte {
      case 0x22: inString = true
      case 0x7B, 0x5B: depth += 1
      case 0x7D, 0x5D:
        depth -= 1
        if depth <= 0 {
          isReached = true
          return
        }
      default: break
      }
    }
  }
}

struct BrokenLine {
  let bytes: UnsafeBufferPointer<UInt8>
  /// The offset of the document; `column` is its column, starting at 1.
  let document: Int
  let column: Int
  let isLines: Bool

  /// Returns the actual position of the error, or nil if `place` is already correct.
  /// - Parameter isEnd: whether the input ends at `place`.
  func end(place: Int, isEnd: Bool) -> Int? {
    guard var end = nextLine(before: place, isLast: !isEnd) ?? (isEnd ? place : nil) else { return nil }
    while end > document, bytes[end - 1] <= 0x20 { end -= 1 }
    return end
  }

  /// Finds a line that looks like the start of another document: it has a bracket in the same column. Returns the end
  /// of the previous line.
  /// - Parameter isLast: whether such a line must begin at the error.
  private func nextLine(before end: Int, isLast: Bool) -> Int? {
    guard bytes[document] == 0x7B, isBlank(document + 1 - column..<document) else { return nil }
    func begins(_ at: Int) -> Bool {
      at < bytes.count && bytes[at] == 0x7B && at - column >= document && bytes[at - column] == 0x0A
        && isBlank(at - column + 1..<at)
    }
    if isLast, !begins(end) { return nil }
    var at = document
    while let feed = bytes[at...].firstIndex(of: 0x0A), feed + column <= end {
      at = feed + 1
      guard begins(feed + column) else { continue }
      // After a comma or a bracket, such a line is an element of an unindented list and not another document.
      if isLines || isLast || bytes[document..<feed].last(where: { $0 > 0x20 }) == UInt8(ascii: ":") { return feed }
    }
    return nil
  }

  private func isBlank(_ range: Range<Int>) -> Bool {
    range.allSatisfy { bytes.indices.contains($0) ? bytes[$0] == 0x20 || bytes[$0] == 0x09 : true }
  }
}
