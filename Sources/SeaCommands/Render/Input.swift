import SeaCore

package final class Input {
  private let fill: (UnsafeMutableRawBufferPointer) throws -> Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var ended = false
  /// Called before the first read. This closure may read the beginning of the stream itself.
  package var first: (() throws -> Void)?
  /// Called before each read that may block.
  package var willRead: (() throws -> Void)?
  private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// - Parameter fill: fills a buffer and returns the number of bytes; 0 means the end of the stream.
  package init(_ fill: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) { self.fill = fill }

  deinit { scratch.deallocate() }

  /// Returns the bytes that are available next; empty at the end of the stream.
  package func piece() throws -> [UInt8] {
    if start == buffer.count { try more() }
    defer {
      buffer.removeAll(keepingCapacity: true)
      start = 0
    }
    return start == 0 ? buffer : Array(buffer[start...])
  }

  /// Returns the next line without its terminator; nil at the end. The last line does not need a terminator.
  /// - Throws: `LineTooLong` if the line has more than `limit` bytes.
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

  /// Returns the next `count` bytes, or fewer at the end of the stream.
  package func bytes(_ count: Int) throws -> [UInt8] {
    while buffer.count - start < count, try more() {}
    let end = min(start + count, buffer.count)
    defer { start = end }
    return Array(buffer[start..<end])
  }

  /// Returns all lines that are not empty.
  /// - Throws: `CoreError` if a line is not UTF-8.
  package func lines(zero: Bool) throws -> [String] {
    var lines: [String] = []
    while let line = try line(terminator: zero ? 0 : 0x0A) {
      guard let text = String(validating: line, as: UTF8.self) else { throw CoreError.badName(.notUTF8, "") }
      if !line.isEmpty { lines.append(text) }
    }
    return lines
  }

  /// Returns the rest of the stream.
  /// - Throws: `LineTooLong` if the rest has more than `limit` bytes.
  package func all(limit: Int = 1 << 30) throws -> [UInt8] {
    while try more() {
      guard buffer.count - start <= limit else { throw LineTooLong(limit: limit) }
    }
    defer { start = buffer.count }
    return Array(buffer[start...])
  }

  /// Reads more bytes into the buffer; returns false at the end of the stream.
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

/// A line, or the whole input, exceeds the size limit.
package struct LineTooLong: Error, Equatable {
  package let limit: Int

  package init(limit: Int) { self.limit = limit }
}
