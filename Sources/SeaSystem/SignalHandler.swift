import Glibc

/// What this process does when a signal comes.
enum SignalHandler {
  /// It runs at any time, between any two instructions: it may only call what needs no memory and no lock.
  typealias Body = @convention(c) (Int32) -> Void

  // Handlers are told apart by their addresses; these are those of SIG_DFL and SIG_IGN.
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

  /// Has a signal handled from now on; the second one has its usual effect. Without a handler it has that at once.
  /// - Parameter restarts: whether calls of the system go on afterwards.
  static func set(_ body: Body?, for signal: Int32, restarts: Bool = false) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = body
    let once = CInt(bitPattern: 0x8000_0000)  // SA_RESETHAND
    if body != nil { action.sa_flags = restarts ? once | CInt(SA_RESTART) : once }
    sigaction(signal, &action, nil)
  }
}
