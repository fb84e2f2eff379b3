import SeaCore
import SeaStore
import SeaSystem

/// A database of records on this device. It combines the parts that work on a `.sea` folder.
///
/// A `Database` object must be used on one thread only. Several processes may use the same database at once: writers
/// wait for each other, and readers never wait.
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
  /// Whether a clone was able to leave its request for access at the source.
  package internal(set) var leftRequest = false

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
    purge = Purge(records, PurgeExecutor(assets))
    exchange = Exchange(access, conflicts, indexes, assets, containers, purge.emptying)
    bundles = Bundles(exchange)
    verification = Verification(exchange)
  }

  /// Closes the database. Completed changes are safe even without this call.
  package func close() { store.close() }

  /// Closes the database when the process ends, which must be soon.
  package func closeAtExit() { store.closeAtExit() }

  package var isOpen: Bool { store.isOpen }

  /// Whether the path of this database now leads to another database or to none.
  package var hasMoved: Bool { store.hasMoved }

  /// Runs `body` while no other process can write, so that its changes are based on current data. A read-only database
  /// is not locked.
  package func locked<Result>(_ body: () throws -> Result) throws -> Result {
    try settings.access == .write ? store.locked(body) : body()
  }

  /// Runs `body` on one consistent state of the database, even if other processes write at the same time.
  /// - Parameter moment: the point in time of the state; nil for now.
  package func atOneState<Result>(at moment: Moment? = nil, _ body: () throws -> Result) throws -> Result {
    try store.snapshot(at: moment, body)
  }
}

package struct Statistics: Sendable {
  package var types: [(type: String?, count: Int)] = []
  package var conflicts = 0
  package var waiting = 0
  package var totals: Totals
  package var blocks = BlockTotal()
  package var authors: [(instance: UUID, name: String, total: BlockTotal)] = []
  package var containers: [ContainerStatus] = []

  package var records: Int { types.reduce(0) { $0 + $1.count } }
}

extension Database {
  /// Reads one consistent state of this instance's store, without locking the store or reading any content.
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

// Functions that only call a function of one of the parts.

extension Database {
  package typealias Settings = SeaEngine.Settings
  package typealias Creation = SeaEngine.Creation

  /// Creates a `.sea` folder in `folder`, completely or not at all.
  /// - Throws: `otherDatabase` if the existing database has another ID than requested.
  package static func create(in folder: String, _ creation: Creation, _ settings: Settings) throws -> (
    path: String, created: Bool
  ) {
    try creation.make(in: folder, settings)
  }

  package var path: String { folder.path }
  package var store: Store { folder.store }
  package var settings: Settings { folder.settings }
  package var databaseID: UUID { folder.databaseID }
  package var instance: UUID { folder.instance }

  package func contentType() throws -> String { try folder.contentType() }
  package func name() throws -> String { try folder.name() }
  package func isSealed() throws -> Bool { try folder.isSealed() }
  package func keepsKeys() throws -> Bool { try folder.isSealed() && folder.store.metaInt("keepsKeys") != 0 }
  package func isPending() throws -> Bool { try folder.isPending() }
  package var hasMembers: Bool { folder.hasMembers }

  package static func lock(_ path: String, _ settings: Settings) throws -> FileLock {
    try SeaFolder.lock(path, settings)
  }
}

extension Database {
  package struct Rebuilt: Sendable {
    package var blocks = 0
    package var unread = 0
    package var changed = false
  }

  /// Verifies the chains, discards the local index, and rebuilds it from the chains.
  /// - Parameter dryRun: whether to compute the result without changing anything.
  /// - Throws: the first `Problem` of a chain, because the local index must be built from verified chains only.
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
        try store.projection.rebuildAll()
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

package struct StatusReport: Sendable {
  package var contentType = ""
  package var name = ""
  package var conflicts = 0
  package var waiting = 0
  package var unsynced = 0
  package var containers: [ContainerStatus] = []
  package var exchanges: [ExchangeStatus] = []
  package var quarantine: [QuarantineRow] = []
  package var held: [Held] = []
  package var isPending = false
  package var asking = AccessRequests()
  package var role: Role?
  package var hasMembers = false
  package var isSealed = false
  /// Blocks that other instances have announced but that were found in no container.
  package var withheld: [Problem] = []
  package var left: [UnimportedBlocks] = []
  /// For each chain and each kind of problem, the first block that cannot be applied for reasons other than its
  /// author's role.
  package var unapplied: [Problem] = []
  package var forks: [Problem] = []

  /// The number and total size of assets that current records reference but that are not stored on this device.
  package var missingAssets: (count: Int, bytes: Int64) = (0, 0)

  /// How many broken rules the records have; nil if there are too many records to check.
  package var broken: Int? = 0

  /// Whether a sync of an automatic container should fetch some missing assets.
  package var hasToFetch = false

  /// Whether a sync would transfer anything. Also true if an exchange folder that was checked lacks blocks or has new
  /// ones.
  package var hasToSync: Bool {
    containers.contains { $0.setting.isAutomatic && ($0.toPush > 0 || $0.assetsToPush ?? 0 > 0 || $0.toPull ?? 0 > 0) }
      || exchanges.contains { $0.state == .ok && ($0.toExport > 0 || $0.assetsToExport > 0 || $0.new ?? 0 > 0) }
  }
}

extension Database {
  /// Reads one state of the database without locking it.
  /// - Parameter probe: whether to check each container; if false, the remembered state is used.
  package func status(probe: Bool = false) throws -> StatusReport {
    try store.snapshot {
      var report = StatusReport()
      report.contentType = try folder.contentType()
      report.name = try folder.name()
      report.conflicts = try conflicts.count()
      report.waiting = try store.records.countWaiting()
      report.containers = try exchange.statuses(probe: probe)
      for at in report.containers.indices where !report.containers[at].setting.isReadOnly {
        report.containers[at].assetsToPush = try? exchange.countAssetsToPush(report.containers[at].setting)
      }
      report.exchanges = try bundles.exchanges.statuses(probe: probe)
      let dismissed = try members.uncounted.dismissed()
      report.quarantine = try store.peers.quarantine().filter { !dismissed.contains($0.mark) }
      report.left = try UnimportedBlocks.all(folder)
      report.withheld = try members.uncounted.withheld()
      report.held = try members.uncounted.held().filter { !dismissed.contains($0.mark) }
      report.unapplied = try members.uncounted.unapplied() + keychain.unvouched()
      (report.isSealed, report.hasMembers) = (try folder.isSealed(), folder.hasMembers)
      let membership = try members.membership()
      report.role = membership?.role(of: instance)
      report.isPending = try access.requests.isWaiting()
      report.asking = try access.requests.asking()
      reportRefusedRemovals(&report)
      report.forks = try members.uncounted.forks()
      report.missingAssets = try assets.countMissing()
      let wanted = try report.containers.filter(\.setting.isAutomatic).compactMap { try $0.setting.assetFilter() }
      if report.missingAssets.count > 0, !wanted.isEmpty {
        try assets.forEachUnnoted(wanted: wanted) { _ in report.hasToFetch = true }
      }
      report.broken = try records.countBrokenRules()
      let own = try store.branches.runs().filter { $0.branch.instance == instance }
      report.unsynced =
        try report.containers.map { try containers.frontier(of: $0.setting.name).missing(of: own).blocks }.min()
        ?? own.blocks
      return report
    }
  }

  private func reportRefusedRemovals(_ report: inout StatusReport) {
    for row in report.quarantine where row.reason == Problem.Code.badRemoval.rawValue {
      let isTold = report.unapplied.contains {
        $0.code == .badRemoval && $0.branch == row.branch && $0.index == row.index
      }
      if !isTold { report.unapplied.append(Problem(.badRemoval, place: "", branch: row.branch, index: row.index)) }
    }
    report.quarantine.removeAll { $0.reason == Problem.Code.badRemoval.rawValue }
  }

  /// Returns a description of the process that is writing to the database, and the time when it began; nil if no
  /// process is writing.
  package func writer() throws -> (text: String, since: Int64)? {
    try FileLock.holder(Path.join(path, Store.lockName))
  }
}
