import SeaEngine
import SeaSystem

/// A buffered stream of bytes whose every write is checked: what could not be written is an error, never silence.
package final class Output {
  private let drain: (UnsafeRawBufferPointer) throws(SystemError) -> Void
  // Nobody writes while something is written: nothing watches the two.
  @exclusivity(unchecked) private var buffer: [UInt8] = []
  /// Bytes that are kept before somebody has to take them.
  var limit = 1 << 16
  /// Of the buffer so many bytes are handed on already.
  @exclusivity(unchecked) private var handed = 0
  /// Called before bytes go out.
  var willHand: (() -> Void)?
  /// Called once, before the first bytes go out.
  var willBegin: (() -> Void)?
  /// Who takes the bytes in place of the stream.
  var outlet: Outlet?
  /// Whether what the outlet does not take goes to the stream after all.
  var outlivesOutlet = false
  /// Set if it goes to a terminal: then nothing that is written can steer that.
  @exclusivity(unchecked) package var guardsTerminal: TerminalGuard?

  /// `drain` takes all bytes it is given, or throws.
  package init(_ drain: @escaping (UnsafeRawBufferPointer) throws(SystemError) -> Void) { self.drain = drain }

  package func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }

  /// The same in a colour: that alone steers a terminal, and what is in it is written as everything else is.
  package func write(_ text: String, _ color: ColorWords?) throws {
    if text.isEmpty { return }
    try paint(color) { try write(text) }
  }

  /// What `body` writes, in a colour.
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

  /// No character is half written.
  private func settle() throws {
    if let rest = guardsTerminal?.end(), !rest.isEmpty { try rest.withUnsafeBytes { try writeUnguarded($0) } }
  }

  package func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let safe = guardsTerminal?.shown(bytes) else { return try writeUnguarded(bytes) }
    try safe.withUnsafeBytes { try writeUnguarded($0) }
  }

  /// Writes many short lines with little work for each.
  func line(_ bytes: UnsafeBufferPointer<UInt8>, end: UInt8) throws {
    guard guardsTerminal == nil, buffer.count + bytes.count < limit else {
      try write(UnsafeRawBufferPointer(bytes))
      return try byte(end)
    }
    buffer.append(contentsOf: bytes)
    buffer.append(end)
  }

  /// Writes what is to steer the terminal.
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

  /// Hands on what is buffered. After a failure the bytes are gone: they are not written twice.
  package func flush() throws {
    try settle()
    try handBuffer()
  }

  /// Whether everything that was written is handed on.
  var isEmpty: Bool { buffer.isEmpty }

  /// Hands on some of it: no more than a pipe takes that takes anything.
  func flushSome() throws {
    let end = min(handed + 4096, buffer.count)
    let piece = handed..<end
    handed = end
    defer { if handed == buffer.count { clear() } }
    try buffer.withUnsafeBytes { try hand(UnsafeRawBufferPointer(rebasing: $0[piece])) }
  }

  private func handBuffer() throws {
    guard !buffer.isEmpty else { return }
    defer { clear() }
    try buffer.withUnsafeBytes { try hand(UnsafeRawBufferPointer(rebasing: $0[handed...])) }
  }

  private func clear() {
    buffer.removeAll(keepingCapacity: buffer.count <= 1 << 16)
    handed = 0
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
      guard outlivesOutlet else { throw error }
      try drain(bytes)
    }
  }
}

/// Standard output did not take what was written.
package struct OutputFailure: Error, Equatable {
  package let reason: SystemError

  /// Nobody reads any more, which is no error to talk about.
  package var isBrokenPipe: Bool { reason.isBrokenPipe }
}
