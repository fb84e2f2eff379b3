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

  var canRefuse: Bool { rawValue.hasPrefix("pre-") }

  static let variable = "SEA_EVENT"

  /// Returns whether this process runs inside a hook that reviews a write.
  static func isReviewing(_ host: Environment) -> Bool {
    host.variable(variable) == HookEvent.prePut.rawValue
  }
}
