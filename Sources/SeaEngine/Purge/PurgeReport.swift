import SeaContainer
import SeaCore
import SeaStore

/// Who has not yet taken out what was ordered to be purged, as far as can be seen from here.
package struct PurgeReport: Sendable {
  /// Another instance.
  package struct Instance: Sendable {
    package var instance: UUID
    package var name: String
    /// Whether a block of it that is here says that it knows all orders: then its store had been emptied when that block left it.
    package var isDone: Bool
    /// Whether it may write, and so can say so at all.
    package var canSay: Bool
    /// Whether another one goes on in its place.
    package var isFollowed: Bool
  }

  package struct Place: Sendable {
    package enum State: String, Sendable {
      case done
      /// Something that was purged is there.
      case left
      /// It could not be looked at.
      case unseen
    }
    package var name: String
    package var state: State
    /// What is there.
    package var remainders: [PurgeRemainder] = []
    /// Why it could not be looked at, or written to.
    package var reason = ""
  }

  /// Blocks that are purged here.
  package var purged = 0
  /// Blocks that are ordered to be and are whole here.
  package var waiting = 0
  /// Blocks that somebody here wanted to be gone and that are whole here, with what is in the way; nothing where it could be
  /// ordered by now.
  package var staying: [PurgePlan.Block] = []
  /// Whether there are more of these than are remembered.
  package var hasMoreStaying = false
  /// Whether anybody has ordered anything.
  package var isOrdered = false
  /// Whether bytes may still lie in free pages or the log of the store.
  package var mustScrub = false
  package var instances: [Instance] = []
  package var containers: [Place] = []

  /// Files of purged assets that are here still.
  package var assets: [PurgeRemainder] = []

  /// Whether nothing is known to be left on this device.
  package var isDoneHere: Bool { waiting == 0 && !mustScrub && staying.isEmpty && !hasMoreStaying && assets.isEmpty }

  /// Whether nothing is known to be left anywhere that can be seen from here.
  package var isDone: Bool {
    isDoneHere && instances.allSatisfy(\.isDone) && containers.allSatisfy { $0.state == .done }
  }
}

extension Purge {
  /// Looks into the store and into every container that can be reached, and writes nothing.
  /// - Parameter containers: those that are attached.
  package func report(_ containers: Containers) throws -> PurgeReport {
    var report = PurgeReport()
    report.purged = try store.blocks.removed().count { $0.state != .unread }
    let wishes = try PurgeWishes(store)
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

  /// The other instances, and whether they have said that they know all orders that count.
  private func instances() throws -> [PurgeReport.Instance] {
    let own = records.author.folder.instance
    let membership = try records.author.members.membership()
    // Of each author the last order.
    var last: [UUID: BlockRef] = [:]
    var lamport: [UUID: UInt32] = [:]
    try store.control.forEachOrder { row in
      guard row.author.branch.isTrunk, last[row.author.instance].map({ $0.index < row.author.index }) ?? true,
        let block = try store.blocks.block(sequence: row.sequence), block.state == .applied
      else { return }
      last[row.author.instance] = row.author
      lamport[row.author.instance] = block.lamport
    }
    guard let earliest = lamport.values.min() else { return [] }
    let followed = try Set(store.control.births().compactMap(\.follows))
    return try store.branches.chains().filter { $0.instance != own }.compactMap { chain in
      let role = membership?.role(of: chain.instance)
      // Who was shut out is told of nothing any more.
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
        instance: chain.instance, name: chain.name, isDone: open.isEmpty, canSay: role != .read,
        isFollowed: followed.contains(chain.instance))
    }
  }
}
