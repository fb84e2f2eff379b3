import SeaEngine
import SeaWords

/// `sea assets`: the large content that records name, and where it is.
enum AssetsCommand: Command {
  static var title: Title {
    Title("assets", .assets, .porcelain, needs: .database, "list the assets that records name")
  }
  static var synopsis: [String] {
    [
      "[--missing | --present] [--whereis] [--sort=size] [--history] \(AssetOptions.forms) "
        + "[--format=FORMAT [--shell]] [RECORD]...",
      "--unreferenced [--whereis] [--sort=size] [--max-size=SIZE] [--min-size=SIZE]",
    ]
  }
  static let missing = Option("missing", help: "only those that are not on this device")
  static let present = Option("present", help: "only those that are on this device")
  static let unreferenced = Option("unreferenced", help: "files on this device that no revision names")
  static let whereis = Option("whereis", help: "look which containers have them")
  static let sort = Option("sort", nil, .choice(["size"]), "size", "the largest first")
  static var options: [Option] {
    [missing, present, unreferenced, whereis, sort, AssetOptions.history] + AssetOptions.filters + [.format, .shell]
  }
  static var operands: [Operand] { AssetOptions.operands }
  static var exits: [Exit] { [Exit(.notFound, "there is no record RECORD, or the name means several")] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let only = try arguments.only(of: [missing, present, unreferenced])
    if only?.key == unreferenced.key {
      let useless = [AssetOptions.history, AssetOptions.types, AssetOptions.mime].first(where: arguments.has)?.dashed
      if let useless = useless ?? (arguments.operands.isEmpty ? nil : "RECORD") {
        throw UsageFault.excluded([unreferenced.dashed, useless])
      }
    }
    let database = try session.reading()
    let list = try AssetList(session, database, arguments)
    let selection = try arguments.assets(in: database, session, withHistory: arguments.has(AssetOptions.history))
    try database.atOneState {
      if only?.key == unreferenced.key {
        try database.assets.collection.forEachUnreferenced { place, size in
          if selection.filter.matches(size: size, mime: "", types: [""]) { try list.add(place, size) }
        }
      } else {
        try database.assets.forEachUse(selection) { use in
          let isHere = try database.assets.here(use.asset) != nil
          if let only, isHere == (only.key == missing.key) { return }
          try list.add(use, isHere: isHere)
        }
      }
      try list.end()
    }
    return .success
  }
}
