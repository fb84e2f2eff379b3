import SeaCore

extension Store {
  /// It takes as long as it takes to pass over the rows of blocks and revisions once.
  package func totals() throws(StoreError) -> Totals {
    var totals = Totals()
    let sums = try connection.statement(
      """
      SELECT (SELECT count(*) FROM record WHERE shape IS NULL AND leaves > 0), (SELECT count(*) FROM revision),
        (SELECT count(*) FROM asset_file), (SELECT ifnull(sum(size), 0) FROM asset_file)
      """)
    defer { sums.reset() }
    guard try sums.step() else { throw .damaged("projection") }
    totals.deleted = sums.int(0)
    totals.revisions = sums.int(1)
    totals.assetFiles = (sums.int(2), Int64(sums.int(3)))
    totals.assets = try assets.countAssets()
    totals.disk = try number("PRAGMA page_count") * number("PRAGMA page_size")
    let scan = try connection.statement(
      """
      SELECT s.instance, t.blocks, t.changes, t.bytes, t.uncounted, t.removed, t.first, t.last FROM (
        SELECT branch, count(*) AS blocks, sum(iif(counts, changes, 0)) AS changes, sum(size) AS bytes,
          sum(NOT counts) AS uncounted, sum(size = ?) AS removed, min(iif(counts AND changes > 0, time, NULL)) AS first,
          max(iif(counts AND changes > 0, time, NULL)) AS last
        FROM (SELECT branch, changes, size, time, applied IN (1, 5) AND unread IS NULL AS counts FROM block NOT INDEXED)
        GROUP BY branch) t
      JOIN branch s ON s.id = t.branch
      """)
    defer { scan.reset() }
    scan.bind(1, Remains.blockSize)
    while try scan.step() {
      guard scan.bytes(0).count == 16 else { throw .damaged("branch") }
      var total = BlockTotal()
      (total.blocks, total.changes, total.bytes) = (scan.int(1), scan.int(2), Int64(scan.int(3)))
      (total.uncounted, total.removed) = (scan.int(4), scan.int(5))
      (total.first, total.last) = (scan.optionalInt(6), scan.optionalInt(7))
      totals.authors[UUID(scan.bytes(0).baseAddress!), default: BlockTotal()].add(total)
    }
    return totals
  }

  private func number(_ pragma: StaticString) throws(StoreError) -> Int64 {
    let look = try connection.statement(pragma)
    defer { look.reset() }
    return try look.step() ? Int64(look.int(0)) : 0
  }
}
