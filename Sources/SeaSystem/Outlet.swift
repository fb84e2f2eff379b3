import Glibc

/// A program that reads what this one writes, at the same terminal: a pager. This process waits for it in the end, and also if a key or
/// another signal ends this process meanwhile: what has been written can be read to its end.
package final class Outlet {
  private static let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]
  // What the handler of a signal needs.
  nonisolated(unsafe) private static var pipe: Int32 = -1
  nonisolated(unsafe) private static var program: pid_t = 0

  private let launch: Launch
  private let process: pid_t
  private let watch: SignalWatch
  private var file: File?
  /// Whether it reads no more.
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
    for signal in Outlet.signals { Outlet.handle(signal, from: 0, Outlet.end) }
  }

  /// Fails with EPIPE when it reads no more.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    guard let file, !isLeft else { throw SystemError(call: "write", errno: EPIPE, path: launch.path) }
    do throws(SystemError) {
      try file.write(bytes)
    } catch {
      isLeft = error.isBrokenPipe
      throw error
    }
  }

  /// Waits until it has ended.
  package func end() -> Launch.Ending? {
    guard file != nil else { return nil }
    // A key is its business from now on, and a signal does not end this process before it.
    let waiting = SignalWatch(taking: [], ignoring: [SIGINT, SIGQUIT])
    Outlet.pipe = -1
    try? file?.close()
    file = nil
    let ending = (try? launch.wait(process, 0)) ?? nil
    waiting.end()
    for signal in Outlet.signals { Outlet.handle(signal, from: unsafeBitCast(Outlet.end, to: Int.self), nil) }
    watch.end()
    return ending
  }

  /// Signals that this process does not leave to the system are left alone.
  private static func handle(_ signal: Int32, from: Int, _ handler: (@convention(c) (Int32) -> Void)?) {
    var now = sigaction()
    sigaction(signal, nil, &now)
    guard unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self) == from else { return }
    var next = sigaction()
    next.__sigaction_handler.sa_handler = handler
    // SA_RESETHAND: the second one has its usual effect.
    if handler != nil { next.sa_flags = CInt(bitPattern: 0x8000_0000) }
    sigaction(signal, &next, nil)
  }

  // It runs at any time, between any two instructions: it may only call what needs no memory and no lock.
  private static let end: @convention(c) (Int32) -> Void = { signal in
    if Outlet.pipe >= 0 { close(Outlet.pipe) }
    var status: Int32 = 0
    while waitpid(Outlet.program, &status, 0) < 0, errno == EINTR {}
    // It takes effect when this returns.
    raise(signal)
  }
}
