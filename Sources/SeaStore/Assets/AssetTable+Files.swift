import SeaCore

/// The files of assets that are here, as far as anybody has read them. A row without a file was left by somebody who
/// died, or the file was taken away past this program.
extension AssetTable {
  package func stored(_ place: AssetPlace) throws(StoreError) -> StoredAsset? {
    let find = try connection.statement(
      "SELECT seq, instance, idx, size, digest FROM asset_file WHERE instance = ? AND idx = ?")
    defer { find.reset() }
    find.bind(1, copy: place.instance.bytes).bind(2, Int(place.index))
    return try find.step() ? try storedRow(find) : nil
  }

  /// Which files of an extent are noted, in order.
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

  /// Up to `limit` files by rising sequence.
  package func stored(after sequence: Int64, limit: Int = 1000) throws(StoreError) -> [StoredAsset] {
    let scan = try connection.statement(
      "SELECT seq, instance, idx, size, digest FROM asset_file WHERE seq > ? ORDER BY seq LIMIT ?")
    defer { scan.reset() }
    scan.bind(1, sequence as Int64?).bind(2, limit)
    var rows: [StoredAsset] = []
    while try scan.step() { rows.append(try storedRow(scan)) }
    return rows
  }

  /// The sum of the sizes of the files that came after a sequence.
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

  /// Notes what a file was found to be, in the current transaction; it counts as one that came now.
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

  /// Up to which sequence a container was given what a rule lets it have, and that rule; nil if nothing was handed to it.
  package func handed(to container: String) throws(StoreError) -> (rule: String, sequence: Int64)? {
    let find = try connection.statement("SELECT rule, seq FROM asset_push WHERE container = ?")
    defer { find.reset() }
    find.bind(1, container)
    return try find.step() ? (find.text(0), Int64(find.int(1))) : nil
  }

  package func setHanded(to container: String, rule: String, _ sequence: Int64) throws(StoreError) {
    let set = try connection.statement("INSERT OR REPLACE INTO asset_push(container, rule, seq) VALUES(?, ?, ?)")
    try set.bind(1, container).bind(2, rule).bind(3, sequence as Int64?).run()
  }

  /// Notes files in the current transaction that all came from one container: if it was given all that was here before,
  /// it has all that is here now.
  /// - Parameter isFar: whether reading there is dear: then it has these also if nothing was here before and nothing given.
  package func setStored(
    _ files: [(place: AssetPlace, size: Int64, digest: Digest)], from container: String?, isFar: Bool = false
  ) throws(StoreError) {
    let before = try lastStored()
    for file in files { try setStored(file.place, size: file.size, file.digest) }
    guard let container else { return }
    guard let handed = try handed(to: container) ?? (isFar ? ("", 0) : nil), handed.sequence >= before else { return }
    try setHanded(to: container, rule: handed.rule, lastStored())
  }

  package func lastStored() throws(StoreError) -> Int64 {
    let find = try connection.statement("SELECT ifnull(max(seq), 0) FROM asset_file")
    defer { find.reset() }
    return try find.step() ? Int64(find.int(0)) : 0
  }

  // MARK: - Numbers of our own

  package static let nextAsset = "nextAsset"

  /// The first of `count` numbers that are given to nobody else, in the current transaction; nil if there are no more.
  package func reserveAssets(_ instance: UUID, count: Int64) throws(StoreError) -> UInt32? {
    let find = try connection.statement("SELECT ifnull(max(idx), -1) + 1 FROM asset_file WHERE instance = ?")
    find.bind(1, copy: instance.bytes)
    let stored = try find.step() ? Int64(find.int(0)) : 0
    find.reset()
    let key = AssetTable.nextAsset + "." + instance.description
    var next = max(try connection.metaInt(key) ?? 0, stored)
    // Only what somebody put back from a copy has forgotten numbers that its records name. Claims of others are not
    // let go on for ever.
    for _ in 0..<1000 {
      guard let claim = try claim(instance, next, next + count) else { break }
      next = claim + 1
    }
    guard count > 0, next + count <= Int64(UInt32.max) else { return nil }
    try connection.setMeta(key, .int(next + count))
    return UInt32(next)
  }

  /// The greatest number within a range that a record claims with an extent that fits its content.
  private func claim(_ instance: UUID, _ first: Int64, _ end: Int64) throws(StoreError) -> Int64? {
    let find = try connection.statement(
      """
      SELECT max(last) FROM asset WHERE instance = ?1 AND first < ?3 AND last >= ?2
        AND last - first + 1 = max(1, (size + ?4 - 1) / ?4)
      """)
    defer { find.reset() }
    find.bind(1, copy: instance.bytes).bind(2, first as Int64?).bind(3, end as Int64?)
    find.bind(4, AssetExtent.fileSize as Int64?)
    return try find.step() ? find.optionalInt(0) : nil
  }
}
