import SeaKit

extension Context {
  /// What to do for who has asked to be let in.
  /// - Parameter isBundle: whether it came in bundles.
  func tellOfRequest(_ database: Database, _ name: String, isBundle: Bool = false) throws -> ExitStatus {
    let contentType = try database.contentType()
    let words = try database.ownWords()
    try report("requested") {
      $0.text("database", database.databaseID.description)
      $0.text("instance", database.instance.description)
      $0.text("name", name)
      $0.text("contentType", contentType)
      $0.text("dir", database.path)
      $0.text("fingerprint", words.words.joined(separator: " "))
      $0.text("request", database.requestPath)
      $0.flag("left", database.leftRequest)
    } text: {
      shown("Asked to be let into database \(short(database.databaseID)) (\(contentType))")
        + shown(" as new instance \(name) (\(short(database.instance)))")
        + "\n  words: \(words)"
    }
    let name = database.leftRequest ? short(database.instance) : "FILE"
    if !database.leftRequest {
      let reason = isBundle ? "" : "the container cannot be written to: "
      notice("\(reason)hand the file \(shown(database.requestPath)) to a member")
    }
    notice("a member lets you in with: sea authorize \(name); then read with: sea \(isBundle ? "import" : "sync")")
    return .success
  }
}

extension Context {
  /// That what a new instance writes does not count yet, and what somebody has to compare.
  func noticeIfPending(_ database: Database) throws {
    guard database.hasMembers, try database.status().isPending else { return }
    notice(
      "your changes wait until somebody authorises \(shown(try database.name())) and compares: "
        + "\(try database.ownWords())")
  }
}
