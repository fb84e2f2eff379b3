import SeaCore
import SeaKit

/// JSON documents one after another: lines, or simply concatenated. Memory holds the one being read and little more.
package final class DocumentReader {
  private let name: String
  private let input: Input
  private var buffer = ByteWriter(capacity: 1 << 12)
  private var start = 0
  private var ended = false
  /// Called before each read, which may have to wait.
  var willRead: () throws -> Void = {}
  /// Lines before the buffer, and bytes before it of the line that it begins in.
  private var (lines, column) = (0, 0)
  /// Where the last document began, for messages about it.
  private var document = 0
  private var tape = JSONTape()

  /// No document may be longer.
  static let longest = 64 << 20

  package init(_ name: String, _ input: Input) {
    self.name = name
    self.input = input
  }

  /// Hands over the next document; false at the end. No more is read than has to be: who writes the documents one by
  /// one has each of them taken at once.
  ///
  /// Whatever is wrong with it, also what `body` finds wrong, is told with its line and column.
  package func next(_ body: (borrowing JSONTape, UnsafeBufferPointer<UInt8>) throws -> Void) throws -> Bool {
    while true {
      start = JSONTape.skipSpace(buffer.bytes, from: start)
      if start == buffer.count {
        guard try more() else { return false }
        continue
      }
      document = start
      do throws(CoreError) {
        let end = try tape.parse(buffer.bytes, at: start)
        start = end
      } catch .badJSON(.unexpectedEnd, _) where !ended {
        try complete()
        continue
      } catch {
        if try beginsWithMark() { throw CommandError.byteOrderMark(name: name) }
        throw place(error)
      }
      guard tape.isObject else { throw place(CoreError.badJSON(.notAnObject, offset: document)) }
      do {
        try body(tape, buffer.bytes)
      } catch let error as CoreError {
        throw place(error)
      } catch let error as KitError {
        throw place(error)
      }
      return true
    }
  }

  private func beginsWithMark() throws -> Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard lines == 0, column == 0, start == 0 else { return false }
    while buffer.count < mark.count, mark.starts(with: buffer.bytes), try more() {}
    return buffer.bytes.starts(with: mark)
  }

  /// Reads on until the document that begins at `start` may be whole, without parsing it again and again: that would
  /// take time, and much memory for one that is too long in the end. A fault near its beginning is still found soon.
  private func complete() throws {
    var scan = DocumentEnd()
    var scanned = start
    let enough = 2 * (buffer.count - start) + 1 << 12
    repeat {
      guard buffer.count - start <= DocumentReader.longest else {
        throw place(CoreError.badJSON(.tooLong, offset: start))
      }
      let moved = start
      let isMore = try more()
      scanned -= moved - start
      if !isMore { return }
      scan.pass(UnsafeBufferPointer(rebasing: buffer.bytes[scanned...]))
      scanned = buffer.count
    } while !scan.isReached && (buffer.count - start < enough || enough > 8 << 20)
  }

  /// An error with its place in the input.
  private func place(_ error: any Error) -> CommandError {
    var offset = document
    var excerpt: String?
    if let error = error as? CoreError {
      offset = min(max(error.place ?? document, document), buffer.count)
      excerpt = Excerpt.of(error, in: buffer.bytes)
    }
    let before = buffer.bytes[..<offset]
    let line = lines + UTF8Text.lines(UnsafeBufferPointer(rebasing: before)) + 1
    let column = before.lastIndex(of: 0x0A).map { offset - $0 } ?? self.column + offset + 1
    return .input(name: name, line: line, column: column, error, excerpt: excerpt)
  }

  /// Reads on; what was handed over is forgotten. False at the end.
  private func more() throws -> Bool {
    guard !ended else { return false }
    if start > 0 {
      let passed = UnsafeBufferPointer(rebasing: buffer.bytes[..<start])
      lines += UTF8Text.lines(passed)
      column = passed.lastIndex(of: 0x0A).map { start - $0 - 1 } ?? column + start
      buffer.removeFirst(start)
      start = 0
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

/// Finds where a document may end: where as many brackets are closed as were opened, outside of strings.
private struct DocumentEnd {
  private(set) var isReached = false
  private var depth = 0
  private var inString = false
  private var escaped = false

  mutating func pass(_ bytes: UnsafeBufferPointer<UInt8>) {
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
