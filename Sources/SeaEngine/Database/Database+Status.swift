import SeaCore
import SeaStore
import SeaSystem

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
      report.left = try LeftBehind.all(store)
      report.withheld = try members.uncounted.withheld()
      report.held = try members.uncounted.held().filter { !dismissed.contains($0.mark) }
      report.unapplied = try members.uncounted.unapplied() + hiddenBlocks()
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

  /// What lies under keys that nothing vouches for, of each branch the first.
  private func hiddenBlocks() throws -> [Problem] {
    try keychain.firstHidden().map { row in
      var problem = Problem(.noKey, place: "", branch: row.branch, index: row.index)
      problem.isKept = true
      return problem
    }
  }

  /// The process that is writing to the database now, in its own words, and since when; nil if none is.
  package func writer() throws -> (text: String, since: Int64)? {
    try FileLock.holder(Path.join(path, Store.lockName))
  }
}
