import SeaContainer
import SeaCore
import SeaStore

package struct Dropped: Sendable {
  package var instance: UUID
  package var name = ""
  package var isRevoked = false
  package var blocks = 0
  package var assets = 0
  package var request = false
}

package struct RemovedPending: Sendable {
  package var instances: [Dropped] = []
  /// The number of removed key slots that no current or former member has listed.
  package var slots = 0
  /// The number of files moved aside: invalid files after the ends of chains, and unsigned files after gaps.
  package var files = 0
}

extension Exchange {
  /// Removes data that no instance reads: chains and unreferenced assets of nonmembers, and unlisted key slots. Also
  /// removes access requests by nonmembers and revoked instances, and moves invalid files aside.
  /// - Parameter dryRun: whether to only count the data, based on local information.
  /// - Throws: `membershipDataMissing` if data that is still missing might authorize an instance.
  package func removePending(in setting: ContainerSetting, dryRun: Bool) throws -> RemovedPending {
    guard !setting.isReadOnly else { throw KitError.containerIsReadOnly(setting.name) }
    let container = try containers.open(setting)
    let worthless = try WorthlessFiles(exchange: self).setAside(in: container, setting, dryRun: dryRun)
    let mayHold = try folder.hasMembers || folder.isSealed()
    var result = SyncResult()
    if mayHold, !dryRun {
      try unlockForSync()
      try importBlocks(from: container, named: setting.name, into: &result)
      try followUp()
    }
    let unreachable = try UnreachableFiles(self, in: container, setting).setAside(dryRun: dryRun)
    let aside = worthless + unreachable.count
    guard mayHold else { return RemovedPending(files: aside) }
    if !dryRun { try requireAll(result, setting.name, but: unreachable.branches) }
    guard let membership = try members.membership() else {
      // In a database without members, every chain belongs to an instance that has the key.
      guard try !members.mayHaveUnreadEntries() else { throw KitError.membershipDataMissing(name: setting.name) }
      return RemovedPending(slots: try keychain.slots.dropUnlisted(of: container, dryRun: dryRun), files: aside)
    }
    guard try !members.mayAuthorizeInUnreadBlocks() else { throw KitError.membershipDataMissing(name: setting.name) }
    var dropped: [UUID: Dropped] = [:]
    func update(_ instance: UUID, _ change: (inout Dropped) -> Void) {
      change(&dropped[instance, default: Dropped(instance: instance)])
    }
    var gone: [BranchID] = []
    for branch in try ContainerPlace(container, named: setting.name).chains().chains
    where isStranger(branch.instance) {
      guard try store.branches.chain(branch.instance) == nil else { continue }
      let count = dryRun ? try container.survey(branch).count(from: 0) : try container.drop(branch, from: 0)
      update(branch.instance) { $0.blocks += count }
      gone.append(branch)
    }
    func isStranger(_ instance: UUID) -> Bool {
      instance != folder.instance && membership[instance] == nil
    }
    for name in try container.names(in: .requests) {
      guard let instance = UUID(name), instance != folder.instance else { continue }
      guard membership[instance].map({ $0.role == nil }) ?? isStranger(instance) else { continue }
      if !dryRun { try container.remove(name, in: .requests) }
      update(instance) { $0.request = true }
    }
    var files: [AssetPlace] = []
    try container.forEachAsset { place, _ in
      guard isStranger(place.instance), try store.assets.assets(at: place).isEmpty else { return }
      files.append(place)
    }
    if !dryRun { try container.removeAssets(files) }
    for place in files { update(place.instance) { $0.assets += 1 } }
    if !dryRun, !gone.isEmpty {
      try store.write {
        for branch in gone {
          try store.peers.forgetSeen(branch, in: setting.name)
          try store.peers.release(branch, in: setting.name)
        }
      }
    }
    var held = RemovedPending(files: aside)
    held.slots = try keychain.slots.dropUnlisted(of: container, dryRun: dryRun)
    let names = try members.names()
    held.instances = dropped.values.sorted { $0.instance < $1.instance }.map { one in
      var one = one
      one.name = names[one.instance] ?? ""
      one.isRevoked = membership[one.instance]?.revoked != nil
      return one
    }
    return held
  }

  /// - Parameter branches: branches whose unreadable files have been moved aside.
  private func requireAll(_ result: SyncResult, _ name: String, but branches: Set<BranchID>) throws {
    try result.throwUnreadable()
    let membership = try members.membership()
    let isLacking = result.problems.contains { problem in
      problem.place == name && !problem.isStored && !(problem.branch.map(branches.contains) ?? false)
        && (problem.isError || problem.code == .incomplete)
        && (membership == nil || problem.instance.map { membership?[$0]?.role != nil } ?? false)
    }
    guard !isLacking, try store.peers.chainsSeenElsewhere().isEmpty else {
      throw KitError.membershipDataMissing(name: name)
    }
  }
}

private struct WorthlessFiles {
  let exchange: Exchange

  func setAside(in container: Container, _ setting: ContainerSetting, dryRun: Bool) throws -> Int {
    let memory = try CopyMemory(exchange.folder, setting.name, isFar: container.isFar, counts: false)
    let good = StoreBlocks(
      folder: exchange.folder, ordered: OrderedBlocks(exchange.members),
      invalidPurges: try exchange.store.blocks.unauthorizedPurges())
    var count = 0
    let place = ContainerPlace(container, named: setting.name)
    for chain in try exchange.store.branches.chains() {
      var copy = ChainCopy(good, place, chain.instance, dryRun: true, memory: memory)
      copy.isPatient = false
      try copy.run()
      for file in copy.worthless {
        let isFolded = try !container.survey(file.branch).hasSingle(file.index)
        if !dryRun { try container.quarantine(file.branch, file.index, folded: isFolded) }
        count += 1
      }
    }
    return count
  }
}

/// Files after a gap that syncs no longer expect to be filled. Readers never reach these files.
///
/// Files with a valid signature are included only if the gap is at least thirty days old. The files are moved aside and
/// not deleted, because the missing blocks may still arrive.
struct UnreachableFiles {
  let exchange: Exchange
  let container: Container
  let setting: ContainerSetting
  private var store: Store { exchange.store }

  init(_ exchange: Exchange, in container: Container, _ setting: ContainerSetting) {
    self.exchange = exchange
    self.container = container
    self.setting = setting
  }

  /// - Returns: the number of files, and their branches.
  func setAside(dryRun: Bool) throws -> (count: Int, branches: Set<BranchID>) {
    var found: (count: Int, branches: Set<BranchID>) = (0, [])
    let hasMembers = try exchange.members.membership() != nil
    for row in try store.peers.quarantine() where row.container == setting.name {
      guard try isOver(row) else { continue }
      let isKnown = try store.branches.chain(row.branch.instance) != nil
      // `removePending` removes unknown chains completely.
      guard isKnown || !hasMembers else { continue }
      let survey = try container.survey(row.branch)
      guard survey.placeholders.isEmpty, survey.promised.isEmpty, try !isThere(row) else { continue }
      let singles = survey.singles.filter { $0.index >= row.index && $0.size >= 0 }.map { ($0.index, false) }
      let folded = survey.folded.filter { Layout.Leaf(containing: $0.first).last >= row.index }.map { ($0.first, true) }
      if exchange.settings.clock() - row.since < CopyMemory.longest,
        try (singles + folded).contains(where: { try isSigned(row.branch, $0.0) })
      {
        continue
      }
      var isClear = true
      for (index, isFolded) in singles + folded {
        guard !dryRun else {
          found.count += 1
          continue
        }
        do throws(ContainerError) {
          try container.quarantine(row.branch, index, folded: isFolded)
          found.count += 1
        } catch {
          guard error.reasonFileIsLocked != nil else { throw error }
          isClear = false
        }
      }
      guard isClear else { continue }
      found.branches.insert(row.branch)
      if !dryRun { try store.write { try store.peers.release(row.branch, in: setting.name) } }
    }
    return found
  }

  private func isOver(_ row: QuarantineRow) throws -> Bool {
    guard row.reason == Problem.Code.incomplete.rawValue, row.syncs > Int(CopyMemory.patientSyncs) else { return false }
    return try exchange.settings.clock() - row.since >= exchange.settings.patience()
  }

  private func isThere(_ row: QuarantineRow) throws -> Bool {
    var isThere = false
    _ = try container.readBlocks(of: row.branch, from: row.index) { index, _ in
      isThere = index == row.index
      return false
    }
    return isThere
  }

  /// Returns whether the instance has signed the block, even at another index. Also returns true if the instance's key
  /// is unknown.
  private func isSigned(_ branch: BranchID, _ index: UInt32) throws -> Bool {
    guard let chain = try store.branches.chain(branch.instance) else { return false }
    let key = chain.publicKey
    guard !key.isEmpty else { return true }
    let (database, isSealed) = (exchange.folder.databaseID, try exchange.folder.isSealed())
    var isSigned = false
    _ = try container.readBlocks(of: branch, from: index) { _, bytes in
      guard let header = try? BlockHeader(bytes), header.index > 0, header.lamport > 0 else { return false }
      let before = BlockRef(instance: branch.instance, index: header.index - 1, digest: header.previous)
      var run = VerifiedRun(
        ChainVerifier(
          database: database, head: before, lamport: header.lamport - 1, key: key, isSealed: isSealed), keys: nil)
      _ = run.add(header.index, bytes, keeps: false)
      _ = run.drainVerified()
      isSigned = run.fault == nil
      return false
    }
    return isSigned
  }
}
