import Glibc

/// Buffered writing. Nothing is known to have arrived before `flush()` returned.
package final class OutputStream {
  private let file: File
  private var buffer: [UInt8] = []
  private let capacity: Int

  package init(_ file: File, capacity: Int = 65536) {
    self.file = file
    self.capacity = capacity
  }

  package var descriptor: Int32 { file.descriptor }

  package func write(_ text: String) throws(SystemError) {
    var text = text
    let full = text.withUTF8 { bytes -> Bool in
      buffer.append(contentsOf: bytes)
      return buffer.count >= capacity
    }
    if full { try flush() }
  }

  package func write(_ bytes: [UInt8]) throws(SystemError) {
    try bytes.withBytes { (bytes) throws(SystemError) in try write(bytes) }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    if bytes.count >= capacity {
      try flush()
      return try file.write(bytes)
    }
    buffer.append(contentsOf: bytes)
    if buffer.count >= capacity { try flush() }
  }

  package func write(byte: UInt8) throws(SystemError) {
    buffer.append(byte)
    if buffer.count >= capacity { try flush() }
  }

  /// What could not be written is dropped with the error: the stream is of no use after it.
  package func flush() throws(SystemError) {
    guard !buffer.isEmpty else { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    try file.write(buffer)
  }

  /// Flushes and closes, both checked: a full disk may show itself only here.
  package func close() throws(SystemError) {
    try flush()
    try file.close()
  }
}

/// Buffered reading.
package final class InputStream {
  package enum LineEnd: Sendable {
    case newline
    /// A last line without a newline.
    case endOfInput
    /// More bytes than the limit before the next newline; the stream is somewhere inside the line.
    case tooLong
    /// No line: the input had ended.
    case none
  }

  private let file: File
  private var buffer: [UInt8]
  private var start = 0
  private var end = 0

  package init(_ file: File, capacity: Int = 65536) {
    self.file = file
    buffer = [UInt8](repeating: 0, count: capacity)
  }

  package var descriptor: Int32 { file.descriptor }

  private func fill() throws(SystemError) -> Bool {
    start = 0
    end = try buffer.withMutableBytes { (bytes) throws(SystemError) in try file.readSome(into: bytes) }
    return end > 0
  }

  package func readByte() throws(SystemError) -> UInt8? {
    if start == end, try !fill() { return nil }
    start += 1
    return buffer[start - 1]
  }

  /// What there is, at most `limit` bytes, appended to `bytes`. False at the end.
  package func read(upTo limit: Int, into bytes: inout [UInt8]) throws(SystemError) -> Bool {
    if start == end, try !fill() { return false }
    let count = min(limit, end - start)
    bytes.append(contentsOf: buffer[start..<start + count])
    start += count
    return true
  }

  /// Everything that is left, or nil if it is more than `limit` bytes.
  package func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
    var bytes: [UInt8] = []
    while try read(upTo: Int.max, into: &bytes) {
      if bytes.count > limit { return nil }
    }
    return bytes
  }

  /// Replaces `line` by the next line without its newline.
  package func readLine(into line: inout [UInt8], limit: Int) throws(SystemError) -> LineEnd {
    line.removeAll(keepingCapacity: true)
    var any = false
    while true {
      if start == end, try !fill() { return any ? .endOfInput : .none }
      any = true
      let newline = buffer.withUnsafeBytes { bytes -> Int? in
        guard let found = memchr(bytes.baseAddress! + start, 0x0A, end - start) else { return nil }
        return bytes.baseAddress!.distance(to: UnsafeRawPointer(found))
      }
      let stop = newline ?? end
      guard line.count + stop - start <= limit else { return .tooLong }
      line.append(contentsOf: buffer[start..<stop])
      start = stop
      if newline != nil {
        start += 1
        return .newline
      }
    }
  }
}
