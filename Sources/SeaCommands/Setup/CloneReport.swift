import SeaKit
import SeaCore

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
    try report(
      "cloned",
      [
        "database": .id(database.databaseID), "instance": .id(database.instance), "name": .text(name),
        "content_type": .text(contentType), "dir": .text(database.path),
      ]
    ) {
      [
        "Cloned database \(short(database.databaseID)) (\(contentType))"
          + " as new instance \(name) (\(short(database.instance)))",
        "  \(Count(exchange.pulled, "block")), \(Count(records, "record")), "
          + "\(Count(conflicts, "conflict", zero: "no"))" + (assets > 0 ? ", \(Count(assets, "asset"))" : "")
          + (missing.count > 0
            ? "; \(Count(missing.count, "asset")) (\(SizeText.of(missing.bytes))) left out: sea fetch-assets" : ""),
      ]
    }
    summarise([
      "blocks": .integer(exchange.pulled), "records": .integer(records), "conflicts": .integer(conflicts),
      "assets": .integer(assets), "problems": .integer(problems.count),
    ])
    if exchange.problems.contains(where: { $0.isError }) { return .corrupt }
    let isLacking = problems.count > exchange.problems.count
    return exchange.isArriving || isLacking ? .partial : .success
  }
}
