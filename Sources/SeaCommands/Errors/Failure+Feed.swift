extension Failure {
  /// A position of another database, of a backup that was restored, or of before what is known was taken in anew.
  static func expired(_ position: String) -> Failure {
    Failure(
      .expired,
      "this database knows no position '\(position)': it is of another one, or of before this was restored or repaired",
      hint: "start anew with: sea changes --since=0, which tells of everything; or go on from: sea changes --position",
      ["position": position])
  }
}
