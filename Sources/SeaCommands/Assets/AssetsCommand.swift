import SeaCore
import SeaEngine
import protocol SeaContainer.AssetSource

enum AssetsCommand: Command {
  static var title: Title { Title("assets", .assets, .porcelain, needs: .database, "list the assets of records") }
  static var synopsis: [String] {
    [
      "[--missing | --present] [--whereis] [--sort=size] [--history] \(AssetOptions.forms) "
        + "[--format=FORMAT [--shell]] [RECORD]...",
      "--unreferenced [--whereis] [--sort=size] [--max-size=SIZE] [--min-size=SIZE]",
    ]
  }
  static let missing = Option("missing", help: "list only assets that are not on this device")
  static let present = Option("present", help: "list only assets that are on this device")
  static let unreferenced = Option("unreferenced", help: "list files on this device that no revision uses")
  static let whereis = Option("whereis", help: "show which containers have each asset")
  static let sort = Option("sort", nil, .choice(["size"]), "size", "sort by size, largest first")
  static var options: [Option] {
    [missing, present, unreferenced, whereis, sort, AssetOptions.history] + AssetOptions.filters + [.format, .shell]
  }
  static var operands: [Operand] { AssetOptions.operands }
  static var exits: [Exit] { [Exit(.notFound, "no such record, or the name is ambiguous")] }

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

final class AssetList {
  private static let fields = [
    "id", "type", "path", "asset", "size", "mime", "sha256", "pieces", "here", "where", "copies",
  ]

  private let database: Database
  private let copies: AssetCopies?
  private let list: Listing
  private var waiting: [(size: Int64, item: Item)]?

  init(_ session: Session, _ database: Database, _ arguments: Arguments) throws {
    self.database = database
    copies = arguments.has(AssetsCommand.whereis) ? try session.copies(in: database) : nil
    let columns = [
      Column("ID", "id"),
      // No record refers to an unreferenced asset, so only its location identifies it.
      Column("PATH") { item, session in
        item["path"].cell(session) ?? (item["id"].plain.isEmpty ? item["asset"].plain : "-")
      },
      Column("SIZE", "shown", right: true), Column("KIND", "mime"), Column("HERE", "here"),
    ]
    list = try Listing(
      session.terminal,
      columns + (copies == nil ? [] : [Column("COPIES", "copies", right: true), Column("IN", "where")]),
      fields: AssetList.fields, arguments)
    if arguments.has(AssetsCommand.sort) { waiting = [] }
  }

  func add(_ use: AssetUse, isHere: Bool) throws {
    try add(
      use, use.asset.extent.description, use.asset.size, isHere: isHere,
      copies.map { try database.assets.holders(of: use.asset, among: $0.origins) })
  }

  /// Adds an asset file that no record uses.
  func add(_ place: AssetPlace, _ size: Int64) throws {
    try add(
      nil, place.description, size, isHere: true,
      copies.map { copies in try copies.origins.filter { try $0.source.assetSize(place) == size }.map(\.name) })
  }

  private func add(_ use: AssetUse?, _ place: String, _ size: Int64, isHere: Bool, _ containers: [String]?) throws {
    let item: Item = [
      "event": .text("asset"), "id": .text(use?.record.id), "type": .text(use?.record.type),
      "path": use?.path.map { .path($0) } ?? .absent, "asset": .text(place), "size": .integer(size),
      "mime": .text(use?.asset.mime),
      "sha256": .text(use.flatMap { $0.asset.list == nil ? $0.asset.digest : nil }),
      "pieces": .text(use.flatMap { $0.asset.list == nil ? nil : $0.asset.digest }), "here": .flag(isHere),
      "where": containers.map { .texts($0) } ?? .absent,
      "copies": .integer(containers.map { $0.count + (isHere ? 1 : 0) }),
      "shown": .aside(SizeText.of(size)),
    ]
    if waiting == nil { try list.add(item) } else { waiting?.append((size, item)) }
  }

  /// Prints the sorted items. Call this function once, after the last item.
  func end() throws {
    let sorted = (waiting ?? []).enumerated().sorted {
      ($1.element.size, $0.offset) < ($0.element.size, $1.offset)
    }
    for (_, one) in sorted { try list.add(one.item) }
    try list.end()
  }
}
