import SeaKit

/// Moments at which programs of the user's can take part.
enum HookEvent: String, CaseIterable {
  case postConflict = "post-conflict"
  case preResolve = "pre-resolve"

  /// Whether a hook that fails keeps from happening what is about to.
  var canRefuse: Bool { rawValue.hasPrefix("pre-") }
}

/// A program that did not let something happen.
struct HookRefusal: Error {
  enum Reason {
    case status(Int32)
    case tooLong(seconds: Int64)
    case notStarted(String)
  }
  /// The path of the hook, from the folder of all hooks.
  let hook: String
  let reason: Reason

  var words: String {
    switch reason {
    case .status(let status): "hook '\(hook)' ended with status \(status)"
    case .tooLong(let seconds): "hook '\(hook)' took longer than \(seconds) s and was ended"
    case .notStarted(let why): "hook '\(hook)' could not be started: \(why)"
    }
  }
}

extension Failure {
  static func describing(_ refusal: HookRefusal) -> Failure {
    Failure(
      "refused", .refused, "\(refusal.words); nothing was written", hint: "to do without hooks: --no-hooks",
      details: [("hook", refusal.hook)])
  }
}
