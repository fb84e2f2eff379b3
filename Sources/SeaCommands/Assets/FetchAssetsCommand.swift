import SeaEngine
import SeaWords

/// `sea fetch-assets`: get the content of assets from containers.
enum FetchAssetsCommand: Command {
  static var title: Title {
    Title(
      "fetch-assets", .assets, .porcelain, needs: [.database, .lock], "get assets that are not here from containers")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[-n] [--from=PLACE] \(Option.limitForms) [--history] "
        + "\(AssetOptions.forms) [RECORD]..."
    ]
  }
  static let from = Option(
    "from", nil, .container, "PLACE", "from this container only, attached or not, or from a bundle or folder of bundles"
  )
  static let sizeLimit = Option("size-limit", nil, .size, "SIZE", "get at most SIZE bytes in all, and leave the rest")
  static var options: [Option] {
    [from, .timeLimit, sizeLimit, .limitRate, .jobs, AssetOptions.history] + AssetOptions.filters + [.dryRun]
  }
  static var operands: [Operand] { AssetOptions.operands }
  static var exits: [Exit] {
    [
      Exit(.success, "everything that was meant is here"),
      Exit(.notFound, "there is no such record, container or bundle, or the name means several"),
      Exit(.corrupt, "a copy is not what the records say; it was not taken"),
      Exit(.partial, "some assets are still not here; they are listed"),
      Exit(.unreachable, "assets are not here, and no container can be reached"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    try arguments.limit(session, passesOver: true)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    if !isDry { try database.assets.finishTaking() }
    let selection = try arguments.assets(in: database, session, withHistory: arguments.has(AssetOptions.history))
    let missing = try database.assets.missing(selection)
    let source = try FetchSource(arguments.text(from), wanted: missing, database, session)
    var run = FetchRun(session, database, isDry: isDry)
    if !missing.isEmpty { try run.get(missing, from: source) }
    return try run.finish()
  }
}
