import Glibc

/// Blocks or ignores signals to this process while another program runs.
final class SignalWatch {
  private let taken: [Int32]
  private var mask = sigset_t()
  private var actions: [(signal: Int32, before: sigaction)] = []

  /// - Parameters:
  ///   - taking: the signals that `next` returns, except those that this process ignores.
  ///   - ignoring: the signals to ignore until `end`.
  init(taking: [Int32], ignoring: [Int32]) {
    taken = taking.filter { SignalHandler.address(of: $0) != SignalHandler.ignoring }
    // A process that ignores SIGCHLD cannot find out how a program ended.
    replace(SIGCHLD, by: SIG_DFL)
    for signal in ignoring { replace(signal, by: SIG_IGN) }
    var set = SignalWatch.set(taken)
    pthread_sigmask(SIG_BLOCK, &set, &mask)
  }

  /// Restores the original signal state. Signals sent with `again` take effect now.
  func end() {
    for (signal, before) in actions {
      var before = before
      sigaction(signal, &before, nil)
    }
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }

  /// Gives a new program the original signal state of this process, with default actions for SIGPIPE and SIGXFSZ.
  func restore(in attributes: inout posix_spawnattr_t, newSession: Bool) {
    let startsSession: Int16 = 0x80
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | (newSession ? startsSession : 0))
    posix_spawnattr_setsigmask(&attributes, &mask)
    let heard = actions.filter { SignalHandler.address($0.before) != SignalHandler.ignoring }
    var standard = SignalWatch.set([SIGPIPE, SIGXFSZ] + heard.map(\.signal))
    posix_spawnattr_setsigdefault(&attributes, &standard)
  }

  /// Returns the next caught signal; nil after the timeout.
  func next(nanoseconds: Int64) -> Int32? {
    var set = SignalWatch.set(taken)
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    let signal = sigtimedwait(&set, nil, &time)
    return signal > 0 ? signal : nil
  }

  /// Runs a write call with SIGPIPE blocked, so that a pipe without a reader only causes the error EPIPE.
  static func withoutPipeSignal(_ call: () -> Int) -> Int {
    var (pipe, before, pending) = (set([SIGPIPE]), sigset_t(), sigset_t())
    sigpending(&pending)
    let wasPending = sigismember(&pending, SIGPIPE) == 1
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    let result = retried(call)
    let code = errno
    if result < 0, code == EPIPE, !wasPending {
      var time = timespec()
      _ = retried { Int(sigtimedwait(&pipe, nil, &time)) }
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    errno = code
    return result
  }

  /// Sends a signal again, so that it takes effect at the end of the watch.
  func again(_ signal: Int32) { kill(getpid(), signal) }

  private func replace(_ signal: Int32, by handler: __sighandler_t?) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    var before = sigaction()
    sigaction(signal, &action, &before)
    actions.append((signal, before))
  }

  private static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
