import SeaEngine
import SeaCore

extension Session {
  /// Reports an access request and the next steps.
  /// - Parameter isBundle: whether the database was created from bundles.
  func reportRequest(_ database: Database, _ name: String, isBundle: Bool = false) throws -> ExitStatus {
    let contentType = try database.contentType()
    let words = try database.access.ownCandidate().words
    try terminal.report(
      "requested",
      [
        "database": .id(database.databaseID), "instance": .id(database.instance), "name": .text(name),
        "content_type": .text(contentType), "dir": .text(database.path),
        "fingerprint": .text(words.words.joined(separator: " ")), "request": .text(database.folder.requestPath),
        "left": .flag(database.leftRequest),
      ]
    ) {
      [
        "Access requested for \(database.path)",
        "  database \(terminal.short(database.databaseID))  \(contentType)",
        "  instance \(terminal.short(database.instance))  \(name)", "  fingerprint: \(words)",
      ]
    }
    let name = database.leftRequest ? terminal.short(database.instance) : "FILE"
    if !database.leftRequest {
      let reason = isBundle ? "" : "the container is not writable: "
      terminal.notice("\(reason)give the file \(terminal.shown(database.folder.requestPath)) to a member")
    }
    terminal.notice(
      "to approve the request, an admin runs: sea authorize \(name); afterwards, run: sea \(isBundle ? "import" : "sync")"
    )
    return .success
  }
}
