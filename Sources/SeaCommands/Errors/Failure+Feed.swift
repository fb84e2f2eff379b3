import SeaEngine

extension Failure {
  /// The file that keeps a position: what it says is none of this database, or none at all.
  static func badState(_ path: String, _ error: KitError) -> Failure {
    let hint = "to start anew: rm \(Escape.shell(path)); then --since says where it begins"
    if case .badPosition(let text) = error, !text.isEmpty {
      // It may be anything: nobody is told to take it away.
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
