import SeaCore

/// JSON documents one after another: lines, or simply concatenated. Memory holds the one being read and little more.
final class DocumentReader {
  private let name: String
  private let input: Input
  private var buffer = ByteWriter(capacity: 1 << 18)
  private var start = 0
  private var ended = false
  /// Lines before the buffer.
  private var lines = 0
  /// Where the last document began, for messages about it.
  private var document = 0
  private var tape = JSONTape()

  /// No document may be longer: it could not be stored.
  static let longest = 64 << 20

  init(_ name: String, _ input: Input) {
    self.name = name
    self.input = input
  }

  /// Hands over the next document; false at the end.
  ///
  /// Whatever is wrong with it, also what `body` finds wrong, is told with its line and column.
  func next(_ body: (borrowing JSONTape, UnsafeBufferPointer<UInt8>) throws -> Void) throws -> Bool {
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
      } catch .badJSON(.unexpectedEnd, let offset) where !ended {
        guard buffer.count - start <= DocumentReader.longest else { throw place(.badJSON(.tooLong, offset: offset)) }
        _ = try more()
        continue
      } catch {
        throw place(error)
      }
      guard tape.isObject else { throw place(.badJSON(.notAnObject, offset: document)) }
      do { try body(tape, buffer.bytes) } catch let error as CoreError { throw place(error) }
      return true
    }
  }

  /// An error with its place in the input.
  private func place(_ error: CoreError) -> CommandError {
    var offset = document
    if case .badJSON(_, let at) = error { offset = min(max(at, document), buffer.count) }
    let before = buffer.bytes[..<offset]
    let line = lines + UTF8Text.lines(UnsafeBufferPointer(rebasing: before)) + 1
    let column = offset - ((before.lastIndex(of: 0x0A) ?? -1) + 1) + 1
    return .input(name: name, line: line, column: column, error)
  }

  /// Reads on; what was handed over is forgotten.
  private func more() throws -> Bool {
    guard !ended else { return false }
    if start > 0 {
      lines += UTF8Text.lines(UnsafeBufferPointer(rebasing: buffer.bytes[..<start]))
      buffer.removeFirst(start)
      start = 0
    }
    // A document that is longer than the buffer is read again from its start: so read twice as much each time.
    let want = max(1 << 18, buffer.count)
    var got = 0
    while got < want {
      let piece = try input.piece()
      if piece.isEmpty {
        ended = true
        break
      }
      buffer.append(piece)
      got += piece.count
    }
    return got > 0 || !ended
  }
}
