import SeaSystem

/// The server side of the connection. Answers are sent once no more requests are waiting.
package final class ServerWire {
  package struct Broken: Error { package let error: SystemError }

  private static let piece = 1 << 18

  private let read: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
  private let write: (UnsafeRawBufferPointer) throws(SystemError) -> Void
  private let descriptor: Int32?
  private let incoming = ByteQueue()
  private let outgoing = ByteQueue()
  package private(set) var used: Int64 = 0

  package init(
    descriptor: Int32? = nil, read: @escaping (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int,
    write: @escaping (UnsafeRawBufferPointer) throws(SystemError) -> Void
  ) {
    (self.descriptor, self.read, self.write) = (descriptor, read, write)
  }

  package convenience init(reading input: File, writing output: File) {
    self.init(
      descriptor: input.descriptor, read: { (buffer) throws(SystemError) in try input.readSome(into: buffer) },
      write: { (bytes) throws(SystemError) in try output.write(bytes) })
  }

  // MARK: Requests

  package enum Right: String, Sendable {
    case everything = ""
    /// Existing files cannot be changed, except summary files.
    case append = "append-only"
    case read = "read-only"

    package var words: [String] { self == .everything ? [] : [rawValue] }

    fileprivate func refusal(of request: Wire.Request) -> String? {
      switch (self, request) {
      case (.everything, _): nil
      case (.read, .put), (.read, .replace): "writing is not allowed"
      case (.append, .replace(let path, _)) where !path.hasPrefix(SmallFolder.heads.rawValue + "/"):
        "replacing files is not allowed"
      case (_, .move), (_, .delete): "moving and deleting files is not allowed"
      default: nil
      }
    }
  }

  /// Answers requests of sea-helpers(5) until the client says goodbye or disconnects.
  /// - Parameters:
  /// - greet: opens the files and returns the rights and words for the greeting. If it throws a `WireRefusal`, that is
  /// sent as the answer.
  /// - waits: a closure that is called before waiting for the next request.
  ///   - say: sends an answer after all previous answers.
  ///   - reply: executes a request and reads its bytes. A goodbye is passed as `flush`.
  package func serve(
    greet: () throws -> (right: Right, words: [String]), waits: () throws -> Void = {},
    say: (Wire.Answer) throws -> Void, reply: (Wire.Request) throws -> Void
  ) throws {
    guard let first = try line() else { return }
    let right: Right
    do {
      guard case .greet? = Wire.Request(first) else { throw WireRefusal(.badRequest, "expected a greeting first") }
      let greeting = try greet()
      right = greeting.right
      try answer(.greet(version: Wire.version, words: right.words + greeting.words))
      try flush()
    } catch let refusal as WireRefusal {
      try answer(refusal.answer)
      return try flush()
    }
    while true {
      try waits()
      guard let line = try line() else { break }
      guard let request = Wire.Request(line) else {
        let (code, bytes) = Wire.Request.fault(of: line)
        try skip(to: used + bytes)
        try say(.error(code.rawValue, "invalid request"))
        continue
      }
      if case .greet = request {
        try say(.error(WireCode.badRequest.rawValue, "unexpected second greeting"))
      } else if let text = right.refusal(of: request) {
        try skip(to: used + request.size)
        try say(.error(WireCode.denied.rawValue, text))
      } else {
        try reply(request == .bye ? .flush : request)
      }
      if request == .bye { break }
    }
  }

  // MARK: Receiving

  /// Returns the next line; nil at the end or if the line is too long.
  package func line() throws(SystemError) -> String? {
    while true {
      let before = incoming.count
      if let line = incoming.line(most: Wire.longestLine) {
        used += Int64(before - incoming.count)
        return line
      }
      guard incoming.count <= Wire.longestLine, try more() else { return nil }
    }
  }

  /// Whether a complete line, or a line that is too long, has been received.
  package var hasLine: Bool { incoming.count > Wire.longestLine || incoming.waiting.contains(0x0A) }

  func wait(_ watch: FileWatch, nanoseconds: Int64) throws(SystemError) -> FileWatch.Wake {
    var wake = try watch.wait(
      nanoseconds: incoming.isEmpty ? nanoseconds : 0, others: descriptor.map { [$0] } ?? [])
    if !incoming.isEmpty { wake.isAddressed = true }
    return wake
  }

  private func use(_ count: Int) {
    incoming.removeFirst(count)
    used += Int64(count)
  }

  /// Returns false at the end of the input.
  private func more() throws(SystemError) -> Bool {
    // A client that is waiting for an answer sends nothing.
    try flush()
    let have = incoming.count
    try incoming.append(room: ServerWire.piece, read)
    return incoming.count > have
  }

  package func read(_ size: Int64, _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Void) throws {
    var left = size
    while left > 0 {
      if incoming.isEmpty {
        do throws(SystemError) {
          guard try more() else { throw SystemError.short("standard input") }
        } catch { throw Broken(error: error) }
      }
      let count = min(Int(clamping: left), incoming.count)
      try body(UnsafeRawBufferPointer(rebasing: incoming.waiting[..<count]))
      use(count)
      left -= Int64(count)
    }
  }

  package func skip(to end: Int64) throws(SystemError) {
    while used < end {
      if incoming.isEmpty { guard try more() else { return } }
      use(Int(min(end - used, Int64(incoming.count))))
    }
  }

  // MARK: Sending

  package func answer(_ answer: Wire.Answer) throws(SystemError) {
    outgoing.append(Array((answer.line + "\n").utf8))
    if outgoing.count >= ServerWire.piece { try flush() }
  }

  /// Sends a line followed by exactly `count` bytes, because the client expects that number.
  func send(
    _ count: Int64, _ source: (UnsafeMutableRawBufferPointer, Int64) throws(SystemError) -> Int
  ) throws {
    var at: Int64 = 0
    while at < count {
      let room = Int(min(Int64(ServerWire.piece), count - at))
      do throws(SystemError) {
        try outgoing.append(room: room) { (buffer) throws(SystemError) in
          guard try source(buffer, at) == room else { throw SystemError.short("file") }
          return room
        }
        if outgoing.count >= ServerWire.piece { try flush() }
      } catch { throw Broken(error: error) }
      at += Int64(room)
    }
  }

  package func send(_ bytes: [UInt8]) throws(SystemError) {
    outgoing.append(bytes)
    if outgoing.count >= ServerWire.piece { try flush() }
  }

  package func flush() throws(SystemError) {
    guard !outgoing.isEmpty else { return }
    try write(outgoing.waiting)
    outgoing.removeAll()
  }
}

/// The reason for a refusal, as sent to the client, so it must not contain secrets.
package struct WireRefusal: Error, Equatable, Sendable {
  package let code: WireCode
  package let text: String

  package init(_ code: WireCode, _ text: String = "") { (self.code, self.text) = (code, text) }

  package static let notFound = WireRefusal(.notFound)
  package static let exists = WireRefusal(.exists)

  /// The refusal as a single line without control characters, whatever its text contains.
  package var answer: Wire.Answer {
    let line = String(
      text.unicodeScalars.prefix(300).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    return .error(code.rawValue, String(decoding: line.utf8.prefix(900), as: UTF8.self))
  }
}
