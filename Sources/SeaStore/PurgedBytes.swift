import CSQLite
import SeaCore
import SeaSystem

/// Removes purged payloads permanently from the database file, its log and temporary files.
package struct PurgedBytes {
  let store: Store
  private var connection: Connection { store.connection }

  /// The key of a flag: removed bytes may remain in free pages or in the log.
  static let scrubs = "scrubs"
  /// The key of the assets that purged blocks referred to and that belong to the authors of these blocks.
  private static let assetsKey = "purgedContents"

  package enum Scrubbed: String, Sendable {
    case done
    case busy
    case noRoom
  }

  /// Removes the payload of complete blocks, as part of the current transaction. Only a block's public part and the
  /// data from the purge order remain. Afterward, the caller must call `scrub`.
  package func empty(_ blocks: [(row: BlockRow, remains: [UInt8])]) throws {
    precondition(connection.isInTransaction)
    guard !blocks.isEmpty else { return }
    try connection.execute("PRAGMA secure_delete=ON")
    var known = try Set(assets())
    for (row, remains) in blocks {
      if let clear = try store.content.clearBytes(of: row) {
        // Only the author of an asset's files may purge them.
        known.formUnion(AssetTable.assets(in: clear).filter { $0.extent.instance == row.instance })
      }
      try store.intake.empty(row, remains)
      try store.peers.forgetBytes(of: row.instance)
    }
    store.content.forgetFrames()
    try store.forgetJudgedClocks()
    _ = try store.projection.rebuildInTransaction()
    var writer = ByteWriter()
    for asset in known.sorted(by: { ($0.extent.instance, $0.extent.first) < ($1.extent.instance, $1.extent.first) }) {
      asset.extent.instance.withBytes { writer.append($0) }
      writer.uint32(asset.extent.first)
      writer.uint32(asset.extent.last)
      writer.int64(asset.size)
      writer.append(asset.digest.bytes)
    }
    try store.setMeta(PurgedBytes.assetsKey, .blob(writer.array()))
    try store.setMeta(PurgedBytes.scrubs, .int(1))
  }

  /// Whether any purged block may still be present in containers.
  package func hasAny() throws -> Bool { try store.blocks.purgedBlocks().contains { $0.state != .unread } }

  /// Returns the assets in `assetsKey`, sorted by extent. Other blocks may also refer to these assets.
  package func assets() throws -> [AssetRow] {
    var reader = try ByteReader(store.metaBlob(PurgedBytes.assetsKey) ?? [])
    var assets: [AssetRow] = []
    while !reader.isAtEnd {
      guard let instance = reader.uuid(), let first = reader.uint32(), let last = reader.uint32(), first <= last,
        let size = reader.int64(), let digest = reader.digest()
      else { throw StoreError.damaged("meta") }
      assets.append(AssetRow(key: 0, extent: AssetExtent(instance, first, last), size: size, digest: digest, mime: ""))
    }
    return assets
  }

  /// Whether a block with this instance and index is purged on this device. Invalid data with the same index could be a
  /// copy of the block and must not be kept.
  package func has(_ instance: UUID, _ index: UInt32) throws -> Bool {
    try store.blocks.purgedBlocks().contains { $0.instance == instance && $0.index == index && $0.state != .unread }
  }

  package func mustScrub() throws(StoreError) -> Bool { try store.metaInt(PurgedBytes.scrubs) == 1 }

  /// Rewrites the database without the removed bytes, and empties the log. Must be called outside of transactions.
  package func scrub() throws -> Scrubbed {
    guard try mustScrub() else { return .done }
    return try store.locked {
      precondition(!connection.isInTransaction)
      do throws(StoreError) {
        try connection.execute("PRAGMA secure_delete=ON")
        try connection.execute("VACUUM")
      } catch {
        switch error {
        case .full: return .noRoom
        case .busy: return .busy
        default: throw error
        }
      }
      guard try emptyLog() else { return .busy }
      try store.write { try store.setMeta(PurgedBytes.scrubs, .int(0)) }
      return .done
    }
  }

  private func emptyLog() throws(StoreError) -> Bool {
    let mode = try connection.statement("PRAGMA journal_mode")
    let isLog = try mode.step() && mode.text(0) == "wal"
    mode.reset()
    guard isLog else {
      // A persistent journal contains old pages, so the journal is deleted and re-created.
      try connection.execute("PRAGMA journal_mode=DELETE; PRAGMA journal_mode=PERSIST")
      return true
    }
    let code = sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    if code == SQLITE_BUSY || code == SQLITE_LOCKED { return false }
    guard code == SQLITE_OK else { throw connection.failure(code) }
    return true
  }
}

extension AssetTable {
  /// - Parameter clear: the decrypted block.
  package static func assets(in clear: [UInt8]) -> [AssetRow] {
    clear.withUnsafeBytes { bytes in
      guard let payload = try? BlockReader.payload(ofKept: bytes) else { return [] }
      let content = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[BlockHeader.size...])
      var assets: [AssetRow] = []
      for change in payload.changes {
        guard let body = change.body else { continue }
        BodyAssets.forEach(in: UnsafeBufferPointer(rebasing: content[body])) { reference in
          guard let extent = reference.extent else { return }
          assets.append(
            AssetRow(key: 0, extent: extent, size: reference.size, digest: reference.digest, mime: ""))
        }
      }
      return assets
    }
  }

  /// Returns the asset numbers of an instance that valid revisions refer to, as sorted, non-overlapping ranges.
  package func namedPlaces(of instance: UUID) throws(StoreError) -> [ClosedRange<UInt32>] {
    let scan = try connection.statement("SELECT first, last FROM asset WHERE instance = ? ORDER BY first")
    defer { scan.reset() }
    scan.bind(1, copy: instance.bytes)
    var places: [ClosedRange<UInt32>] = []
    while try scan.step() {
      let (first, last) = (UInt32(truncatingIfNeeded: scan.int(0)), UInt32(truncatingIfNeeded: scan.int(1)))
      if let before = places.last, first <= before.upperBound {
        places[places.count - 1] = before.lowerBound...max(before.upperBound, last)
      } else {
        places.append(first...last)
      }
    }
    return places
  }
}

extension PeerTable {
  /// Deletes the quarantined bytes of a chain, but keeps the record of the quarantine.
  func forgetBytes(of instance: UUID) throws(StoreError) {
    let forget = try connection.statement("UPDATE quarantine SET bytes = NULL WHERE instance = ?")
    try forget.bind(1, copy: instance.bytes).run()
  }
}

extension RecordTable {
  /// Returns the blocks that contain a revision. The store reads the revision from the first of these blocks.
  package func blocks(with leaf: Leaf, of record: RecordRow) throws(StoreError) -> [Int64] {
    let find = try connection.statement("SELECT block FROM repeated WHERE record = ? AND depth = ? AND digest = ?")
    defer { find.reset() }
    find.bind(1, record.key as Int64?).bind(2, Int(leaf.revision.depth))
    find.bind(3, copy: leaf.revision.digest.bytes)
    var found = [leaf.place]
    while try find.step() { found.append(Int64(find.int(0))) }
    return found
  }
}

extension ControlTable {
  package func hasOrders() throws(StoreError) -> Bool {
    let some = try connection.statement("SELECT EXISTS(SELECT 1 FROM control WHERE kind = 'purge')")
    defer { some.reset() }
    return try some.step() && some.int(0) != 0
  }
}
