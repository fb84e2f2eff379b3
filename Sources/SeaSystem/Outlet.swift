import Glibc

/// A pager: a program that reads the output of this process and shows it on the same terminal. This process waits for
/// the pager to end, even after a stop signal, so that the user can read all the output.
package final class Outlet {
  private static let signals = SignalHandler.stopping + [SIGQUIT]
  nonisolated(unsafe) private static var pipe: Int32 = -1
  nonisolated(unsafe) private static var program: pid_t = 0

  private let launch: Launch
  private let process: pid_t
  private let watch: SignalWatch
  private var file: File?
  package private(set) var isLeft = false

  package init(_ launch: Launch) throws(SystemError) {
    self.launch = launch
    let (given, held) = try Launch.pipe(launch.path)
    watch = SignalWatch(taking: [], ignoring: [SIGPIPE])
    do throws(SystemError) {
      process = try launch.spawn(watch, given: given.descriptor)
    } catch {
      watch.end()
      throw error
    }
    try? given.close()
    file = held
    Outlet.pipe = held.descriptor
    Outlet.program = process
    Outlet.handle(from: SignalHandler.standard, Outlet.end)
  }

  /// - Throws: EPIPE if the program has stopped reading.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    guard let file, !isLeft else { throw SystemError(call: "write", errno: EPIPE, path: launch.path) }
    do throws(SystemError) {
      try file.write(bytes)
    } catch {
      isLeft = error.isBrokenPipe
      throw error
    }
  }

  package func end() -> Launch.Ending? {
    guard file != nil else { return nil }
    // The program now handles key presses, and a signal from the keyboard must not end this process first.
    let waiting = SignalWatch(taking: [], ignoring: [SIGINT, SIGQUIT])
    Outlet.pipe = -1
    try? file?.close()
    file = nil
    let ending = (try? launch.wait(process, 0)) ?? nil
    waiting.end()
    Outlet.handle(from: unsafeBitCast(Outlet.end, to: Int.self), nil)
    watch.end()
    return ending
  }

  /// Sets the handler of each signal whose current handler is `from`. Does not change signals that have another
  /// handler.
  private static func handle(from: Int, _ handler: SignalHandler.Body?) {
    for signal in signals where SignalHandler.address(of: signal) == from { SignalHandler.set(handler, for: signal) }
  }

  private static let end: SignalHandler.Body = { signal in
    if Outlet.pipe >= 0 { close(Outlet.pipe) }
    var status: Int32 = 0
    while waitpid(Outlet.program, &status, 0) < 0, errno == EINTR {}
    // The signal takes effect when the handler returns.
    raise(signal)
  }
}
