/// Moments at which programs of the user's can take part.
enum HookEvent: String, CaseIterable {
  case prePut = "pre-put"
  case postCommit = "post-commit"
  case postChange = "post-change"
  case postConflict = "post-conflict"
  case postImport = "post-import"
  case preExport = "pre-export"
  case prePurge = "pre-purge"
  case preResolve = "pre-resolve"
  case preSync = "pre-sync"
  case postSync = "post-sync"

  /// Whether a hook that fails keeps from happening what is about to.
  var canRefuse: Bool { rawValue.hasPrefix("pre-") }

  /// What says to programs that run in a hook which one it is.
  static let variable = "SEA_EVENT"

  /// Whether this program runs in a hook that is asked about what is to be written.
  static func isReviewing(_ host: Surroundings) -> Bool {
    host.variable(variable) == HookEvent.prePut.rawValue
  }
}
