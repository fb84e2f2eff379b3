import SeaContainer
import SeaCore
import SeaStore

/// The results of earlier syncs for the purged locations in a container.
struct PurgeMemory {
  private let folder: SeaFolder
  private let name: String
  /// Files at purged locations that have been found to have other content, identified by path, size and times. They are
  /// not read again.
  private let known: Set<UInt64>
  private var met: Set<UInt64> = []

  private static let mostFiles = 100_000

  init(_ folder: SeaFolder, _ name: String) throws {
    (self.folder, self.name) = (folder, name)
    known = try folder.state(of: name).purge.known
  }

  mutating func isKnown(_ file: UnknownFile) -> Bool {
    guard known.contains(file.closeMark) else { return false }
    remember(file)
    return true
  }

  mutating func remember(_ file: UnknownFile) { if met.count < PurgeMemory.mostFiles { met.insert(file.closeMark) } }

  /// Whether the container may still have purged data, according to earlier syncs.
  static func owes(_ folder: SeaFolder, _ name: String) throws -> Bool {
    let now = try version(folder.store)
    return try now != 0 && folder.state(of: name).purge.done != now
  }

  func keep(isDone: Bool) throws {
    let done = try isDone ? PurgeMemory.version(folder.store) : 0
    try folder.remember(of: name) { $0.purge = .init(done: done, known: met) }
  }

  private static func version(_ store: Store) throws -> UInt64 {
    let rows = try store.blocks.purgedBlocks().filter { $0.state != .unread }
    if rows.isEmpty { return 0 }
    var hash = SHA256()
    for row in rows { row.digest.withBytes { hash.update($0) } }
    return hash.digest().bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } | 1
  }
}
