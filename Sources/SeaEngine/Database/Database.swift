import SeaCore
import SeaStore
import SeaSystem

/// A database of records on this device: the place where store, keys and containers meet.
///
/// It opens a folder `.sea` and builds the rooms, each upon those below it. An object belongs to one thread. Several
/// processes may use one database at once: writers queue, readers never wait.
package final class Database {
  package let folder: SeaFolder
  package let members: Roster
  package let keychain: Keychain
  package let author: Author
  package let access: Access
  package let sharedSettings: SharedSettings
  package let records: Records
  package let queries: Queries
  package let indexes: Indexes
  package let history: History
  package let feed: Feed
  package let conflicts: Conflicts
  package let assets: Assets
  package let containers: Containers
  package let purge: Purge
  package let exchange: Exchange
  package let bundles: Bundles
  package let verification: Verification
  /// Whether a clone could leave its request to be let in where it came from.
  package internal(set) var leftRequest = false

  /// Opens the database in the folder `.sea` at `path`.
  package init(path: String, _ settings: Settings = Settings()) throws {
    folder = try SeaFolder(path: path, settings)
    members = Roster(folder)
    keychain = Keychain(folder, members)
    author = Author(folder, keychain, members)
    access = Access(author)
    sharedSettings = SharedSettings(author)
    records = Records(author)
    queries = Queries(records)
    indexes = Indexes(records, sharedSettings)
    conflicts = Conflicts(records, sharedSettings)
    history = History(conflicts)
    feed = Feed(history, queries)
    assets = Assets(records)
    containers = Containers(folder)
    purge = Purge(records, Emptying(assets))
    exchange = Exchange(access, conflicts, indexes, assets, containers, purge.emptying)
    bundles = Bundles(exchange)
    verification = Verification(exchange)
  }

  /// Ends the use of the database. Nothing that was acknowledged depends on it.
  package func close() { store.close() }

  /// Whether it was not closed yet.
  package var isOpen: Bool { store.isOpen }

  /// Whether another database, or none, lies where this one was opened.
  package var hasMoved: Bool { store.hasMoved }

  /// Runs `body` while nobody else writes: what is looked up is what is written upon. A database that is only read is not
  /// locked.
  package func locked<Result>(_ body: () throws -> Result) throws -> Result {
    try settings.access == .write ? store.locked(body) : body()
  }

  /// Runs `body` on one state of the database, whatever others write meanwhile.
  /// - Parameter moment: the state is what was known then; nil for now.
  package func atOneState<Result>(at moment: Moment? = nil, _ body: () throws -> Result) throws -> Result {
    try store.snapshot(at: moment, body)
  }
}

/// How much there is, of what, and from whom.
package struct Statistics: Sendable {
  /// The types of live records by name, and how many there are of each.
  package var types: [(type: String?, count: Int)] = []
  package var conflicts = 0
  /// Revisions whose parent has not arrived.
  package var waiting = 0
  package var totals: Totals
  /// All blocks together.
  package var blocks = BlockTotal()
  /// What each instance has written, who changed most first.
  package var authors: [(instance: UUID, name: String, total: BlockTotal)] = []
  package var containers: [ContainerStatus] = []

  package var records: Int { types.reduce(0) { $0 + $1.count } }
}

extension Database {
  /// Reads one state of the database, no content and nothing beyond its own store, and takes no lock.
  package func statistics() throws -> Statistics {
    try store.snapshot {
      var all = Statistics(totals: try store.totals())
      all.types = try records.types()
      all.conflicts = try conflicts.count()
      all.waiting = try store.records.countWaiting()
      all.containers = try containers.statuses(probe: false)
      let names = try members.names()
      all.authors = all.totals.authors.map { ($0.key, names[$0.key] ?? "", $0.value) }.sorted { a, b in
        let (x, y) = (a.total, b.total)
        return (y.changes, y.blocks, a.instance) < (x.changes, x.blocks, b.instance)
      }
      for one in all.authors { all.blocks.add(one.total) }
      return all
    }
  }
}

// What `Database` passes on to its rooms.

extension Database {
  package typealias Settings = SeaEngine.Settings
  package typealias Creation = SeaEngine.Creation

  /// Makes `.sea` in `folder`, complete or not at all.
  /// - Returns: the path of `.sea`, and whether it was made now; a database that is there stays as it is.
  /// - Throws: `otherDatabase` if it has another id than asked for.
  package static func create(in folder: String, _ creation: Creation, _ settings: Settings) throws -> (
    path: String, created: Bool
  ) {
    try creation.make(in: folder, settings)
  }

  /// The path of the folder `.sea`.
  package var path: String { folder.path }
  package var store: Store { folder.store }
  package var settings: Settings { folder.settings }
  package var databaseID: UUID { folder.databaseID }
  /// Who writes here. Another one once the instance has taken a new name, here or in another process.
  package var instance: UUID { folder.instance }

  package func contentType() throws -> String { try folder.contentType() }
  package func name() throws -> String { try folder.name() }
  package func isSealed() throws -> Bool { try folder.isSealed() }
  /// Whether keys of blocks lie in it once they are known.
  package func keepsKeys() throws -> Bool { try folder.isSealed() && folder.store.metaInt("keepsKeys") != 0 }
  package func isPending() throws -> Bool { try folder.isPending() }
  package var hasMembers: Bool { folder.hasMembers }

  /// The right to change what lies in a `.sea`, for who does not open the database.
  package static func lock(_ path: String, _ settings: Settings) throws -> FileLock {
    try SeaFolder.lock(path, settings)
  }
}

extension Database {
  package struct Rebuilt: Sendable {
    package var blocks = 0
    /// Blocks that only a newer program can apply.
    package var unread = 0
    /// Whether the projection was another one before.
    package var changed = false
  }

  /// Forgets the projection and builds it anew from the chains, which are verified first.
  /// - Parameter dryRun: tells what would come of it and changes nothing.
  /// - Throws: the first `Problem` of a chain: nothing is built on what does not verify.
  package func rebuildProjection(dryRun: Bool) throws -> Rebuilt {
    if dryRun {
      return try store.snapshot {
        try rebuilt {
          (0, 0)
        } after: {
          try store.projection.expectedDigest()
        }
      }
    }
    return try store.locked {
      try rebuilt {
        try store.projection.renew()
      } after: {
        try store.projection.digest()
      }
    }
  }

  private func rebuilt(
    _ rebuild: () throws -> (blocks: Int, unread: Int), after: () throws -> Digest
  ) throws -> Rebuilt {
    var result = Rebuilt()
    try verification.verifyStore(
      { report in
        result.blocks += report.blocks
        if let problem = report.problem { throw problem }
      }, { _ in }, projection: false)
    let before: Digest?
    do { before = try store.projection.digest() } catch StoreError.damaged { before = nil }
    result.unread = try rebuild().unread
    result.changed = try after() != before
    return result
  }
}

/// How this instance stands, without looking beyond its own store.
package struct StatusReport: Sendable {
  package var contentType = ""
  package var name = ""
  package var conflicts = 0
  /// Revisions whose parent has not arrived.
  package var waiting = 0
  /// Blocks of our own that no container is known to have.
  package var unsynced = 0
  package var containers: [ContainerStatus] = []
  package var exchanges: [ExchangeStatus] = []
  package var quarantine: [QuarantineRow] = []
  /// Blocks of instances that are not entitled to what they say.
  package var held: [Held] = []
  /// Whether this instance waits for somebody to let it in, and why what it writes may not count.
  package var isPending = false
  package var asking = Asking()
  package var role: Role?
  package var hasMembers = false
  package var isSealed = false
  /// Blocks that others have seen and that no container has given to us.
  package var withheld: [Problem] = []
  /// What a run with a limit has left in containers.
  package var left: [LeftBehind] = []
  /// Blocks of which nothing is applied, whatever their author is entitled to: the first of each chain and kind.
  package var unapplied: [Problem] = []
  /// Chains with a second branch.
  package var forks: [Problem] = []

  /// Content that records name now and that is not here: how much, and its bytes.
  package var missingAssets: (count: Int, bytes: Int64) = (0, 0)

  /// Whether a container that is synced automatically is to bring some of it.
  package var hasToFetch = false

  /// Whether a sync would hand something over, or an exchange folder that was looked at lacks something, or has it.
  package var hasToSync: Bool {
    containers.contains { $0.setting.isAutomatic && ($0.toPush > 0 || $0.assetsToPush ?? 0 > 0 || $0.toPull ?? 0 > 0) }
      || exchanges.contains { $0.state == .ok && ($0.toExport > 0 || $0.assetsToExport > 0 || $0.new ?? 0 > 0) }
  }
}

extension Database {
  /// Reads one state of the database and takes no lock.
  /// - Parameter probe: looks at each container, too; else only what is remembered of it is told.
  package func status(probe: Bool = false) throws -> StatusReport {
    try store.snapshot {
      var report = StatusReport()
      report.contentType = try folder.contentType()
      report.name = try folder.name()
      report.conflicts = try conflicts.count()
      report.waiting = try store.records.countWaiting()
      report.containers = try exchange.statuses(probe: probe)
      for at in report.containers.indices where !report.containers[at].setting.isReadOnly {
        report.containers[at].assetsToPush = try? exchange.assetsToHand(report.containers[at].setting)
      }
      report.exchanges = try bundles.exchanges.statuses(probe: probe)
      let dismissed = try members.uncounted.dismissed()
      report.quarantine = try store.peers.quarantine().filter { !dismissed.contains($0.mark) }
      report.left = try LeftBehind.all(folder)
      report.withheld = try members.uncounted.withheld()
      report.held = try members.uncounted.held().filter { !dismissed.contains($0.mark) }
      report.unapplied = try members.uncounted.unapplied() + keychain.unvouched()
      (report.isSealed, report.hasMembers) = (try folder.isSealed(), folder.hasMembers)
      let membership = try members.membership()
      report.role = membership?.role(of: instance)
      report.isPending = try access.requests.isWaiting()
      report.asking = try access.requests.asking()
      tellRefusedRemovals(&report)
      report.forks = try members.uncounted.forks()
      report.missingAssets = try assets.countMissing()
      let wanted = try report.containers.filter(\.setting.isAutomatic).compactMap { try $0.setting.assetFilter() }
      if report.missingAssets.count > 0, !wanted.isEmpty {
        try assets.forEachUnnoted(wanted: wanted) { _ in report.hasToFetch = true }
      }
      let own = try store.branches.runs().filter { $0.branch.instance == instance }
      report.unsynced =
        try report.containers.map { try containers.frontier(of: $0.setting.name).missing(of: own).blocks }.min()
        ?? own.blocks
      return report
    }
  }

  /// A removed block that nobody may have ordered is told alike, whether it was refused or turned out to be one after it was taken in.
  private func tellRefusedRemovals(_ report: inout StatusReport) {
    for row in report.quarantine where row.reason == Problem.Code.badRemoval.rawValue {
      let isTold = report.unapplied.contains {
        $0.code == .badRemoval && $0.branch == row.branch && $0.index == row.index
      }
      if !isTold { report.unapplied.append(Problem(.badRemoval, place: "", branch: row.branch, index: row.index)) }
    }
    report.quarantine.removeAll { $0.reason == Problem.Code.badRemoval.rawValue }
  }

  /// The process that is writing to the database now, in its own words, and since when; nil if none is.
  package func writer() throws -> (text: String, since: Int64)? {
    try FileLock.holder(Path.join(path, Store.lockName))
  }
}
