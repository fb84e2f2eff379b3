import SeaEngine

enum DropAssetsCommand: Command {
  static var title: Title {
    Title(
      "drop-assets", .assets, .porcelain, needs: [.database, .lock],
      "remove local copies of assets that containers have")
  }
  static var synopsis: [String] { ["[-n] [--min-copies=N] \(AssetOptions.forms) [RECORD]..."] }
  static let minCopies = Option(
    "min-copies", nil, .integer, "N", "keep assets that fewer than N containers have (default: assets.minCopies or 1)")
  static var options: [Option] { [minCopies] + AssetOptions.filters + [.dryRun] }
  static var operands: [Operand] { AssetOptions.operands }
  static var exits: [Exit] {
    [
      Exit(.success, "all selected assets were removed from this device"),
      Exit(.notFound, "no such record, or the name is ambiguous; nothing was removed"),
      Exit(.corrupt, "a copy in a container is damaged and was not counted"),
      Exit(.partial, "some assets were kept and are listed: too few good copies were found"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let least = try arguments.leastCopies(minCopies, session)
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    let selection = try arguments.assets(in: database, session, withHistory: true)
    let copies = try session.copies(in: database)
    var status = ExitStatus.success
    var (dropped, kept, bytes): (Int, Int, Int64) = (0, 0, 0)
    var removal = AssetRemoval(database.assets, copies.origins, least: least, dryRun: isDry) {
      status = status.and(.corrupt)
      try session.terminal.report($0)
    }
    try removal.drop(selection) { one in
      if one.isDropped {
        (dropped, bytes) = (dropped + 1, bytes + one.bytes)
      } else {
        kept += 1
        status = status.and(.partial)
      }
      try report(one, least, isDry, database, session)
    }
    let freed = dropped == 0 ? "nothing" : "\(Count(dropped, "asset")), \(SizeText.of(bytes))"
    try session.terminal.remark((isDry ? "would drop " : "dropped ") + freed)
    session.terminal.summarize(["dropped": .integer(dropped), "kept": .integer(kept), "bytes": .integer(bytes)])
    return status
  }

  private static func report(
    _ one: AssetDrop, _ least: Int, _ isDry: Bool, _ database: Database, _ session: Session
  ) throws {
    func item() throws -> Item {
      var item = try session.terminal.item(one.asset, in: database)
      item.add(["bytes": .integer(one.bytes), "copies": .texts(one.copies)])
      return item
    }
    try session.terminal.report(one.isDropped ? (isDry ? "would-drop" : "dropped") : "kept", item()) {
      if one.isDropped { return [] }
      let have = one.copies.isEmpty ? "no good copy elsewhere" : "\(one.copies.count) of \(least) copies elsewhere"
      let why = one.copies.count < least ? have : "shares a file with other assets that have too few copies"
      return ["kept \(try session.terminal.words(of: one.asset, in: database)): \(why)"]
    }
  }
}
