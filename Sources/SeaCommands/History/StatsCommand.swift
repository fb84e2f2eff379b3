import SeaCore
import SeaEngine

enum StatsCommand: Command {
  static var title: Title {
    Title("stats", .history, .porcelain, needs: .database, "count records, revisions and blocks, by author")
  }
  static var synopsis: [String] { [""] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let database = try session.reading()
    let all = try database.statistics()
    try session.terminal.show(total(all, database)) { lines(all, session.terminal) }
    try list(
      session, all.types.map { ["type": .text($0.type).orNull, "records": .integer($0.count)] }, event: "type",
      [Column("TYPE", "type"), Column("RECORDS", "records", right: true)])
    try list(session, all.authors.map { author($0, session.terminal) }, event: "author", authorColumns)
    let containers = [
      Column("CONTAINER", "name"), Column("STATE", "state"), Column("TO PUSH", "to_push", right: true),
      Column("LAST SYNC", "last_sync", isWhole: true, none: "never"),
    ]
    if session.options.json {
      for one in all.containers { try session.terminal.object(one.item) }
    } else {
      try list(session, all.containers.map(\.item), event: "container", containers)
    }
    return .success
  }

  private static func list(_ session: Session, _ items: [Item], event: String, _ columns: [Column]) throws {
    if items.isEmpty { return }
    if !session.options.json { try session.terminal.line("") }
    let list = try Listing(session.terminal, columns)
    for one in items { try list.add(session.options.json ? Item(event: event, one) : one) }
    try list.end()
  }

  private static func total(_ all: Statistics, _ database: Database) -> Item {
    let (totals, blocks) = (all.totals, all.blocks)
    return Item(
      event: "stats",
      [
        "database": .id(database.databaseID), "instance": .id(database.instance), "records": .integer(all.records),
        "deleted": .integer(totals.deleted), "conflicts": .integer(all.conflicts),
        "revisions": .integer(totals.revisions),
        "waiting": .integer(all.waiting), "blocks": .integer(blocks.blocks), "bytes": .integer(blocks.bytes),
        "uncounted": .integer(blocks.uncounted), "removed": .integer(blocks.removed),
        "assets": .integer(totals.assets.count), "assets_bytes": .integer(totals.assets.bytes),
        "asset_files": .integer(totals.assetFiles.count), "asset_files_bytes": .integer(totals.assetFiles.bytes),
        "disk": .integer(totals.disk), "first": .time(blocks.first), "last": .time(blocks.last),
      ])
  }

  private static func lines(_ all: Statistics, _ terminal: Terminal) -> [String] {
    let (totals, blocks) = (all.totals, all.blocks)
    func line(_ title: String, _ number: String, _ more: [String?]) -> String {
      let space = String(repeating: " ", count: max(1, 14 - title.utf8.count))
      return title + space + ([number] + more.compactMap { $0 }).joined(separator: ", ")
    }
    func some(_ count: Int, _ words: String) -> String? { count > 0 ? "\(count) \(words)" : nil }
    var lines = [
      line("records", "\(all.records)", [some(totals.deleted, "deleted"), some(all.conflicts, "in conflict")]),
      line("revisions", "\(totals.revisions)", [some(all.waiting, "waiting")]),
      line(
        "blocks", "\(blocks.blocks)",
        [SizeText.of(blocks.bytes), some(blocks.removed, "removed"), some(blocks.uncounted, "ignored")]),
      line(
        "assets", "\(totals.assets.count)",
        [
          totals.assets.count > 0 ? SizeText.of(totals.assets.bytes) : nil,
          totals.assets.count > 0 || totals.assetFiles.count > 0
            ? "stored here: \(SizeText.of(totals.assetFiles.bytes)) in \(Count(totals.assetFiles.count, "file"))" : nil,
        ]),
      line("database", SizeText.of(totals.disk), []),
    ]
    if let first = blocks.first { lines.append(line("first change", terminal.text(first), [])) }
    if let last = blocks.last { lines.append(line("last change", terminal.text(last), [])) }
    return lines
  }

  private static let authorColumns = [
    Column("INSTANCE", "shown"), Column("BLOCKS", "blocks", right: true), Column("CHANGES", "changes", right: true),
    Column("SIZE", "size", right: true), Column("FIRST", brief: "first"), Column("LAST", brief: "last"),
  ]

  private static func author(_ one: (instance: UUID, name: String, total: BlockTotal), _ terminal: Terminal) -> Item {
    let total = one.total
    return [
      "instance": .id(one.instance), "name": .text(one.name), "blocks": .integer(total.blocks),
      "changes": .integer(total.changes), "bytes": .integer(total.bytes), "uncounted": .integer(total.uncounted),
      "removed": .integer(total.removed), "first": .time(total.first), "last": .time(total.last),
      "shown": .aside(one.name.isEmpty ? terminal.short(one.instance) : one.name),
      "size": .aside(SizeText.of(total.bytes)),
    ]
  }
}
