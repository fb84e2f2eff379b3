import Glibc

/// A program that runs beside this one and ends with it, however this one ends.
package final class Companion: @unchecked Sendable {
  private static let longestLine = 1 << 16

  /// Its process is the child of a shell that waits for the end of a pipe which this process alone holds.
  private static let script = #""$@" </dev/null & child=$!; exec >&- 2>&-; read -r _; kill "$child"; wait "$child""#

  private let launch: Launch
  private let process: pid_t
  private let errors: File
  private var held: File?
  private var waiting: [UInt8] = []
  private var worker: Worker?

  /// - Parameter program: what it prints and complains is read here; it has nothing to read.
  package init(_ program: Launch) throws(SystemError) {
    var launch = program
    launch.path = "/bin/sh"
    launch.arguments = ["sh", "-c", Companion.script, "sh", program.path] + program.arguments.dropFirst()
    launch.printsToError = true
    self.launch = launch
    let (errors, input) = try Launch.pipe(program.path)
    let (given, held) = try Launch.pipe(program.path)
    process = try launch.spawn(nil, given: given.descriptor, errors: input.descriptor)
    try? given.close()
    try? input.close()
    (self.errors, self.held) = (errors, held)
  }

  deinit { end() }

  /// The next line that it writes; nil when it has ended, or when none comes in that time.
  package func line(within seconds: Double) -> String? {
    let ends = seconds.isFinite ? Clock.monotonic() + Int64(seconds * 1e9) : .max
    while true {
      if let end = waiting.firstIndex(of: 0x0A) {
        defer { waiting.removeSubrange(...end) }
        return String(decoding: waiting[..<end], as: UTF8.self)
      }
      let left = ends == .max ? Int64.max - 1_000_000 : ends - Clock.monotonic()
      guard left > 0, waiting.count < Companion.longestLine, let more = read(nanoseconds: left) else { return nil }
      waiting += more
    }
  }

  /// Hands on the lines that it writes from now on, on a thread of its own, but for those that say nothing. Nobody calls `line` any more.
  package func passOn(to file: File, unless isNothing: @escaping @Sendable (String) -> Bool) throws(SystemError) {
    let worker = try Worker()
    worker.start { [self] in
      while let line = line(within: .infinity) {
        if !isNothing(line) { try? file.write(line + "\n") }
      }
    }
    self.worker = worker
  }

  /// Ends it, and waits until it has ended.
  package func end() {
    guard held != nil else { return }
    try? held?.close()
    held = nil
    _ = try? launch.wait(process, 0)
    worker?.wait()
  }

  /// Nil at the end, and if nothing comes.
  private func read(nanoseconds: Int64) -> [UInt8]? {
    var waits = [pollfd(fd: errors.descriptor, events: Int16(POLLIN), revents: 0)]
    guard poll(&waits, 1, Int32(clamping: (nanoseconds + 999_999) / 1_000_000)) > 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = try? buffer.withMutableBytes { (bytes) throws(SystemError) in try errors.readSome(into: bytes) }
    guard let count, count > 0 else { return nil }
    return Array(buffer[..<count])
  }
}
