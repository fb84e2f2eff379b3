/// A stream of bytes that is read in pieces, and by lines.
package final class Input {
  private let fill: (UnsafeMutableRawBufferPointer) throws -> Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var ended = false

  /// `fill` reads up to so many bytes and returns their number; 0 is the end.
  package init(_ fill: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) { self.fill = fill }

  /// The next bytes, as many as there are at hand; empty at the end.
  package func piece() throws -> [UInt8] {
    if start == buffer.count { try more() }
    defer {
      buffer.removeAll(keepingCapacity: true)
      start = 0
    }
    return start == 0 ? buffer : Array(buffer[start...])
  }

  /// The next line without its end (`terminator`), nil at the end of the stream. A last line may lack its terminator.
  /// A line of more than `limit` bytes is a `LineTooLong`.
  package func line(terminator: UInt8 = 0x0A, limit: Int = 1 << 26) throws -> [UInt8]? {
    var searched = start
    while true {
      let found = buffer.withUnsafeBufferPointer { bytes -> Int? in
        bytes[searched...].firstIndex(of: terminator)
      }
      if let found {
        defer { start = found + 1 }
        return Array(buffer[start..<found])
      }
      guard buffer.count - start <= limit else { throw LineTooLong(limit: limit) }
      searched = buffer.count - start
      if try !more() {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return Array(buffer[start...])
      }
    }
  }

  /// Everything up to the end. More than `limit` bytes are a `LineTooLong`.
  package func all(limit: Int = 1 << 30) throws -> [UInt8] {
    while try more() {
      guard buffer.count - start <= limit else { throw LineTooLong(limit: limit) }
    }
    defer { start = buffer.count }
    return Array(buffer[start...])
  }

  /// Reads on behind what is buffered; false at the end.
  @discardableResult private func more() throws -> Bool {
    if ended { return false }
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    let used = buffer.count
    let room = max(1 << 16, used)
    buffer.append(contentsOf: repeatElement(0, count: room))
    var got = 0
    defer { buffer.removeLast(room - got) }
    got = try buffer.withUnsafeMutableBytes { try fill(UnsafeMutableRawBufferPointer(rebasing: $0[used...])) }
    ended = got == 0
    return got > 0
  }
}

/// A line, or a whole input, beyond the limit in bytes.
package struct LineTooLong: Error, Equatable {
  package let limit: Int
}
