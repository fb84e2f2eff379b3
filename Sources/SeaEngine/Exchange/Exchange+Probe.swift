import SeaContainer
import SeaCore
import SeaStore

extension Exchange {
  /// - Parameter probe: whether to check each container; if false, the stored status is used.
  package func statuses(probe: Bool) throws -> [ContainerStatus] {
    var all = try containers.statuses(probe: probe)
    if probe { for at in all.indices { all[at].state = try probed(all[at]) } }
    return all
  }

  private func probed(_ status: ContainerStatus) throws -> ContainerCondition {
    switch status.state {
    case .ok, .readOnly, .incomplete: break
    default: return status.state
    }
    do {
      let look = try probe(at: status.setting, containers.open(status.setting))
      if look.isDamaged { return .damaged }
      if look.isIncomplete { return .incomplete }
      // The check does not read the data that the last sync quarantined.
      let isApart = try store.peers.quarantine().contains { $0.container == status.setting.name }
      if status.state == .incomplete { return isApart ? .incomplete : .ok }
      return status.state
    } catch {
      guard let state = Containers.state(for: error) else { throw error }
      return state
    }
  }

  /// Finds lost and changed files in a container by names and sizes. Reads only files that have changed since the last
  /// check, and writes nothing.
  package func probe(at setting: ContainerSetting, _ opened: Container? = nil) throws -> ContainerLook {
    let container = try opened ?? containers.open(setting)
    let name = setting.name
    let memory = try CopyMemory(folder, name, isFar: container.isFar, counts: false)
    let good = StoreBlocks(
      folder: folder, ordered: OrderedBlocks(members), invalidPurges: try store.blocks.unauthorizedPurges())
    var look = ContainerLook()
    let place = ContainerPlace(container, named: name)
    var probed: Set<BranchID> = []
    for chain in try store.branches.chains() {
      var copy = ChainCopy(good, place, chain.instance, dryRun: true, memory: memory)
      try copy.run()
      probed.formUnion(copy.branches.map(\.id))
      look.lost += copy.mended
      look.problems += copy.problems
    }
    var promised = SyncResult()
    try reportPromised(in: container, named: name, memory, besides: probed, into: &promised)
    look.problems += promised.problems
    try look.addGaps(in: container, named: name)
    var push = try AssetPush(assets, to: container, named: name, AssetRule(setting.assetFilter()))
    let files = try push.probe()
    let slots = try keychain.slots.missing(from: container, named: name) {
      try containers.missing(from: place).blocks > 0
    }
    (look.lostAssets, look.lostSlots) = (files.lost, slots.lost)
    if slots.crowd > 0 { look.problems.append(Problem(crowded: slots.crowd, place: name)) }
    look.lacksFiles = files.lost > 0 || slots.isDamaged
    look.awaitsFiles = files.isIncomplete || slots.isIncomplete
    return look
  }
}

package struct ContainerLook {
  fileprivate var lost: [BlockPosition] = []
  /// The number of blocks that the container has lost; a push writes them again.
  package var lostBlocks: Int { lost.count }
  package func lostBlocks(besides runs: [BlockRun]) -> Int {
    lost.count { place in
      !runs.contains { $0.branch == place.branch && $0.first <= place.index && place.index <= $0.last }
    }
  }
  /// The numbers of lost asset files and lost key slots; a push writes them again.
  package fileprivate(set) var (lostAssets, lostSlots) = (0, 0)
  package fileprivate(set) var problems: [Problem] = []
  fileprivate var (lacksFiles, awaitsFiles) = (false, false)

  package var isDamaged: Bool { !lost.isEmpty || lacksFiles || problems.contains(where: \.isDamage) }
  package var isIncomplete: Bool { awaitsFiles || problems.contains { $0.code == .incomplete } }

  /// Reports each branch that has a gap or a file that is too small, because readers cannot reach any later blocks.
  fileprivate mutating func addGaps(in container: Container, named name: String) throws {
    let reported = Set(problems.compactMap(\.branch)).union(lost.map(\.branch))
    for branch in try container.chains().chains where !reported.contains(branch) {
      let survey = try container.survey(branch)
      guard let gap = survey.gap(from: branch.isMainBranch ? 0 : nil), let last = survey.lastFile else { continue }
      problems.append(
        Problem(.incomplete, place: name, branch: branch, index: gap, detail: Problem.laterAreThere(last)))
    }
  }

  /// Returns the problems to report after a sync in one direction.
  package func oneWayProblems(of name: String) -> [Problem] {
    var reported = problems.filter { $0.code == .incomplete || $0.isDamage }
    reported += lost.map {
      Problem(.incomplete, place: name, branch: $0.branch, index: $0.index, detail: ContainerLook.wasThere)
    }
    if reported.isEmpty, lacksFiles || awaitsFiles {
      reported.append(Problem(.incomplete, place: name, branch: nil, detail: "assets/ or keys/"))
    }
    return reported
  }

  /// Returns a problem for the first lost block of each branch, and problems with key slots.
  /// - Parameter besides: branches whose problems have already been reported.
  package func lostFileProblems(from name: String, besides: Set<BranchID>) -> [Problem] {
    var first: [BranchID: UInt32] = [:]
    for place in lost where !besides.contains(place.branch) {
      first[place.branch] = min(place.index, first[place.branch] ?? .max)
    }
    var gone = first.sorted { $0.key < $1.key }.map { Problem(wasThere: $0.key, $0.value, place: name) }
    if lostSlots > 0 { gone.append(Problem(slotsWereThere: lostSlots, place: name)) }
    return gone + problems.filter { $0.code == .crowded }
  }

  private static let wasThere = "it was complete before"
}
