import SeaEngine
import SeaSystem

/// A buffered output stream. The result of every write is checked, so that output is never lost silently.
package final class Output {
  private let drain: (UnsafeRawBufferPointer) throws(SystemError) -> Void
  // Writes never overlap, so exclusivity checks are disabled.
  @exclusivity(unchecked) private var buffer: [UInt8] = []
  /// The number of buffered bytes that triggers a write.
  var limit = 1 << 16
  /// The number of bytes in the buffer that have already been written.
  @exclusivity(unchecked) private var writtenCount = 0
  var willHand: (() -> Void)?
  var willBegin: (() -> Void)?
  /// The program that receives the bytes instead of the stream.
  var outlet: Outlet?
  /// Whether to write to the stream after the outlet has stopped accepting bytes.
  var fallsBackToStream = false
  /// Escapes control characters in text written to a terminal; nil for other streams.
  @exclusivity(unchecked) package var guardsTerminal: TerminalGuard?

  /// - Parameter drain: writes all bytes that it receives, or throws.
  package init(_ drain: @escaping (UnsafeRawBufferPointer) throws(SystemError) -> Void) { self.drain = drain }

  package func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes text in a color. The text itself is escaped, so that it cannot control the terminal.
  package func write(_ text: String, _ color: ColorWords?) throws {
    if text.isEmpty { return }
    try paint(color) { try write(text) }
  }

  func paint(_ color: ColorWords?, _ body: () throws -> Void) throws {
    guard let color else { return try body() }
    try settle()
    var begin = "\u{1B}[\(color.codes)m"
    var end = "\u{1B}[m"
    try begin.withUTF8 { try writeUnguarded(UnsafeRawBufferPointer($0)) }
    try body()
    try settle()
    try end.withUTF8 { try writeUnguarded(UnsafeRawBufferPointer($0)) }
  }

  private func settle() throws {
    if let rest = guardsTerminal?.end(), !rest.isEmpty { try rest.withUnsafeBytes { try writeUnguarded($0) } }
  }

  package func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let safe = guardsTerminal?.shown(bytes) else { return try writeUnguarded(bytes) }
    try safe.withUnsafeBytes { try writeUnguarded($0) }
  }

  /// Writes a short line with little overhead.
  func line(_ bytes: UnsafeBufferPointer<UInt8>, end: UInt8) throws {
    guard guardsTerminal == nil, buffer.count + bytes.count < limit else {
      try write(UnsafeRawBufferPointer(bytes))
      return try byte(end)
    }
    buffer.append(contentsOf: bytes)
    buffer.append(end)
  }

  /// Writes bytes without escaping them, in order to control the terminal deliberately.
  func writeUnguarded(_ bytes: UnsafeRawBufferPointer) throws {
    if buffer.count + bytes.count > limit {
      try handBuffer()
      if bytes.count > limit { return try hand(bytes) }
    }
    buffer.append(contentsOf: bytes)
  }

  package func byte(_ value: UInt8) throws {
    if guardsTerminal != nil { return try withUnsafeBytes(of: value) { try write($0) } }
    if buffer.count >= limit { try handBuffer() }
    buffer.append(value)
  }

  /// Writes the buffer to the stream. After a failure, the bytes are discarded so that no byte is ever written twice.
  package func flush() throws {
    try settle()
    try handBuffer()
  }

  var isEmpty: Bool { buffer.isEmpty }

  /// Writes no more bytes than a writable pipe accepts without blocking.
  func flushSome() throws {
    let end = min(writtenCount + 4096, buffer.count)
    let piece = writtenCount..<end
    writtenCount = end
    defer { if writtenCount == buffer.count { clear() } }
    try buffer.withUnsafeBytes { try hand(UnsafeRawBufferPointer(rebasing: $0[piece])) }
  }

  private func handBuffer() throws {
    guard !buffer.isEmpty else { return }
    defer { clear() }
    try buffer.withUnsafeBytes { try hand(UnsafeRawBufferPointer(rebasing: $0[writtenCount...])) }
  }

  private func clear() {
    buffer.removeAll(keepingCapacity: buffer.count <= 1 << 16)
    writtenCount = 0
  }

  private func hand(_ bytes: UnsafeRawBufferPointer) throws(OutputFailure) {
    willHand?()
    if let begin = willBegin {
      willBegin = nil
      begin()
    }
    do throws(SystemError) { try give(bytes) } catch { throw OutputFailure(reason: error) }
  }

  private func give(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    guard let outlet else { return try drain(bytes) }
    do throws(SystemError) { try outlet.write(bytes) } catch {
      guard fallsBackToStream else { throw error }
      try drain(bytes)
    }
  }
}

package struct OutputFailure: Error, Equatable {
  package let reason: SystemError

  package var isBrokenPipe: Bool { reason.isBrokenPipe }
}
