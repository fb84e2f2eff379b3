import Glibc
import SeaContainer
import SeaSystem

/// The helper's end of a connection. All waits have a time limit.
package final class FarEnd: @unchecked Sendable {
  private let input: Int32
  private let output: Int32
  private var rest: [UInt8] = []
  /// The number of bytes that are received before the connection breaks. `mostOut` limits sent bytes.
  fileprivate var mostIn = Int.max
  fileprivate var mostOut = Int.max

  fileprivate init(_ input: Int32, _ output: Int32, seconds: Int) {
    (self.input, self.output) = (input, output)
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(input, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(output, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
  }

  deinit {
    close(input)
    close(output)
  }

  fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    let count = Glibc.read(input, buffer.baseAddress, min(buffer.count, mostIn))
    guard count >= 0 else { throw SystemError(call: "read", errno: errno, path: "line") }
    mostIn -= count
    return count
  }

  /// Writes without raising SIGPIPE if the connection is closed.
  fileprivate func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var sent = 0
    while sent < bytes.count {
      guard mostOut > 0 else { throw SystemError(call: "send", errno: EPIPE, path: "line") }
      let most = min(bytes.count - sent, mostOut)
      let count = Glibc.send(output, bytes.baseAddress! + sent, most, Int32(MSG_NOSIGNAL))
      guard count > 0 else { throw SystemError(call: "send", errno: errno, path: "line") }
      sent += count
      mostOut -= count
    }
  }

  /// Sends data. Returns false if the other side has closed the connection.
  @discardableResult
  package func say(_ text: String) -> Bool { say(Array(text.utf8)) }

  @discardableResult
  package func say(_ bytes: [UInt8]) -> Bool { (try? bytes.withBytes(write)) != nil }

  /// Returns the next line; nil at the end of input or after the time limit.
  package func line() -> String? {
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      var piece = [UInt8](repeating: 0, count: 4096)
      guard let count = try? piece.withMutableBytes(read), count > 0 else { return nil }
      rest += piece[..<count]
    }
  }

  package func waitForEnd() { while line() != nil {} }
}

extension Helpers {
  /// The time limit for a wait, in seconds.
  private static let patience = 30

  /// Returns helpers that run as threads of the test process.
  /// - Parameter program: the body of each helper. The connection is closed when the body returns.
  package static func threads(_ program: @escaping @Sendable (FarEnd) -> Void) -> Helpers {
    threads { far, _ in program(far) }
  }

  /// - Parameter program: the body of each helper, which also receives the location.
  package static func threads(_ program: @escaping @Sendable (FarEnd, String) -> Void) -> Helpers {
    let helpers = Helpers { _ in "/thread" }
    helpers.silence = patience
    helpers.converse = { (launch) throws(SystemError) in
      let place = launch.arguments.last ?? ""
      let (here, there) = (try ThreadChannel.lane(), try ThreadChannel.lane())
      let far = FarEnd(here.out, there.into, seconds: patience)
      Threads.begin { program(far, place) }
      return Conversation(
        reading: File(descriptor: there.out, path: "line"), writing: File(descriptor: here.into, path: "line"),
        named: "thread")
    }
    return helpers
  }

  /// Returns helpers for the container in a folder.
  /// - Parameter cutAfter: the number of bytes in each direction before the connection breaks.
  package static func folder(
    _ path: String, _ right: ServerWire.Right = .everything, cutAfter: (in: Int, out: Int) = (.max, .max)
  ) -> Helpers {
    threads { far in
      (far.mostIn, far.mostOut) = cutAfter
      try? FolderServer(path, right, ServerWire(read: far.read, write: far.write)).run()
    }
  }

  /// Returns helpers for several containers. `path` returns the folder for a location.
  package static func folders(_ path: @escaping @Sendable (String) -> String) -> Helpers {
    threads { far, place in
      try? FolderServer(path(place), .everything, ServerWire(read: far.read, write: far.write)).run()
    }
  }
}
