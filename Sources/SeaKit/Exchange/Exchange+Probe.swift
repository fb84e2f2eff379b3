import SeaContainer
import SeaCore
import SeaStore

extension Exchange {
  /// The containers and how they stand.
  /// - Parameter probe: looks at each; else only what is remembered of them.
  package func statuses(probe: Bool) throws -> [ContainerStatus] {
    var all = try containers.statuses(probe: probe)
    if probe { for at in all.indices { all[at].state = try probed(all[at]) } }
    return all
  }

  /// What is to be said of a container that was looked at: not that it is well if it lacks something that was there, or that
  /// is not as it was, by names and sizes. Nothing is written.
  private func probed(_ status: ContainerStatus) throws -> ContainerState {
    switch status.state {
    case .ok, .readOnly, .arriving: break
    default: return status.state
    }
    do {
      let container = try containers.open(status.setting)
      let memory = try CopyMemory(
        store, status.setting.name, own: folder.instance, now: settings.clock(), patience: settings.patience,
        isFull: false, isFar: container.isFar)
      let good = StoreBlocks(
        folder: folder, ordered: OrderedBlocks(members), unsound: try store.blocks.unsoundRemovals(),
        handedOn: try members.handedOn())
      var isArriving = false
      var looked: Set<UUID> = []
      for chain in try store.branches.chains() where good.handedOn.hasAny(of: chain.instance) {
        var copy = ChainCopy(
          good, ContainerPlace(container, named: status.setting.name), chain.instance, dryRun: true, memory: memory)
        try copy.run()
        looked.insert(chain.instance)
        if copy.healed > 0 || copy.problems.contains(where: { $0.isDamage }) { return .damaged }
        isArriving = isArriving || copy.problems.contains { $0.code == .incomplete }
      }
      var promised = SyncResult()
      try tellPromised(in: container, named: status.setting.name, memory, besides: looked, into: &promised)
      isArriving = isArriving || promised.isArriving
      var push = try AssetPush(
        assets, to: container, named: status.setting.name, AssetRule(status.setting.assetFilter()))
      let assets = try push.probe()
      if assets.isDamaged { return .damaged }
      isArriving = isArriving || assets.isArriving
      let slots = try keychain.slots.missing(from: container)
      if slots.isDamaged { return .damaged }
      isArriving = isArriving || slots.isArriving
      // What was kept apart at the last sync has not been read since.
      let isApart = try store.peers.quarantine().contains { $0.container == status.setting.name }
      if status.state == .arriving, isApart { return .arriving }
      return isArriving ? .arriving : status.state == .arriving ? .ok : status.state
    } catch {
      guard let state = Containers.state(for: error) else { throw error }
      return state
    }
  }
}
