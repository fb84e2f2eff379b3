import Glibc

/// A program that runs alongside this process, with pipes for its input, output and errors. Input and output are
/// handled at the same time, so that the two processes never wait for each other.
///
/// Use each conversation on only one thread. When the object is released, the program reaches the end of its input.
/// `end` waits for the program.
package final class Conversation {
  package enum Step: Equatable, Sendable {
    case moved
    /// Nothing was sent or received before the timeout.
    case silent
    case closed
  }

  /// The maximum number of received bytes that are held for the caller.
  package static let most = 1 << 20
  private static let piece = 1 << 17
  private static let lastComplaints = 16

  package let name: String
  package var complains: (UnsafeRawBufferPointer) -> Void = { _ in }
  package var throttle: Throttle?
  private let incoming = ByteQueue()
  private let outgoing = ByteQueue()
  private var input: File?
  private var output: File?
  private var errors: File?
  private let process: pid_t?
  private let launch: Launch?
  private var ending: Launch.Ending?
  private let start = Trace.start()

  package init(_ launch: Launch) throws(SystemError) {
    name = launch.path
    self.launch = launch
    let toProgram = try Launch.pipe(launch.path)
    let fromProgram = try Launch.pipe(launch.path)
    let complaints = try Launch.pipe(launch.path)
    process = try launch.spawn(
      nil, given: toProgram.output.descriptor, output: fromProgram.input.descriptor,
      errors: complaints.input.descriptor)
    (input, output, errors) = (toProgram.input, fromProgram.output, complaints.output)
    for file in [toProgram.input, fromProgram.output, complaints.output] { Conversation.unblock(file) }
    launch.trace(nil, since: nil)
  }

  package init(reading output: File, writing input: File, named name: String) {
    self.name = name
    (self.input, self.output, process, launch) = (input, output, nil, nil)
    for file in [input, output] { Conversation.unblock(file) }
  }

  private static func unblock(_ file: File) {
    _ = fcntl(file.descriptor, F_SETFL, fcntl(file.descriptor, F_GETFL) | O_NONBLOCK)
  }

  deinit { if let process, ending == nil { finish(process, seconds: 0) } }

  // MARK: Input and output

  package var descriptors: [Int32] { [output, errors].compactMap { $0?.descriptor } }
  package var waiting: Int { outgoing.count }
  /// Received bytes that the caller has not removed yet; valid until the next step.
  package var available: UnsafeRawBufferPointer { incoming.waiting }
  /// Removes and returns a line without its line end. Returns nil if there is no complete line of at most `most` bytes.
  package func line(most: Int) -> String? { incoming.line(most: most) }

  package func send(_ bytes: UnsafeRawBufferPointer) { if input != nil { outgoing.append(bytes) } }
  package func send(_ bytes: [UInt8]) { if input != nil { outgoing.append(bytes) } }
  package func send(_ text: String) { send(Array(text.utf8)) }

  /// Removes the first `count` available bytes.
  package func removeFirst(_ count: Int) { incoming.removeFirst(count) }

  package func step(nanoseconds: Int64) throws(SystemError) -> Step {
    let ends = Clock.monotonic() + nanoseconds
    while true {
      let wantsMore = incoming.count < Conversation.most
      var files = [
        pollfd(fd: wantsMore ? output?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: waiting > 0 ? input?.descriptor ?? -1 : -1, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: errors?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      guard output != nil else { return .closed }
      let left = max(0, ends - Clock.monotonic())
      let count = retried { Int(poll(&files, 3, Int32(clamping: (left + 999_999) / 1_000_000))) }
      guard count >= 0 else { throw SystemError("poll", name) }
      if files[2].revents != 0 { try hear() }
      var moved = false
      if files[0].revents != 0 { moved = try receive() }
      if files[1].revents != 0 { moved = try deliver() || moved }
      if output == nil, available.isEmpty { return .closed }
      if moved { return .moved }
      if count == 0 || left == 0 { return .silent }
    }
  }

  private func receive() throws(SystemError) -> Bool {
    guard let count = try read(output, incoming) else { return false }
    throttle?.pass(count)
    if count == 0 { output = nil }
    return true
  }

  private func hear() throws(SystemError) {
    let bytes = ByteQueue()
    guard let count = try read(errors, bytes) else { return }
    if count == 0 { errors = nil } else { complains(bytes.waiting) }
  }

  /// Returns nil if nothing is available, and 0 at the end of the stream.
  private func read(_ file: File?, _ bytes: ByteQueue) throws(SystemError) -> Int? {
    guard let file else { return nil }
    var found: Int?
    try bytes.append(room: Conversation.piece) { (buffer) throws(SystemError) in
      let count = retried { Glibc.read(file.descriptor, buffer.baseAddress, buffer.count) }
      let code = errno
      if count >= 0 {
        found = count
        return count
      }
      if code == EAGAIN || code == EWOULDBLOCK { return 0 }
      throw SystemError(call: "read", errno: code, path: name)
    }
    return found
  }

  /// Returns false if nothing could be sent. If the program has stopped reading its input, closes the input; the
  /// program's output shows the reason.
  private func deliver() throws(SystemError) -> Bool {
    guard let input else { return false }
    let bytes = outgoing.waiting
    let count = SignalWatch.withoutPipeSignal {
      Glibc.write(input.descriptor, bytes.baseAddress, min(bytes.count, Conversation.piece))
    }
    let code = errno
    if count < 0 {
      if code == EAGAIN || code == EWOULDBLOCK { return false }
      guard code == EPIPE else { throw SystemError(call: "write", errno: code, path: name) }
      closeInput()
      return true
    }
    outgoing.removeFirst(count)
    throttle?.pass(count)
    return true
  }

  private func closeInput() {
    input = nil
    outgoing.removeAll()
  }

  // MARK: End

  /// Closes the program's input and waits for the program to end. Kills the program after `seconds`. Returns nil if
  /// there is no program.
  @discardableResult
  package func end(seconds: Double) -> Launch.Ending? {
    closeInput()
    guard let process else {
      output = nil
      return nil
    }
    if ending == nil { finish(process, seconds: seconds) }
    return ending
  }

  private func finish(_ process: pid_t, seconds: Double) {
    let start = Clock.monotonic()
    var signals = [SIGTERM, SIGKILL]
    var limit = Int64(seconds * 1e9)
    closeInput()
    while ending == nil {
      do throws(SystemError) {
        ending = try launch?.wait(process, WNOHANG)
        // Read and discard the remaining output, because no other code reads it.
        if errors != nil { try hear() }
        if output != nil, try read(output, incoming) == 0 { output = nil }
        removeFirst(available.count)
      } catch {
        ending = .exited(127)
      }
      guard ending == nil else { break }
      if Clock.monotonic() - start > limit, !signals.isEmpty {
        kill(process, signals.removeFirst())
        limit += 1_000_000_000
      }
      Clock.sleep(nanoseconds: 1_000_000)
    }
    output = nil
    // Child processes of the program may still be writing errors.
    for _ in 0..<Conversation.lastComplaints {
      guard let file = errors, (try? hear()) != nil, errors === file else { break }
      var waits = [pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)]
      if poll(&waits, 1, 0) <= 0 { break }
    }
    errors = nil
    launch?.trace(ending?.status, since: start)
  }
}
