import Glibc

/// Waits for a change in a folder, a stop signal, a timeout, or the end of the process that reads the output. One thread
/// waits; other threads may change the folders or interrupt the wait.
package final class FileWatch: @unchecked Sendable {
  package struct Wake: Sendable {
    package var changes: [(folder: String, name: String)] = []
    /// Whether the event queue overflowed, so that events are missing.
    package var isOverfull = false
    package var signal: Int32?
    package var readerIsGone = false
    package var isAddressed = false

    package var isEmpty: Bool { changes.isEmpty && !isOverfull && signal == nil && !readerIsGone && !isAddressed }
  }

  /// The kernel events that report new entries, even incomplete ones, and the removal of the folder.
  private static let events =
    UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    | UInt32(IN_ONLYDIR)

  private let file: File
  private let stop: StopSignals?
  private struct Watched {
    var folders: [Int32: String] = [:]
    var descriptors: [String: Int32] = [:]

    mutating func forget(_ descriptor: Int32) {
      if let folder = folders.removeValue(forKey: descriptor) { descriptors[folder] = nil }
    }
  }

  private let watched = Guarded(Watched())
  private let bell: (output: File, input: File)
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  package init(stops: Bool = true) throws(SystemError) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError("inotify_init1", "") }
    file = File(descriptor: descriptor, path: "inotify")
    bell = try Launch.pipe("bell")
    for end in [bell.output, bell.input] { _ = fcntl(end.descriptor, F_SETFL, O_NONBLOCK) }
    stop = stops ? try StopSignals() : nil
  }

  /// Watches the given folders and no others.
  /// - Parameter deletions: the folder for which deleted entries are also reported. The kernel reports the removal of a
  ///   folder only after all its files are closed.
  /// - Returns: the folders that cannot be watched, because they are missing or the kernel's limit is reached.
  package func watch(only wanted: [String], deletions: String? = nil) -> [String] {
    let all = Set(wanted)
    return watched.with { watched in
      for (folder, descriptor) in watched.descriptors where !all.contains(folder) {
        inotify_rm_watch(file.descriptor, descriptor)
        watched.forget(descriptor)
      }
      return wanted.filter { folder in
        if watched.descriptors[folder] != nil { return false }
        let more = folder == deletions ? UInt32(IN_DELETE) : 0
        let descriptor = inotify_add_watch(file.descriptor, folder, FileWatch.events | more)
        guard descriptor >= 0 else { return true }
        watched.folders[descriptor] = folder
        watched.descriptors[folder] = descriptor
        return false
      }
    }
  }

  /// Watches one folder and no others.
  package func watch(_ folder: String) throws(SystemError) {
    guard watch(only: [folder]).isEmpty else {
      throw SystemError(call: "inotify_add_watch", errno: ENOENT, path: folder)
    }
  }

  /// Ends the current or next wait. Any thread can call this function.
  package func interrupt() {
    var byte: UInt8 = 0
    _ = Glibc.write(bell.input.descriptor, &byte, 1)
  }

  /// - Parameters:
  ///   - nanoseconds: the timeout; nil for none.
  ///   - others: descriptors that end the wait when they are readable or closed.
  package func wait(nanoseconds: Int64?, others: [Int32] = []) throws(SystemError) -> Wake {
    var polled = [
      pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stop?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      // `poll` always reports errors and hang-ups. A caller that does not handle stop signals does not own the output,
      // so the output is not polled.
      pollfd(fd: stop == nil ? -1 : 1, events: 0, revents: 0),
      pollfd(fd: bell.output.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    polled += others.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // Round up to whole milliseconds to avoid waking up early.
    let time = nanoseconds.map { Int32(clamping: (max(0, $0) + 999_999) / 1_000_000) } ?? -1
    let count = poll(&polled, nfds_t(polled.count), time)
    guard count >= 0 || errno == EINTR else { throw SystemError("poll", "") }
    var wake = Wake()
    wake.signal = stop?.readSignal()
    guard count > 0 else { return wake }
    wake.readerIsGone = polled[2].revents & Int16(POLLERR | POLLHUP) != 0
    if polled[3].revents != 0 {
      _ = buffer.withUnsafeMutableBytes { Glibc.read(bell.output.descriptor, $0.baseAddress!, $0.count) }
    }
    wake.isAddressed = polled[4...].contains { $0.revents != 0 }
    if polled[0].revents != 0 { try read(into: &wake) }
    return wake
  }

  private func read(into wake: inout Wake) throws(SystemError) {
    while true {
      let count = buffer.withUnsafeMutableBytes { Glibc.read(file.descriptor, $0.baseAddress!, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        guard count == 0 || errno == EAGAIN else { throw SystemError("read", "inotify") }
        return
      }
      watched.with { watched in
        buffer.withUnsafeBytes { bytes in
          let head = 16
          var at = 0
          while at + head <= count {
            let descriptor = bytes.loadUnaligned(fromByteOffset: at, as: Int32.self)
            let mask = bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
            let name = bytes[(at + head)..<min(at + head + length, count)].prefix { $0 != 0 }
            at += head + length
            if mask & UInt32(IN_Q_OVERFLOW) != 0 { wake.isOverfull = true }
            guard let folder = watched.folders[descriptor] else { continue }
            wake.changes.append((folder, String(decoding: name, as: UTF8.self)))
            // The watched folder has moved, so its path may lead to another folder.
            if mask & UInt32(IN_MOVE_SELF) != 0 { inotify_rm_watch(file.descriptor, descriptor) }
            if mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF) != 0 { watched.forget(descriptor) }
          }
        }
      }
    }
  }

  /// Ends this process by a signal, as if the signal had not been caught.
  package func end(by signal: Int32) -> Never { Interruption.die(of: signal) }
}

/// Catches stop signals so that the program can handle them at its next safe point. A second signal ends the program
/// immediately.
private final class StopSignals {
  nonisolated(unsafe) private static var writing: Int32 = -1

  private let reading: File
  private let written: File
  var descriptor: Int32 { reading.descriptor }

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe", "") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    reading = File(descriptor: ends[0], path: "signals")
    written = File(descriptor: ends[1], path: "signals")
    StopSignals.writing = ends[1]
    // If the parent process (such as nohup) made this program ignore a signal, keep ignoring it.
    for signal in SignalHandler.stopping where SignalHandler.address(of: signal) != SignalHandler.ignoring {
      SignalHandler.set(StopSignals.handle, for: signal, restarts: true)
    }
  }

  private static let handle: SignalHandler.Body = { signal in
    var byte = UInt8(truncatingIfNeeded: signal)
    let kept = errno
    _ = write(StopSignals.writing, &byte, 1)
    errno = kept
  }

  func readSignal() -> Int32? {
    var byte: UInt8 = 0
    return Glibc.read(reading.descriptor, &byte, 1) == 1 ? Int32(byte) : nil
  }
}
