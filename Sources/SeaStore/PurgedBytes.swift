import CSQLite
import SeaCore
import SeaSystem

// Taking payloads out for good: of the pages of the database, of its log, and of what it writes beside.

/// What was purged: its bytes, and what is known of it.
package struct PurgedBytes {
  let store: Store
  private var connection: Connection { store.connection }

  /// Whether something was taken out whose bytes may still lie in pages that hold nothing, or in the log.
  static let scrubs = "scrubs"
  /// The places of assets that only purged revisions have named.
  private static let assetsKey = "purgedAssets"
  /// The sizes and SHA-256 of their files, as far as anybody here knew them.
  private static let filesKey = "purgedFiles"

  /// What became of the bytes that were taken out.
  package enum Scrubbed: String, Sendable {
    case done
    /// A reader that goes on for long still needs the log.
    case busy
    /// There was no room to write the database anew.
    case noRoom
  }

  /// Takes the payload of whole blocks out, in the current transaction: what is left is what anybody can see of a removed block,
  /// and what the order says. `scrub` is owed from then on.
  /// - Returns: what was known of records before and is not now.
  package func empty(_ blocks: [(row: BlockRow, remains: [UInt8])]) throws {
    precondition(connection.isInTransaction)
    guard !blocks.isEmpty else { return }
    try connection.execute("PRAGMA secure_delete=ON")
    var places = try assetPlaces()
    var files: [AssetPlace: Set<PurgedFile>] = [:]
    for (row, remains) in blocks {
      if let clear = try store.content.clearBytes(of: row) {
        AssetTable.forEachAsset(in: clear) { extent, reference in
          places.formUnion(extent.places)
          // What is not sealed and is in one file is the content itself.
          guard extent.first == extent.last else { return }
          let place = AssetPlace(instance: extent.instance, index: extent.first)
          files[place, default: []].insert(PurgedFile(size: reference.size, digest: reference.sha256))
        }
      }
      try store.intake.empty(row, remains)
      try store.peers.forgetBytes(of: row.instance)
    }
    store.content.forgetFrames()
    try store.forgetJudgedRemovals()
    _ = try store.projection.rebuildInTransaction()
    places = try places.filter { try !store.assets.isNamed($0) }
    var known = try self.files()
    for place in places {
      known.formUnion(files[place] ?? [])
      if let row = try store.assets.stored(place) { known.insert(PurgedFile(size: row.size, digest: row.digest)) }
    }
    try setFiles(known)
    var writer = ByteWriter()
    for place in places.sorted() {
      place.instance.withBytes { writer.append($0) }
      writer.uint32(place.index)
    }
    try store.setMeta(PurgedBytes.assetsKey, .blob(writer.array()))
    try store.setMeta(PurgedBytes.scrubs, .int(1))
  }

  /// Whether anything was purged that may lie in containers.
  package func hasAny() throws -> Bool { try store.blocks.removed().contains { $0.state != .unread } }

  /// The places of assets that were named by purged revisions and are by no other.
  package func assetPlaces() throws -> Set<AssetPlace> {
    var reader = try ByteReader(store.metaBlob(PurgedBytes.assetsKey) ?? [])
    var places: Set<AssetPlace> = []
    while !reader.isAtEnd {
      guard let instance = reader.uuid(), let index = reader.uint32() else { throw StoreError.damaged("meta") }
      let place = AssetPlace(instance: instance, index: index)
      // Somebody has named it again.
      if try !store.assets.isNamed(place) { places.insert(place) }
    }
    return places
  }

  /// What the files held that only purged revisions have named: copies of them are known by that.
  package func files() throws -> Set<PurgedFile> {
    var reader = try ByteReader(store.metaBlob(PurgedBytes.filesKey) ?? [])
    var files: Set<PurgedFile> = []
    while !reader.isAtEnd {
      guard let size = reader.int64(), let digest = reader.digest() else { throw StoreError.damaged("meta") }
      files.insert(PurgedFile(size: size, digest: digest))
    }
    return files
  }

  private func setFiles(_ files: Set<PurgedFile>) throws {
    var writer = ByteWriter()
    for file in files.sorted(by: { ($0.size, $0.digest) < ($1.size, $1.digest) }) {
      writer.int64(file.size)
      writer.append(file.digest.bytes)
    }
    try store.setMeta(PurgedBytes.filesKey, .blob(writer.array()))
  }

  /// Whether bytes that were taken out may still lie somewhere in the files of the store.
  package func mustScrub() throws(StoreError) -> Bool { try store.metaInt(PurgedBytes.scrubs) == 1 }

  /// Writes the database anew without what was taken out, and empties the log. Outside of transactions.
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

  /// - Returns: false if a reader keeps the log.
  private func emptyLog() throws(StoreError) -> Bool {
    let mode = try connection.statement("PRAGMA journal_mode")
    let isLog = try mode.step() && mode.text(0) == "wal"
    mode.reset()
    guard isLog else {
      // A journal that is kept has the old pages in it; one that is deleted is made anew.
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
  /// What claims more files than that is no asset that anybody has.
  private static let mostFiles: UInt32 = 1 << 16

  /// Visits the assets that the changes of a block name.
  /// - Parameter clear: the block, or its clear form.
  static func forEachAsset(in clear: [UInt8], _ visit: (AssetExtent, AssetReference) -> Void) {
    clear.withUnsafeBytes { bytes in
      guard let payload = try? BlockReader.payload(ofKept: bytes) else { return }
      let content = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[BlockHeader.size...])
      for change in payload.changes {
        guard let body = change.body else { continue }
        BodyAssets.forEach(in: UnsafeBufferPointer(rebasing: content[body])) { reference in
          guard let extent = reference.extent, extent.last - extent.first < mostFiles else { return }
          visit(extent, reference)
        }
      }
    }
  }
}

extension RecordTable {
  /// The blocks that have a revision and count: that in which it is read first.
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
  /// Whether any block that could be read orders something to be purged.
  package func hasOrders() throws(StoreError) -> Bool {
    let some = try connection.statement("SELECT EXISTS(SELECT 1 FROM control WHERE kind = 'purge')")
    defer { some.reset() }
    return try some.step() && some.int(0) != 0
  }
}
