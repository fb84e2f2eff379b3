import Glibc

/// One end of a two-way connection between threads of this process. Writing after the other end is closed throws an
/// error but does not raise a signal.
package final class ThreadChannel: @unchecked Sendable {
  private let input: Int32
  private let output: Int32

  private init(_ input: Int32, _ output: Int32) { (self.input, self.output) = (input, output) }

  deinit {
    close(input)
    close(output)
  }

  package static func made(named name: String) throws(SystemError) -> (here: Conversation, there: ThreadChannel) {
    let here = try lane()
    let there: (into: Int32, out: Int32)
    do throws(SystemError) { there = try lane() } catch {
      close(here.into)
      close(here.out)
      throw error
    }
    let conversation = Conversation(
      reading: File(descriptor: there.out, path: name), writing: File(descriptor: here.into, path: name), named: name)
    return (conversation, ThreadChannel(here.out, there.into))
  }

  /// Creates a one-way channel. Child processes do not inherit its ends.
  package static func lane() throws(SystemError) -> (into: Int32, out: Int32) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError("socketpair", "") }
    return (ends[0], ends[1])
  }

  /// Waits for bytes to arrive and returns their number; 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    let count = retried { Glibc.read(input, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw SystemError("read", "line") }
    return count
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = retried { Glibc.send(output, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw SystemError("send", "line") }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  package var isReaderClosed: Bool {
    var waits = [pollfd(fd: output, events: 0, revents: 0)]
    return poll(&waits, 1, 0) > 0 && waits[0].revents & Int16(POLLHUP | POLLERR) != 0
  }
}
