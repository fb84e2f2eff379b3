import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What became of a container when it was last used, or now when it was looked at.
package enum ContainerState: String, Sendable {
  case ok
  /// Attached, and never synced with.
  case new
  case readOnly = "read-only"
  /// Nothing is there, or nothing that answers.
  case away
  /// It holds another database, another type of content, or is another container than before.
  case mismatch
  /// Something in it does not verify.
  case damaged
  /// It could not be read or written.
  case failed
}

/// A container as this instance knows it.
package struct ContainerStatus: Sendable {
  package var setting: ContainerSetting
  package var state: ContainerState
  /// Blocks that it is not known to have.
  package var toPush: Int
  /// Blocks that it has and this instance lacks; nil if it was not looked at.
  package var toPull: Int?
  /// Whether what lies in it is sealed.
  package var isSealed = false
  /// Milliseconds since 1970; nil for never.
  package var lastSync: Int64?
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
  package var quarantine: [QuarantineRow] = []
  /// Blocks of instances that are not entitled to what they say.
  package var held: [Held] = []
  /// Whether this instance waits for somebody to let it in, and why what it writes may not count.
  package var isPending = false
  package var role: Role?
  package var hasMembers = false
  package var isSealed = false
  /// Blocks that others have seen and that no container has given to us.
  package var withheld: [Problem] = []
  /// Chains with a second branch.
  package var forks: [Problem] = []

  /// Content that records name now and that is not here: how much, and its bytes.
  package var missingAssets: (count: Int, bytes: Int64) = (0, 0)

  /// Whether a container that is synced automatically is to bring some of it.
  package var hasToFetch = false

  /// Whether a sync would hand something over.
  package var hasToSync: Bool { containers.contains { $0.setting.isAutomatic && $0.toPush > 0 } }
}

/// The blocks of one instance that are kept and not applied.
package struct Held: Sendable {
  package var instance: UUID
  package var name: String
  package var blocks: Int
  package var first: UInt32
  /// Whether it was a member before.
  package var isRevoked: Bool
}

extension Database {
  /// Who has written what does not count.
  package func held() throws -> [Held] {
    let blocks = try store.blocks.heldBlocks()
    guard !blocks.isEmpty else { return [] }
    let names = try instanceNames()
    let membership = try membership()
    return blocks.map {
      Held(
        instance: $0.instance, name: names[$0.instance] ?? "", blocks: $0.blocks, first: $0.first,
        isRevoked: membership?[$0.instance]?.revoked != nil)
    }
  }

  /// What others say that they have seen and this instance has not. On its way, as a rule; if it stays so, a container
  /// withholds it.
  package func withheld() throws -> [Problem] {
    try store.peers.withheld().map {
      Problem(.withheld, place: "", instance: $0.instance, index: $0.announced, detail: $0.have < 0 ? "" : "\($0.have)")
    }
  }

  /// The branches that left the trunk of a chain, or another branch. Both count.
  package func forks() throws -> [Problem] {
    try store.blocks.siblings().map { Problem(fork: $0.id, place: "", index: $0.first) }
  }

  /// Reads one state of the database and takes no lock.
  package func status() throws -> StatusReport {
    try store.snapshot {
      var report = StatusReport()
      report.contentType = try contentType()
      report.name = try name()
      report.conflicts = try conflicts.count()
      report.waiting = try store.records.countWaiting()
      report.containers = try containerStatuses(probe: false)
      report.quarantine = try store.peers.quarantine()
      report.withheld = try withheld()
      report.held = try held()
      (report.isSealed, report.hasMembers) = (try isSealed(), hasMembers)
      let membership = try membership()
      report.role = membership?.role(of: instance)
      report.isPending = try isPending() || (membership != nil && membership?[instance] == nil)
      report.forks = try forks()
      report.missingAssets = try countMissingAssets()
      let wanted = try report.containers.filter(\.setting.isAutomatic).compactMap { try $0.setting.assetFilter() }
      if report.missingAssets.count > 0, !wanted.isEmpty {
        try assets.forEachUnnoted(wanted: wanted) { _ in report.hasToFetch = true }
      }
      let last = try store.blocks.chain(instance).map { Int($0.head.index) } ?? -1
      let seen = try report.containers.map {
        try store.peers.seen(BranchID(instance), in: $0.setting.name).map { Int($0.index) } ?? -1
      }
      report.unsynced = max(0, last - (seen.max() ?? -1))
      return report
    }
  }

  /// Content that records name and that is not here.
  package func countMissingAssets() throws -> (count: Int, bytes: Int64) {
    var sum = (count: 0, bytes: Int64(0))
    try assets.forEachUnnoted { sum = (sum.count + 1, sum.bytes + $0.size) }
    return sum
  }

  /// - Parameter probe: looks at each container; else only what is remembered of it.
  package func containerStatuses(probe: Bool) throws -> [ContainerStatus] {
    try containerSettings().map { setting in
      let row = try store.peers.container(setting.name)
      let last = row.flatMap { $0.last > 0 ? $0.last : nil }
      var state: ContainerState = setting.isReadOnly ? .readOnly : last == nil ? .new : .ok
      if let known = row.flatMap({ ContainerState(rawValue: $0.state) }), known != .ok { state = known }
      var status = ContainerStatus(
        setting: setting, state: state, toPush: setting.isReadOnly ? 0 : try toPush(setting.name), toPull: nil,
        isSealed: try isSealed(), lastSync: last)
      guard probe else { return status }
      do {
        let plan = try plan(setting)
        if !setting.isReadOnly { status.toPush = plan.push.blocks }
        status.toPull = plan.pull.blocks
      } catch {
        guard let state = Database.containerState(for: error) else { throw error }
        status.state = state
      }
      return status
    }
  }

  /// What the names in a container of any database say it holds.
  package static func survey(ofContainerAt location: String) throws -> (
    database: UUID, contentType: String, chains: Int, blocks: Int
  ) {
    let source = try container(at: location)
    let info = try source.info()
    let place = ContainerPlace(source, named: location)
    return (
      info.database, info.contentType, try place.chains().chains.count { $0.isTrunk }, try place.branches().blocks
    )
  }

  /// What an error says about the container that was in use; nil if it is not the container's fault.
  package static func containerState(for error: any Error) -> ContainerState? {
    switch error {
    case KitError.containerAway, ContainerError.notThere, ContainerError.notAContainer: .away
    case KitError.containerMismatch, ContainerError.incompatible: .mismatch
    case ContainerError.badInfo: .damaged
    case is ContainerError: .failed
    default: nil
    }
  }

  /// The containers that a command means: those named, or all that are automatic.
  /// - Throws: `containerNotFound`; `containerIsReadOnly` for one that is named and cannot be pushed to.
  package func containers(named names: [String], for direction: Direction) throws -> [ContainerSetting] {
    if names.isEmpty {
      return try containerSettings().filter { $0.isAutomatic && !($0.isReadOnly && direction == .push) }
    }
    var settings: [ContainerSetting] = []
    for name in names {
      let setting = try containerSetting(name)
      if setting.isReadOnly, direction == .push { throw KitError.containerIsReadOnly(name) }
      if !settings.contains(setting) { settings.append(setting) }
    }
    return settings
  }

  /// The process that is writing to the database now, in its own words, and since when; nil if none is.
  package func writer() throws -> (text: String, since: Int64)? {
    try FileLock.holder(Path.join(path, Store.lockName))
  }

}
