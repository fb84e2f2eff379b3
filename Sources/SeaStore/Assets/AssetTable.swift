import SeaCore
import SeaSystem

/// The encoded body of a record with assets always contains this string, so blocks without it need not be parsed.
private let assetWord: StaticString = "$asset"

/// Keeps track of the assets that revisions refer to (part of the projection) and of this instance's asset files.
package final class AssetTable {
  let connection: Connection
  let records: RecordTable

  init(_ connection: Connection, _ records: RecordTable) {
    self.connection = connection
    self.records = records
  }

  // MARK: - Named assets

  func insertReferences(
    from payload: Payload, of block: UnsafeRawBufferPointer
  ) throws(StoreError) {
    guard !payload.changes.isEmpty, contains(assetWord, in: block) else { return }
    let bytes = UnsafeBufferPointer(rebasing: block.assumingMemoryBound(to: UInt8.self)[BlockHeader.size...])
    for change in payload.changes {
      guard let range = change.body else { continue }
      let body = UnsafeBufferPointer(rebasing: bytes[range])
      guard contains(assetWord, in: UnsafeRawBufferPointer(body)),
        let record = try records.record(id: UnsafeBufferPointer(rebasing: bytes[change.id]))
      else { continue }
      var references: [AssetReference] = []
      BodyAssets.forEach(in: body) { references.append($0) }
      for reference in references { try insert(reference, record.key) }
    }
  }

  private func insert(_ reference: AssetReference, _ record: Int64) throws(StoreError) {
    guard let extent = reference.extent else { return }
    let insert = try connection.statement(
      """
      INSERT INTO asset(instance, first, last, size, digest, mime) VALUES(?, ?, ?, ?, ?, ?)
      ON CONFLICT(instance, first, last, size, digest) DO UPDATE SET mime = min(mime, excluded.mime) RETURNING key
      """)
    insert.bind(1, copy: extent.instance.bytes).bind(2, Int(extent.first)).bind(3, Int(extent.last))
    insert.bind(4, reference.size as Int64?).bind(5, copy: reference.digest.bytes).bind(6, reference.mime)
    guard try insert.step() else { throw .damaged("asset") }
    let key = Int64(insert.int(0))
    insert.reset()
    let hold = try connection.statement("INSERT OR IGNORE INTO asset_record(asset, record) VALUES(?, ?)")
    try hold.bind(1, key as Int64?).bind(2, record as Int64?).run()
  }

  // MARK: - Queries

  package func assets(after key: Int64 = 0, limit: Int = 1000) throws(StoreError) -> [AssetRow] {
    let scan = try connection.statement(
      "SELECT key, instance, first, last, size, digest, mime FROM asset WHERE key > ? ORDER BY key LIMIT ?")
    scan.bind(1, key as Int64?).bind(2, limit)
    return try assetRows(scan)
  }

  /// Returns all assets that include the file with this instance and number. There can be several, because records can
  /// claim different content for the same file.
  package func assets(at place: AssetPlace) throws(StoreError) -> [AssetRow] {
    let scan = try connection.statement(
      """
      SELECT key, instance, first, last, size, digest, mime FROM asset
      WHERE instance = ?1 AND first <= ?2 AND last >= ?2 ORDER BY key
      """)
    scan.bind(1, copy: place.instance.bytes).bind(2, Int(place.index))
    return try assetRows(scan)
  }

  /// Returns the assets of an instance whose first file is stored here and whose files are also claimed by other
  /// content, sorted by number.
  package func clashing(_ instance: UUID) throws(StoreError) -> [AssetRow] {
    let scan = try connection.statement(
      "SELECT key, instance, first, last, size, digest, mime FROM asset WHERE instance = ? ORDER BY first, key")
    scan.bind(1, copy: instance.bytes)
    let rows = try assetRows(scan)
    var clashing: Set<Int64> = []
    var widest: AssetRow?
    for row in rows {
      if let before = widest, before.extent.last >= row.extent.first,
        before.size != row.size || before.digest != row.digest
      {
        clashing.formUnion([before.key, row.key])
      }
      if row.extent.last >= widest?.extent.last ?? 0 { widest = row }
    }
    var here: [AssetRow] = []
    for row in rows where clashing.contains(row.key) {
      if try stored(AssetPlace(instance: instance, index: row.extent.first)) != nil { here.append(row) }
    }
    return here
  }

  /// Whether any file of this asset is also claimed by other content.
  package func isShared(_ asset: AssetRow) throws(StoreError) -> Bool {
    let find = try connection.statement(
      """
      SELECT EXISTS(SELECT 1 FROM asset WHERE instance = ?1 AND first <= ?2 AND last >= ?3 AND (size <> ?4 OR digest <> ?5))
      """)
    defer { find.reset() }
    find.bind(1, copy: asset.extent.instance.bytes).bind(2, Int(asset.extent.last)).bind(3, Int(asset.extent.first))
    find.bind(4, asset.size as Int64?).bind(5, copy: asset.digest.bytes)
    return try find.step() && find.int(0) != 0
  }

  /// Whether exactly the same files are also claimed by other content of the same size.
  package func isContested(_ asset: AssetRow) throws(StoreError) -> Bool {
    let find = try connection.statement(
      """
      SELECT EXISTS(SELECT 1 FROM asset WHERE instance = ?1 AND first = ?2 AND last = ?3 AND size = ?4 AND digest <> ?5)
      """)
    defer { find.reset() }
    find.bind(1, copy: asset.extent.instance.bytes).bind(2, Int(asset.extent.first)).bind(3, Int(asset.extent.last))
    find.bind(4, asset.size as Int64?).bind(5, copy: asset.digest.bytes)
    return try find.step() && find.int(0) != 0
  }

  /// Returns every asset with this content. These assets are interchangeable.
  package func assets(size: Int64, digest: Digest) throws(StoreError) -> [AssetRow] {
    let scan = try connection.statement(
      """
      SELECT key, instance, first, last, size, digest, mime FROM asset WHERE digest = ? AND size = ? ORDER BY key
      """)
    scan.bind(1, copy: digest.bytes).bind(2, size as Int64?)
    return try assetRows(scan)
  }

  package func assets(ofRecord record: Int64) throws(StoreError) -> [AssetRow] {
    let scan = try connection.statement(
      """
      SELECT a.key, a.instance, a.first, a.last, a.size, a.digest, a.mime
      FROM asset_record h JOIN asset a ON a.key = h.asset WHERE h.record = ? ORDER BY a.key
      """)
    scan.bind(1, record as Int64?)
    return try assetRows(scan)
  }

  package func holders(
    of asset: Int64, after id: String = "", limit: Int = 1000
  ) throws(StoreError) -> [AssetHolder] {
    let scan = try connection.statement(
      """
      SELECT r.key, r.id, r.type, r.live FROM asset_record h JOIN record r ON r.key = h.record
      WHERE h.asset = ? AND r.id > ? ORDER BY r.id LIMIT ?
      """)
    defer { scan.reset() }
    scan.bind(1, asset as Int64?).bind(2, id).bind(3, limit)
    var rows: [AssetHolder] = []
    while try scan.step() {
      rows.append(
        AssetHolder(
          record: Int64(scan.int(0)), id: scan.text(1), type: scan.optionalText(2), isDeleted: scan.int(3) == 0))
    }
    return rows
  }

  package func types(ofAsset asset: Int64) throws(StoreError) -> [String?] {
    let scan = try connection.statement(
      "SELECT DISTINCT r.type FROM asset_record h JOIN record r ON r.key = h.record WHERE h.asset = ? ORDER BY r.type")
    defer { scan.reset() }
    scan.bind(1, asset as Int64?)
    var types: [String?] = []
    while try scan.step() { types.append(scan.optionalText(0)) }
    return types
  }

  package func isNamed(_ place: AssetPlace) throws(StoreError) -> Bool { try !assets(at: place).isEmpty }

  /// Returns the number of assets and the sum of their sizes. Content that several assets share counts once.
  package func countAssets() throws(StoreError) -> (count: Int, bytes: Int64) {
    let sum = try connection.statement(
      "SELECT count(*), total(size) FROM (SELECT DISTINCT digest, size FROM asset)")
    defer { sum.reset() }
    return try sum.step() ? (sum.int(0), Int64(sum.int(1))) : (0, 0)
  }

  private func assetRows(_ scan: Statement) throws(StoreError) -> [AssetRow] {
    defer { scan.reset() }
    var rows: [AssetRow] = []
    while try scan.step() { rows.append(try assetRow(scan)) }
    return rows
  }

  func assetRow(_ scan: Statement) throws(StoreError) -> AssetRow {
    guard scan.bytes(1).count == 16, let digest = Digest(scan.array(5)), scan.int(2) >= 0,
      let first = UInt32(exactly: scan.int(2)), let last = UInt32(exactly: scan.int(3)), first <= last
    else { throw .damaged("asset") }
    return AssetRow(
      key: Int64(scan.int(0)), extent: AssetExtent(UUID(scan.bytes(1).baseAddress!), first, last),
      size: Int64(scan.int(4)), digest: digest, mime: scan.text(6))
  }

  func hash(into hash: inout SHA256) throws(StoreError) {
    let assets = try connection.statement(
      """
      SELECT hex(a.instance), a.first, a.last, a.size, hex(a.digest), a.mime, r.id
      FROM asset a JOIN asset_record h ON h.asset = a.key JOIN record r ON r.key = h.record ORDER BY 1, 2, 3, 4, 5, 7
      """)
    defer { assets.reset() }
    while try assets.step() {
      hash.update("\(assets.text(0)) \(assets.int(1)) \(assets.int(2)) \(assets.int(3)) \(assets.text(4))\n")
      hash.update("\(assets.text(5))\n\(assets.text(6))\n")
    }
  }
}

extension AssetTable {
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

  /// Returns up to `limit` assets, sorted by key, whose content is not recorded as stored here. Only the table is read,
  /// so changes made outside of Sea are missed.
  /// - Returns: the assets, each with whether a live record that has no other revisions refers to it.
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

  /// Returns the first number that this database has not used for asset files of an instance. Files with this number or
  /// a higher one date from before the database was restored from a copy.
  package func reservedAssets(_ instance: UUID) throws(StoreError) -> Int64 {
    try connection.metaInt(AssetTable.nextAsset + "." + instance.description) ?? 0
  }
}

/// The asset files that Sea has recorded as stored here. A row can lack its file if a process was killed, or if the
/// file was removed outside of Sea.
extension AssetTable {
  package func stored(_ place: AssetPlace) throws(StoreError) -> StoredAsset? {
    let find = try connection.statement(
      "SELECT seq, instance, idx, size, digest FROM asset_file WHERE instance = ? AND idx = ?")
    defer { find.reset() }
    find.bind(1, copy: place.instance.bytes).bind(2, Int(place.index))
    return try find.step() ? try storedRow(find) : nil
  }

  package func stored(in extent: AssetExtent) throws(StoreError) -> [AssetPlace] {
    let scan = try connection.statement(
      "SELECT idx FROM asset_file WHERE instance = ? AND idx BETWEEN ? AND ? ORDER BY idx")
    defer { scan.reset() }
    scan.bind(1, copy: extent.instance.bytes).bind(2, Int(extent.first)).bind(3, Int(extent.last))
    var places: [AssetPlace] = []
    while try scan.step() {
      places.append(AssetPlace(instance: extent.instance, index: UInt32(truncatingIfNeeded: scan.int(0))))
    }
    return places
  }

  package func stored(after sequence: Int64, limit: Int = 1000) throws(StoreError) -> [StoredAsset] {
    let scan = try connection.statement(
      "SELECT seq, instance, idx, size, digest FROM asset_file WHERE seq > ? ORDER BY seq LIMIT ?")
    defer { scan.reset() }
    scan.bind(1, sequence as Int64?).bind(2, limit)
    var rows: [StoredAsset] = []
    while try scan.step() { rows.append(try storedRow(scan)) }
    return rows
  }

  package func storedBytes(after sequence: Int64) throws(StoreError) -> Int64 {
    let sum = try connection.statement("SELECT total(size) FROM asset_file WHERE seq > ?")
    defer { sum.reset() }
    sum.bind(1, sequence as Int64?)
    return try sum.step() ? Int64(sum.int(0)) : 0
  }

  private func storedRow(_ row: Statement) throws(StoreError) -> StoredAsset {
    guard row.bytes(1).count == 16, let digest = Digest(row.array(4)), let index = UInt32(exactly: row.int(2)) else {
      throw .damaged("asset_file")
    }
    return StoredAsset(
      sequence: Int64(row.int(0)), place: AssetPlace(instance: UUID(row.bytes(1).baseAddress!), index: index),
      size: Int64(row.int(3)), digest: digest)
  }

  package func setStored(_ place: AssetPlace, size: Int64, _ digest: Digest) throws(StoreError) {
    let set = try connection.statement(
      "INSERT OR REPLACE INTO asset_file(instance, idx, size, digest) VALUES(?, ?, ?, ?)")
    set.bind(1, copy: place.instance.bytes).bind(2, Int(place.index)).bind(3, size as Int64?)
    try set.bind(4, copy: digest.bytes).run()
  }

  package func forgetStored(_ place: AssetPlace) throws(StoreError) {
    let forget = try connection.statement("DELETE FROM asset_file WHERE instance = ? AND idx = ?")
    try forget.bind(1, copy: place.instance.bytes).bind(2, Int(place.index)).run()
  }

  package func lastStored() throws(StoreError) -> Int64 {
    let find = try connection.statement("SELECT ifnull(max(seq), 0) FROM asset_file")
    defer { find.reset() }
    return try find.step() ? Int64(find.int(0)) : 0
  }

  // MARK: - Reserved numbers

  package static let nextAsset = "nextAsset"

  /// Reserves `count` numbers in the current transaction. Returns the first number, or nil if there are not enough
  /// left.
  package func reserveAssets(_ instance: UUID, count: Int64) throws(StoreError) -> UInt32? {
    let find = try connection.statement("SELECT ifnull(max(idx), -1) + 1 FROM asset_file WHERE instance = ?")
    find.bind(1, copy: instance.bytes)
    let stored = try find.step() ? Int64(find.int(0)) : 0
    find.reset()
    let key = AssetTable.nextAsset + "." + instance.description
    var next = max(try connection.metaInt(key) ?? 0, stored)
    // Only a database that was restored from a copy can have forgotten numbers that records use. The limit keeps other
    // instances' false claims from prolonging the loop.
    for _ in 0..<1000 {
      guard let claim = try claim(instance, next, next + count) else { break }
      next = claim + 1
    }
    guard count > 0, next + count <= Int64(UInt32.max) else { return nil }
    try connection.setMeta(key, .int(next + count))
    return UInt32(next)
  }

  /// Returns the greatest number in a range that a record claims, provided that the number of files it claims matches
  /// the asset's size.
  private func claim(_ instance: UUID, _ first: Int64, _ end: Int64) throws(StoreError) -> Int64? {
    let find = try connection.statement(
      """
      SELECT max(last) FROM asset WHERE instance = ?1 AND first < ?3 AND last >= ?2
        AND last - first + 1 = max(1, (size + ?4 - 1) / ?4) + (size > ?5)
      """)
    defer { find.reset() }
    find.bind(1, copy: instance.bytes).bind(2, first as Int64?).bind(3, end as Int64?)
    find.bind(4, AssetExtent.fileSize as Int64?).bind(5, PieceList.pieceSize as Int64?)
    return try find.step() ? find.optionalInt(0) : nil
  }
}
