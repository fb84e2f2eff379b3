import SeaEngine

extension Failure {
  /// A position of another database, of a backup that was restored, or of before what is known was taken in anew.
  static func expired(_ position: String) -> Failure {
    Failure(
      .expired,
      "this database knows no position '\(position)': it is of another one, or of before this was restored or repaired",
      hint: "start anew with: sea changes --since=0, which tells of everything; or go on from: sea changes --position",
      ["position": position])
  }

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
