import SeaEngine
import SeaCore
import SeaWords

extension Terminal {
  /// Tells of a new instance: what it is, what came with it, and what does not verify.
  func report(
    cloned database: Database, _ name: String, _ exchange: SyncResult, assets: Int
  ) throws -> ExitStatus {
    var problems = exchange.problems
    // Of a bundle it is told beside its name.
    if !problems.contains(where: { $0.code == .withheld }) { problems += try database.members.uncounted.withheld() }
    for problem in problems { try tell(problem) }
    let contentType = try database.contentType()
    let records = try database.records.count()
    let conflicts = try database.conflicts.count()
    let missing = try database.assets.countMissing()
    let left = exchange.limit.map { ["  \(exchange.left.words($0)); go on with: sea sync"] } ?? []
    try report(
      "cloned",
      [
        "database": .id(database.databaseID), "instance": .id(database.instance), "name": .text(name),
        "content_type": .text(contentType), "dir": .text(database.path),
      ]
    ) {
      [
        "Cloned into \(database.path)", "  database \(short(database.databaseID))  \(contentType)",
        "  instance \(short(database.instance))  \(name)",
        "  \(Count(exchange.pulled, "block")), \(Count(records, "record")), "
          + "\(Count(conflicts, "conflict", zero: "no"))" + (assets > 0 ? ", \(Count(assets, "asset"))" : "")
          + (missing.count > 0
            ? "; \(Count(missing.count, "asset")) (\(SizeText.of(missing.bytes))) left out: sea fetch-assets" : ""),
      ] + left
    }
    // A log that says the same name of both tells nobody who it was, and a name stays.
    let isTaken = try database.members.names().contains { $0 != database.instance && UTF8Text.equal($1, name) }
    if isTaken {
      notice("another instance is called \(shown(name)) as well; to tell them apart clone again with --name=LABEL")
    }
    summarise([
      "blocks": .integer(exchange.pulled), "records": .integer(records), "conflicts": .integer(conflicts),
      "assets": .integer(assets), "problems": .integer(problems.count),
    ])
    summarise(.left(exchange.left, exchange.limit))
    if exchange.problems.contains(where: { $0.isError }) { return .corrupt }
    let isLacking = problems.count > exchange.problems.count
    return exchange.isArriving || isLacking || exchange.limit != nil ? .partial : .success
  }
}

extension Restored {
  /// What a backup brought along that is off, or was left out.
  func tell(_ terminal: Terminal) {
    let left = terminal.shown(programs.joined(separator: ", "))
    if !left.isEmpty { terminal.notice("left out settings that run programs: \(left)") }
    if !hooks.isEmpty {
      terminal.notice(
        "hooks are there and off until their '.disabled' is taken away: "
          + terminal.shown(hooks.joined(separator: ", ")))
    }
  }
}
