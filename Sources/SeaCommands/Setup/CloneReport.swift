import SeaKit

extension Context {
  /// Tells of a new instance: what it is, and what came with it.
  func reportClone(_ database: Database, _ name: String, blocks: Int, assets: Int) throws {
    let contentType = try database.contentType()
    let records = try database.records.count()
    let conflicts = try database.conflicts.count()
    let missing = try database.countMissingAssets()
    try report("cloned") {
      $0.text("database", database.databaseID.description)
      $0.text("instance", database.instance.description)
      $0.text("name", name)
      $0.text("contentType", contentType)
      $0.text("dir", database.path)
    } text: {
      shown("Cloned database \(short(database.databaseID)) (\(contentType))")
        + shown(" as new instance \(name) (\(short(database.instance)))")
        + "\n  \(Count(blocks, "block")), \(Count(records, "record")), \(Count(conflicts, "conflict", zero: "no"))"
        + (assets > 0 ? ", \(Count(assets, "asset"))" : "")
        + (missing.count > 0
          ? "; \(Count(missing.count, "asset")) (\(SizeText.of(missing.bytes))) left out: sea fetch-assets" : "")
    }
  }
}
