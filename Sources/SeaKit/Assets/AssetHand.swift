import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Hands the files that are here over to one container.
///
/// What was handed over is remembered by the order in which files came here, so that nothing is asked of the container
/// when there is nothing new.
struct AssetHand {
  private let database: Database
  private let container: Container
  private let name: String
  private let filter: AssetFilter
  /// Whether the container is asked for every file, whatever is remembered.
  private let looksAtAll: Bool
  private var rule: String { filter.isAll ? "" : filter.description }

  private(set) var handed = 0
  private(set) var problems: [Problem] = []
  private var work: Work
  /// Every file up to this one was looked at and needs no other look.
  private var settled: Int64 = 0
  private var stuck: Int64 = .max
  private var absent: [StoredAsset] = []
  private var last: AssetRun?

  init(_ database: Database, _ container: Container, _ name: String, _ filter: AssetFilter, looksAtAll: Bool) {
    self.database = database
    self.container = container
    self.name = name
    self.filter = filter
    self.looksAtAll = looksAtAll
    work = Work(.handing, name, done: 0)
  }

  mutating func run() throws {
    guard !filter.isNone else { return }
    let store = database.store
    let known = try store.assets.handed(to: name, rule: rule)
    settled = looksAtAll ? 0 : known
    if database.settings.report != nil { work.total = try store.assets.storedBytes(after: settled) }
    do {
      while true {
        let rows = try store.assets.stored(after: settled)
        guard !rows.isEmpty else { break }
        for row in rows {
          try hand(row)
          settled = row.sequence
        }
      }
    } catch {
      try? remember(known)
      throw error
    }
    try remember(known)
  }

  private mutating func hand(_ row: StoredAsset) throws {
    guard try database.assetFolder.assetSize(row.place) == row.size else { return absent.append(row) }
    guard try isMeant(row.place) else { return }
    if let there = try container.assetSize(row.place) {
      guard there != row.size else { return }
      // Still arriving, or cut short: it may be right the next time.
      problems.append(
        Problem(.badAsset, place: name, instance: row.place.instance, index: row.place.index, detail: "size"))
      stuck = min(stuck, row.sequence - 1)
      return
    }
    try copy(row)
    let run = try database.store.assets.assets(at: row.place).first?.run
    if run == nil || run != last { handed += 1 }
    last = run
  }

  private func isMeant(_ place: AssetPlace) throws -> Bool {
    if filter.isAll { return true }
    for asset in try database.store.assets.assets(at: place) where try database.matches(asset, filter) { return true }
    return false
  }

  /// What this disk has damaged does not go on to others.
  private mutating func copy(_ row: StoredAsset) throws {
    guard let file = try database.assetFolder.open(row.place) else { return }
    var hash = SHA256()
    var work = work
    defer { self.work = work }
    do {
      try container.writeAsset(row.place, size: row.size) { offset, buffer in
        let count = try file.read(into: buffer, at: offset)
        hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        work.done += Int64(count)
        database.settings.report?(work)
        if offset + Int64(count) == row.size, hash.digest() != row.digest { throw WorthlessAsset() }
        return count
      }
    } catch is WorthlessAsset {
      problems.append(
        Problem(.badAsset, place: "", instance: row.place.instance, index: row.place.index, detail: "sha256"))
    } catch ContainerError.badAsset(.ended, _) {
      problems.append(
        Problem(.badAsset, place: "", instance: row.place.instance, index: row.place.index, detail: "size"))
    }
  }

  /// Notes how far this went. A row without a file belongs to one who puts it there at this moment, or to nobody: who
  /// holds the lock knows.
  private mutating func remember(_ known: Int64) throws {
    guard settled > known || !absent.isEmpty else { return }
    let store = database.store
    let isOurs = try store.takeLock()
    defer { if isOurs { store.unlock() } }
    try store.write {
      for row in absent {
        if try database.assetFolder.assetSize(row.place) == row.size {
          stuck = min(stuck, row.sequence - 1)
        } else if try store.assets.stored(row.place)?.sequence == row.sequence {
          try store.assets.forgetStored(row.place)
        }
      }
      let new = min(settled, stuck)
      if new != known { try store.assets.setHanded(to: name, rule: rule, new) }
    }
  }
}
