import SeaCore
import SeaEngine
import SeaWords

/// `sea reindex`: indexes, and everything else that follows from the chains.
enum ReindexCommand: Command {
  static var title: Title {
    Title("reindex", .care, .porcelain, needs: [.database, .lock], "make indexes, or build the projection anew")
  }
  static var synopsis: [String] {
    [
      "[-n]", "--add=INDEX [--shared] [-n]", "--add-text=INDEX [--shared] [-n]",
      "--remove=NAME [--shared] [-n]", "--list", "--projection [-n]",
    ]
  }
  static let add = Option("add", nil, .text, "INDEX", "make an index of values: NAME=TYPE:PATHS")
  static let addText = Option("add-text", nil, .text, "INDEX", "make an index of words: NAME=TYPE:PATHS")
  static let remove = Option("remove", nil, .index, "NAME", "end an index")
  static let shared = Option("shared", help: "an index that all instances have")
  static let list = Option("list", help: "list the indexes")
  static let projection = Option("projection", help: "forget what the store shows and read every block again")
  static var options: [Option] { [add, addText, remove, shared, list, projection, .dryRun] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "there is no index NAME"),
      Exit(.corrupt, "a chain does not verify; nothing was changed"),
      Exit(.badData, "INDEX cannot be understood, or there are too many indexes"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let chosen = try arguments.only(of: [add, addText, remove, list, projection])
    if arguments.has(shared), chosen.map({ [list.key, projection.key].contains($0.key) }) ?? true {
      throw UsageFault.excluded(["--shared", chosen?.dashed ?? "no --add or --remove"])
    }
    if arguments.has(list), arguments.has(.dryRun) { throw UsageFault.excluded(["--list", "--dry-run"]) }
    let isDry = arguments.has(.dryRun)
    let database = isDry || arguments.has(list) ? try session.reading() : try session.writing(as: self)
    guard !arguments.has(projection) else { return try rebuild(session, database, isDry) }
    let change = IndexChange(
      session: session, database: database, isShared: arguments.has(shared), isDry: isDry)
    if arguments.has(list) { return try change.list() }
    var settings: IndexSettings?
    if let text = arguments.text(add) { settings = try change.adding(text, .values) }
    if let text = arguments.text(addText) { settings = try change.adding(text, .text) }
    if let name = arguments.text(remove) { settings = try change.removing(name) }
    return try change.follow(settings)
  }

  private static func rebuild(_ session: Session, _ database: Database, _ isDry: Bool) throws -> ExitStatus {
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
