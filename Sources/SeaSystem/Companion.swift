import Glibc

/// A program that runs alongside this process and stops when this process stops, even if this process is killed.
package final class Companion: @unchecked Sendable {
  private static let longestLine = 1 << 16
  /// The maximum duration of a single wait, in nanoseconds. A longer wait is split into several waits.
  private static let longestWait: Int64 = 60_000_000_000

  /// A shell script that starts the program, and then waits until a pipe that only this process holds open is closed.
  private static let script = #""$@" </dev/null & child=$!; exec >&- 2>&-; read -r _; kill "$child"; wait "$child""#

  private let launch: Launch
  private let process: pid_t
  private let ear: OutputReader
  private var held: File?
  private let heard = ByteQueue()
  private var worker: Worker?

  package init(_ program: Launch) throws(SystemError) {
    var launch = program
    launch.path = "/bin/sh"
    launch.arguments = ["sh", "-c", Companion.script, "sh", program.path] + program.arguments.dropFirst()
    launch.printsToError = true
    self.launch = launch
    ear = try OutputReader(program.path) { [heard] in heard.append($0) }
    let (given, held) = try Launch.pipe(program.path)
    process = try launch.spawn(nil, given: given.descriptor, errors: ear.input?.descriptor)
    ear.begin()
    try? given.close()
    self.held = held
  }

  deinit { end() }

  /// Returns the next line of output; nil if the program has ended or the time is up.
  package func line(within seconds: Double) -> String? {
    let ends = seconds.isFinite ? Clock.monotonic() + Int64(seconds * 1e9) : .max
    while true {
      if let line = heard.line(most: Companion.longestLine) { return line }
      let left = ends - Clock.monotonic()
      guard left > 0, heard.count <= Companion.longestLine, ear.isOpen else { return nil }
      ear.listen(nanoseconds: min(left, Companion.longestWait))
    }
  }

  /// Forwards all further lines to a file on another thread, except lines that carry no information. Do not call `line`
  /// after this.
  package func passOn(to file: File, unless isNothing: @escaping @Sendable (String) -> Bool) throws(SystemError) {
    let worker = try Worker()
    worker.start { [self] in
      while let line = line(within: .infinity) {
        if !isNothing(line) { try? file.write(line + "\n") }
      }
    }
    self.worker = worker
  }

  /// Stops the program and waits until it has ended.
  package func end() {
    guard held != nil else { return }
    try? held?.close()
    held = nil
    _ = try? launch.wait(process, 0)
    worker?.wait()
  }
}
