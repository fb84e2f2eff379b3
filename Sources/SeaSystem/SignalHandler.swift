import Glibc

enum SignalHandler {
  /// A signal handler can run between any two instructions, so it must not call functions that allocate memory or take
  /// locks.
  typealias Body = @convention(c) (Int32) -> Void

  // Handlers are compared by address. These are the addresses of SIG_DFL and SIG_IGN.
  static let standard = 0
  static let ignoring = 1
  static let stopping = [SIGINT, SIGTERM, SIGHUP]

  static func address(_ action: sigaction) -> Int {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  }

  static func address(of signal: Int32) -> Int {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return address(action)
  }

  /// Installs a handler for the next signal only; later signals have their default effect. Passing nil restores the
  /// default.
  /// - Parameter restarts: whether interrupted system calls are restarted.
  static func set(_ body: Body?, for signal: Int32, restarts: Bool = false) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = body
    let once = CInt(bitPattern: 0x8000_0000)  // SA_RESETHAND
    if body != nil { action.sa_flags = restarts ? once | CInt(SA_RESTART) : once }
    sigaction(signal, &action, nil)
  }
}
