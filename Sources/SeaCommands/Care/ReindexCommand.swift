import SeaKit

/// `sea reindex`: build anew what follows from the chains.
enum ReindexCommand: Command {
  static var title: Title {
    Title("reindex", .care, .porcelain, needs: [.database, .lock], "build the projection anew from the chains")
  }
  static var synopsis: [String] { ["--projection [-n]"] }
  static let projection = Option("projection", help: "forget what the store shows and read every block again")
  static var options: [Option] { [projection, .dryRun] }
  static var exits: [Exit] { [Exit(.corrupt, "a chain does not verify; nothing was changed")] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    guard arguments.has(projection) else { throw UsageFault.needsOneOf(["--projection"]) }
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    let rebuilt = try database.rebuildProjection(dryRun: isDry)
    if rebuilt.unread > 0 {
      session.terminal.warning("not-readable", "\(Count(rebuilt.unread, "block")) can only be read by a newer program")
    }
    try session.terminal.report(
      isDry ? "would-reindex" : "reindexed",
      [
        "blocks": .integer(rebuilt.blocks), "unread": .integer(rebuilt.unread), "changed": .flag(rebuilt.changed),
      ]
    ) {
      let content = rebuilt.changed ? (isDry ? "would be another one" : "was another one before") : "is the same"
      return "projection: \(Count(rebuilt.blocks, "block")) \(isDry ? "looked at" : "read"), the content \(content)"
    }
    session.terminal.summarise(["blocks": .integer(rebuilt.blocks)])
    return .success
  }
}
