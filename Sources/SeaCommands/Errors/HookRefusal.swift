import SeaEngine
import SeaSystem

struct HookRefusal: Error {
  enum Reason {
    case ending(Launch.Ending, seconds: Int64)
    case notStarted(SystemError)
    /// The hook did not run because it belongs to another user.
    case foreign(owner: UInt32)
  }
  /// The path of the hook, relative to the hooks folder.
  let hook: String
  let reason: Reason
}

extension HookRefusal {
  var words: String {
    switch reason {
    case .ending(.timedOut, let seconds): "hook '\(hook)' timed out after \(seconds) s"
    case .ending(let ending, _): "hook '\(hook)' \(ending.words)"
    case .notStarted(let error): "cannot start hook '\(hook)': \(error.reason)"
    case .foreign(let owner): "hook '\(hook)' was not run: it belongs to another user (\(owner))"
    }
  }
}

extension Launch.Ending {
  var words: String {
    switch self {
    case .exited(let status): "failed with status \(status)"
    case .signaled(let signal): "was terminated by signal \(signal)"
    case .timedOut: "timed out"
    }
  }
}
