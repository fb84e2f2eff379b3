import SeaEngine

extension Failure {
  /// Describes a state file whose position is invalid or belongs to another database.
  static func badState(_ path: String, _ error: KitError) -> Failure {
    let hint = "to start anew: rm \(Escape.shell(path)); then --since says where it begins"
    if case .badPosition(let text) = error, !text.isEmpty {
      // The file may contain anything, so the hint must not suggest to remove it.
      return Failure(
        .badData, "'\(path)' has no position: '\(text)'",
        hint: "nothing was written to it; name a file that is not there yet, and --since says where it begins",
        ["file": path])
    }
    guard case .badPosition = error else {
      let inner = describing(error)
      return Failure(inner.kind, "'\(path)': \(inner.message)", hint: hint, ["file": path])
    }
    return Failure(.badData, "'\(path)' is empty", hint: hint, ["file": path])
  }
}
