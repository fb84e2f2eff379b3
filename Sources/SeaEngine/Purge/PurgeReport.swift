import SeaContainer
import SeaCore
import SeaStore

/// The progress of purge orders that is visible to this instance.
package struct PurgeReport: Sendable {
  package struct Instance: Sendable {
    package var instance: UUID
    package var name: String
    /// Whether one of the instance's blocks names all purge orders. The instance purged its store before sharing this
    /// block.
    package var isDone: Bool
    /// Whether the instance may write. If not, it cannot confirm a purge.
    package var canConfirm: Bool
    package var isFollowed: Bool
  }

  package struct Place: Sendable {
    package enum State: String, Sendable {
      case done
      /// The container has purged data.
      case left
      case unseen
    }
    package var name: String
    package var state: State
    package var remainders: [PurgeRemainder] = []
    package var reason = ""
  }

  package var purged = 0
  /// The number of blocks with a purge order that are still complete in this store.
  package var waiting = 0
  /// Blocks that this database tried to purge but that are still complete, with the obstacle. If there is no obstacle,
  /// the block can be purged now.
  package var staying: [PurgePlan.Block] = []
  package var hasMoreStaying = false
  package var isOrdered = false
  /// Whether free pages or the log of the store may still contain purged bytes.
  package var mustScrub = false
  package var instances: [Instance] = []
  package var containers: [Place] = []

  package var assets: [PurgeRemainder] = []

  package var isDoneHere: Bool { waiting == 0 && !mustScrub && staying.isEmpty && !hasMoreStaying && assets.isEmpty }

  /// Whether no purged data seems to be left: on this device, in other instances, or in containers.
  package var isDone: Bool {
    isDoneHere && instances.allSatisfy(\.isDone) && containers.allSatisfy { $0.state == .done }
  }
}

extension Purge {
  /// Reports on the store and every available container. Writes nothing.
  package func report(_ containers: Containers) throws -> PurgeReport {
    var report = PurgeReport()
    report.purged = try store.blocks.purgedBlocks().count { $0.state != .unread }
    let wishes = try UnfinishedPurges(store)
    if !wishes.blocks.isEmpty {
      let judge = try PurgeJudge(records.author.members)
      report.staying = try wishes.blocks.map { row in
        let isHeld = row.state == .held || row.state == .heldBack
        return try PurgePlan.Block(row: row, obstacle: judge.obstacle(row) ?? (isHeld ? .held : nil))
      }
    }
    report.hasMoreStaying = wishes.hasMore
    guard try store.control.hasOrders() else { return report }
    report.isOrdered = true
    report.waiting = try emptying.due().count
    report.mustScrub = try store.purged.mustScrub()
    let here = try PurgedAssets(emptying.assets).judge(in: emptying.assets.files)
    report.assets = here.left + here.due.map { PurgeRemainder($0) }
    report.instances = try instances()
    for setting in try containers.settings() {
      var place = PurgeReport.Place(name: setting.name, state: .unseen)
      do {
        let container = try containers.open(setting)
        var purge = ContainerPurge(emptying.assets, container, dryRun: true)
        try purge.run()
        (place.remainders, place.state) = (purge.remainders, purge.remainders.isEmpty ? .done : .left)
        if setting.isReadOnly { place.reason = "read-only" }
        if try container.isAppendOnly { place.reason = "append-only" }
      } catch {
        guard let state = Containers.state(for: error) else { throw error }
        place.reason = state.rawValue
      }
      report.containers.append(place)
    }
    return report
  }

  private func instances() throws -> [PurgeReport.Instance] {
    let own = records.author.folder.instance
    let membership = try records.author.members.membership()
    var last: [UUID: BlockRef] = [:]
    var lamport: [UUID: UInt32] = [:]
    try store.control.forEachOrder { row in
      guard row.author.branch.isMainBranch, last[row.author.instance].map({ $0.index < row.author.index }) ?? true,
        let block = try store.blocks.block(sequence: row.sequence), block.state == .applied
      else { return }
      last[row.author.instance] = row.author
      lamport[row.author.instance] = block.lamport
    }
    guard let earliest = lamport.values.min() else { return [] }
    let followed = try Set(store.control.chainCreations().compactMap(\.follows))
    return try store.branches.chains().filter { $0.instance != own }.compactMap { chain in
      let role = membership?.role(of: chain.instance)
      // Revoked instances do not receive new blocks.
      if membership != nil, role == nil { return nil }
      var open = last
      open[chain.instance] = nil
      var index = chain.head.index
      while !open.isEmpty, let row = try store.blocks.block(chain.head.branch, index), row.lamport > earliest {
        for head in try store.content.heads(of: row) {
          if let order = open[head.instance], head.index >= order.index { open[head.instance] = nil }
        }
        guard index > 0 else { break }
        index -= 1
      }
      return PurgeReport.Instance(
        instance: chain.instance, name: chain.name, isDone: open.isEmpty, canConfirm: role != .read,
        isFollowed: followed.contains(chain.instance))
    }
  }
}
