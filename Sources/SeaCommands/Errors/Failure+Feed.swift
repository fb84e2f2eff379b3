import SeaEngine

extension Failure {
  /// Describes a state file whose position is invalid or belongs to another database.
  static func badState(_ path: String, _ error: KitError) -> Failure {
    let hint = "to start again, run: rm \(Escape.shell(path)); to choose a position, use --since"
    if case .badPosition(let text) = error, !text.isEmpty {
      // The file may be something else entirely, so the hint must not suggest deleting it.
      return Failure(
        .badData, "'\(path)' does not contain a position: '\(text)'",
        hint: "the file was not changed; give the name of a new file; to choose a position, use --since",
        ["file": path])
    }
    guard case .badPosition = error else {
      let inner = describing(error)
      return Failure(inner.kind, "'\(path)': \(inner.message)", hint: hint, ["file": path])
    }
    return Failure(.badData, "'\(path)' is empty", hint: hint, ["file": path])
  }
}
