import SeaEngine
import SeaSystem

/// A hook that failed.
struct HookRefusal: Error {
  enum Reason {
    case ending(Launch.Ending, seconds: Int64)
    case notStarted(SystemError)
    /// The hook belongs to another user, and was not run.
    case foreign(owner: UInt32)
  }
  /// The path of the hook, relative to the folder of hooks.
  let hook: String
  let reason: Reason
}

extension HookRefusal {
  var words: String {
    switch reason {
    case .ending(.timedOut, let seconds): "hook '\(hook)' took longer than \(seconds) s and was ended"
    case .ending(let ending, _): "hook '\(hook)' \(ending.words)"
    case .notStarted(let error): "hook '\(hook)' could not be started: \(error.reason)"
    case .foreign(let owner): "hook '\(hook)' belongs to another user (\(owner)) and was not run"
    }
  }
}

extension Launch.Ending {
  var words: String {
    switch self {
    case .exited(let status): "ended with status \(status)"
    case .signalled(let signal): "was ended by signal \(signal)"
    case .timedOut: "took too long"
    }
  }
}
