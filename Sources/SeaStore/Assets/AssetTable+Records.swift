import SeaCore

extension AssetTable {
  /// Visits the records of which some revision names an asset, by rising id, until `body` returns false.
  package func forEachHolder(withDeleted: Bool, _ body: (RecordRow) throws -> Bool) throws {
    let scan = try Statement(
      connection,
      """
      SELECT r.key, r.id, r.type, r.leaves, r.live, r.conflict, r.refers FROM record r
      WHERE r.key IN (SELECT record FROM asset_record) AND r.leaves > 0 AND (r.live > 0 OR ?1) ORDER BY r.id
      """)
    scan.bind(1, withDeleted ? 1 : 0)
    while try scan.step() { guard try body(records.recordRow(scan)) else { return } }
  }

  /// Up to `limit` assets by rising key of whose content no place is known to be here. It is looked up and not looked
  /// at: files that somebody has put in or taken away past this program are not seen.
  /// - Returns: with each, whether a record that is not deleted and has no other revision names it.
  package func assetsNotStored(
    after key: Int64 = 0, limit: Int = 1000
  ) throws(StoreError) -> [(asset: AssetRow, isCurrent: Bool)] {
    let scan = try connection.statement(
      """
      SELECT key, instance, first, last, size, digest, mime, EXISTS(
        SELECT 1 FROM asset_record h JOIN record r ON r.key = h.record WHERE h.asset = a.key AND r.live > 0
          AND NOT EXISTS(SELECT 1 FROM revision v WHERE v.record = r.key LIMIT 1 OFFSET 1))
      FROM asset a WHERE key > ? AND NOT EXISTS(
        SELECT 1 FROM asset b WHERE b.digest = a.digest AND b.size = a.size AND b.last - b.first + 1 = (
          SELECT count(*) FROM asset_file s WHERE s.instance = b.instance AND s.idx BETWEEN b.first AND b.last))
      ORDER BY key LIMIT ?
      """)
    defer { scan.reset() }
    scan.bind(1, key as Int64?).bind(2, limit)
    var rows: [(asset: AssetRow, isCurrent: Bool)] = []
    while try scan.step() { rows.append((try assetRow(scan), scan.int(7) != 0)) }
    return rows
  }

  /// Below this number files of ours were made while this database looked on; those from there on, if there are any,
  /// are from before it was put back from a copy.
  package func reservedAssets(_ instance: UUID) throws(StoreError) -> Int64 {
    try connection.metaInt(AssetTable.nextAsset + "." + instance.description) ?? 0
  }
}
