import SeaKit

extension Context {
  /// What to do for who has asked to be let in.
  func tellOfRequest(_ database: Database, _ name: String) throws -> ExitStatus {
    let contentType = try database.contentType()
    try report("requested") {
      $0.text("database", database.databaseID.description)
      $0.text("instance", database.instance.description)
      $0.text("name", name)
      $0.text("contentType", contentType)
      $0.text("dir", database.path)
    } text: {
      shown("Asked to be let into database \(short(database.databaseID)) (\(contentType))")
        + shown(" as new instance \(name) (\(short(database.instance)))")
    }
    notice("a member lets you in with: sea authorize \(short(database.instance)); then read with: sea sync")
    return .success
  }
}
