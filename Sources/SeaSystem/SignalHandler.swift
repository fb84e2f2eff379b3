import Glibc

/// Sets the signal handlers of this process.
enum SignalHandler {
  /// A handler can run between any two instructions, so it may call only functions without memory allocation and locks.
  typealias Body = @convention(c) (Int32) -> Void

  // Handlers are compared by address; these are SIG_DFL and SIG_IGN.
  static let standard = 0
  static let ignoring = 1
  /// Signals that ask a process to stop.
  static let stopping = [SIGINT, SIGTERM, SIGHUP]

  static func address(_ action: sigaction) -> Int {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  }

  static func address(of signal: Int32) -> Int {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return address(action)
  }

  /// Installs a handler for one signal; the next one has its default effect. Nil restores the default at once.
  /// - Parameter restarts: whether interrupted system calls are restarted.
  static func set(_ body: Body?, for signal: Int32, restarts: Bool = false) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = body
    let once = CInt(bitPattern: 0x8000_0000)  // SA_RESETHAND
    if body != nil { action.sa_flags = restarts ? once | CInt(SA_RESTART) : once }
    sigaction(signal, &action, nil)
  }
}
