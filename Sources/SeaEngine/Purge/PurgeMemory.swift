import SeaContainer
import SeaCore
import SeaStore

/// What earlier syncs found out about the purged places of one container.
struct PurgeMemory {
  private let store: Store
  private let key: String
  private let before: [UInt8]
  /// What was purged when nothing of it was left there; 0 if something was.
  private var done: UInt64 = 0
  /// Files in purged places that were read and hold something else, by path, size and times: they are not read again.
  private var known: Set<UInt64> = []
  private var met: Set<UInt64> = []

  private static let mostFiles = 100_000

  init(_ store: Store, _ name: String) throws {
    self.store = store
    key = "purge:" + name
    before = try store.metaBlob(key) ?? []
    var reader = ByteReader(before)
    done = reader.uint64() ?? 0
    while let mark = reader.uint64() { known.insert(mark) }
  }

  mutating func isKnown(_ file: Stray) -> Bool {
    guard known.contains(file.closeMark) else { return false }
    note(file)
    return true
  }

  mutating func note(_ file: Stray) { if met.count < PurgeMemory.mostFiles { met.insert(file.closeMark) } }

  /// Whether something is still to be done there, as far as is known without a look.
  static func owes(_ store: Store, _ name: String) throws -> Bool {
    let now = try version(store)
    return try now != 0 && PurgeMemory(store, name).done != now
  }

  mutating func keep(isDone: Bool) throws {
    done = try isDone ? PurgeMemory.version(store) : 0
    var writer = ByteWriter()
    writer.uint64(done)
    for mark in met.sorted() { writer.uint64(mark) }
    let bytes = writer.array()
    if bytes != before { try store.write { try store.setMeta(key, .blob(bytes)) } }
  }

  /// The same as long as nothing else is purged; 0 if nothing is.
  private static func version(_ store: Store) throws -> UInt64 {
    let rows = try store.blocks.removed().filter { $0.state != .unread }
    if rows.isEmpty { return 0 }
    var hash = SHA256()
    for row in rows { row.digest.withBytes { hash.update($0) } }
    return hash.digest().bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } | 1
  }
}
