import SeaCore

/// A stream of bytes that is read in pieces, and by lines.
package final class Input {
  private let fill: (UnsafeMutableRawBufferPointer) throws -> Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var ended = false
  /// Called before the first reading, and may read itself: for what stands before the rest.
  package var first: (() throws -> Void)?
  /// Called before each reading that may have to wait.
  package var willRead: (() throws -> Void)?
  private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// `fill` reads up to so many bytes and returns their number; 0 is the end.
  package init(_ fill: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) { self.fill = fill }

  deinit { scratch.deallocate() }

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
        var k = searched
        while k < bytes.count, bytes[k] != terminator { k &+= 1 }
        return k < bytes.count ? k : nil
      }
      if let found {
        guard found - start <= limit else { throw LineTooLong(limit: limit) }
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

  /// The next `count` bytes, or as many as there are left.
  package func bytes(_ count: Int) throws -> [UInt8] {
    while buffer.count - start < count, try more() {}
    let end = min(start + count, buffer.count)
    defer { start = end }
    return Array(buffer[start..<end])
  }

  /// All lines that are not empty. One that is not UTF-8 is a `CoreError`.
  package func lines(zero: Bool) throws -> [String] {
    var lines: [String] = []
    while let line = try line(terminator: zero ? 0 : 0x0A) {
      guard let text = String(validating: line, as: UTF8.self) else { throw CoreError.badName(.notUTF8, "") }
      if !line.isEmpty { lines.append(text) }
    }
    return lines
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
    if let begin = first {
      first = nil
      try begin()
      if start < buffer.count {
        buffer.removeFirst(start)
        start = 0
        return true
      }
    }
    if ended { return false }
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    try willRead?()
    if scratch.count == 0 { scratch = .allocate(byteCount: 1 << 16, alignment: 16) }
    let got = try fill(scratch)
    buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<got]))
    ended = got == 0
    return got > 0
  }
}

/// A line, or a whole input, beyond the limit in bytes.
package struct LineTooLong: Error, Equatable {
  package let limit: Int

  package init(limit: Int) { self.limit = limit }
}
