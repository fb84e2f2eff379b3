import SeaSystem

/// The line as a server has it: requests come in, answers go out when nothing more is at hand to be answered.
package final class ServerWire {
  /// The line itself is of no more use.
  struct Broken: Error { let error: SystemError }

  private static let piece = 1 << 18

  private let read: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
  private let write: (UnsafeRawBufferPointer) throws(SystemError) -> Void
  private var incoming: [UInt8] = []
  private var taken = 0
  private var outgoing: [UInt8] = []
  /// How many bytes were taken in and used.
  private(set) var position: Int64 = 0

  package init(
    read: @escaping (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int,
    write: @escaping (UnsafeRawBufferPointer) throws(SystemError) -> Void
  ) {
    (self.read, self.write) = (read, write)
  }

  package convenience init(reading input: File, writing output: File) {
    self.init(
      read: { (buffer) throws(SystemError) in try input.readSome(into: buffer) },
      write: { (bytes) throws(SystemError) in try output.write(bytes) })
  }

  // MARK: In

  /// The next line; nil at the end, and for a line that is too long.
  func line() throws(SystemError) -> String? {
    while true {
      let rest = incoming[taken...]
      if let end = rest.prefix(Wire.longestLine + 1).firstIndex(of: 0x0A) {
        use(end + 1 - taken)
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      guard rest.count <= Wire.longestLine, try more() else { return nil }
    }
  }

  private func use(_ count: Int) {
    taken += count
    position += Int64(count)
  }

  /// False at the end.
  private func more() throws(SystemError) -> Bool {
    // Whoever waits for an answer sends nothing.
    try flush()
    if taken > 0 {
      incoming.removeFirst(taken)
      taken = 0
    }
    let have = incoming.count
    incoming.append(contentsOf: repeatElement(0, count: ServerWire.piece))
    let count = try incoming.withMutableBytes { (buffer) throws(SystemError) in
      try read(UnsafeMutableRawBufferPointer(rebasing: buffer[have...]))
    }
    incoming.removeLast(ServerWire.piece - count)
    return count > 0
  }

  /// Hands over the bytes behind a line.
  func take(_ size: Int64, _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Void) throws {
    var left = size
    while left > 0 {
      if taken == incoming.count {
        do throws(SystemError) {
          guard try more() else { throw SystemError.short("standard input") }
        } catch { throw Broken(error: error) }
      }
      let count = min(Int(clamping: left), incoming.count - taken)
      let piece = Array(incoming[taken..<taken + count])
      use(count)
      left -= Int64(count)
      try piece.withBytes(body)
    }
  }

  /// Passes over what belongs to a request that was refused.
  func skip(to end: Int64) throws(SystemError) {
    while position < end {
      if taken == incoming.count { guard try more() else { return } }
      use(Int(min(end - position, Int64(incoming.count - taken))))
    }
  }

  // MARK: Out

  func answer(_ answer: Wire.Answer) throws(SystemError) {
    outgoing.append(contentsOf: (answer.line + "\n").utf8)
    if outgoing.count >= ServerWire.piece { try flush() }
  }

  /// Sends bytes behind a line: so many, for the other side counts on them.
  func send(
    _ count: Int64, _ source: (UnsafeMutableRawBufferPointer, Int64) throws(SystemError) -> Int
  ) throws {
    var at: Int64 = 0
    while at < count {
      let room = Int(min(Int64(ServerWire.piece), count - at))
      let have = outgoing.count
      outgoing.append(contentsOf: repeatElement(0, count: room))
      do throws(SystemError) {
        let got = try outgoing.withMutableBytes { (buffer) throws(SystemError) in
          try source(UnsafeMutableRawBufferPointer(rebasing: buffer[have...]), at)
        }
        guard got == room else { throw SystemError.short("file") }
        if outgoing.count >= ServerWire.piece { try flush() }
      } catch { throw Broken(error: error) }
      at += Int64(room)
    }
  }

  func flush() throws(SystemError) {
    guard !outgoing.isEmpty else { return }
    try outgoing.withBytes(write)
    outgoing.removeAll(keepingCapacity: true)
  }
}
