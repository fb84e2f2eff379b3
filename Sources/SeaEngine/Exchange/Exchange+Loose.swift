import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

// Imports stray blocks: "conflicted copies" made by cloud clients, and files that were moved aside. A stray block is
// identified by its content, not by its file name.

extension Exchange {
  /// The maximum number of bytes in memory at a time. The remaining files wait for the next sync.
  private static let mostLooseBytes = 64 << 20

  private struct Loose {
    var header: BlockHeader
    var bytes: [UInt8]
    var digest: Digest
    var instance: UUID?
    var stray: UInt64?
  }

  /// - Returns: the instances with new blocks.
  func importLoose(
    from container: Container, _ name: String, _ memory: CopyMemory, _ places: [BlockPosition],
    into result: inout SyncResult
  ) throws -> Set<UUID> {
    memory.addStrays(try container.strays())
    var open: [Loose] = []
    var room = Exchange.mostLooseBytes
    var unread: Set<UInt64> = []
    for stray in memory.newStrays where stray.size >= Int64(BlockHeader.size) {
      guard room > stray.size else {
        unread.insert(stray.mark)
        continue
      }
      let parts = stray.path.split(separator: "/")
      let instance = parts.count > 1 ? BranchID(String(parts[1]))?.instance : nil
      do {
        try container.readStray(stray.path) { bytes in
          guard let header = try? BlockHeader(bytes), !header.mode.contains(.removed) else { return false }
          room -= bytes.count
          open.append(
            Loose(
              header: header, bytes: Array(bytes), digest: header.hash, instance: instance,
              stray: stray.mark))
          return room > 0
        }
      } catch ContainerError.system(let error) where error.isUnreadable || error.isMissing {
        unread.insert(stray.mark)
      }
    }
    for place in places.prefix(10_000) {
      _ = try container.readBlocks(of: place.branch, from: place.index) { _, bytes in
        guard let header = try? BlockHeader(bytes), !header.mode.contains(.removed) else { return false }
        open.append(
          Loose(
            header: header, bytes: Array(bytes), digest: header.hash, instance: place.branch.instance))
        return false
      }
    }
    open.sort { $0.header.index < $1.header.index }
    let imported = try importLoose(&open, from: ContainerPlace(container, named: name), into: &result)
    let waiting = unread.union(open.compactMap(\.stray))
    memory.finish { !waiting.contains($0.mark) }
    return imported
  }

  /// Imports stray blocks from a container that this sync does not write to. Also reports placeholders.
  func importStrays(from container: Container, named name: String, into result: inout SyncResult) throws {
    let memory = try CopyMemory(folder, name, isFar: container.isFar)
    try reportPromised(in: container, named: name, memory, besides: [], into: &result)
    try memory.checkPlaceholderLikeFiles()
    let imported = try importLoose(from: container, name, memory, [], into: &result)
    for instance in imported {
      result.forgetAwaited(of: instance, in: name)
      try pull(from: container, named: name, only: instance, into: &result)
    }
    try forgetPromised(in: name, of: imported, &result)
    result.add(try members.applyValidBlocks())
    try memory.keepStrays()
  }

  /// Records stray files of branches. Reports missing blocks that exist only as placeholders of a cloud client.
  /// - Parameter besides: the branches that have already been audited.
  func reportPromised(
    in container: Container, named name: String, _ memory: CopyMemory, besides: Set<BranchID>,
    into result: inout SyncResult
  ) throws {
    func report(_ problem: Problem?) {
      if let problem, !result.problems.contains(problem) { result.problems.append(problem) }
    }
    let listing = try container.chains()
    for branch in listing.chains where !besides.contains(branch) {
      let survey = try container.survey(branch)
      memory.addSurvey(survey, of: branch)
      let promised = survey.placeholders.union(survey.promised.map(\.lowerBound)).sorted()
      let lacking = try promised.filter { try store.blocks.block(branch, $0) == nil }.prefix(Exchange.mostPromised)
      report(memory.problem(promised: branch, Array(lacking)))
    }
    for branch in listing.foreign.lazy.compactMap({ Layout.promised(by: $0) }).compactMap({ BranchID($0) })
    where !listing.chains.contains(branch) && !besides.contains(branch) {
      report(memory.problem(promised: branch, UInt32?.none))
    }
    if listing.isPromised, listing.chains.isEmpty, !result.isIncomplete {
      result.problems.append(Problem(.incomplete, place: name, detail: Layout.transactions))
    }
    if listing.areAssetsPromised, try store.assets.countAssets().count > 0, !memory.isOverForAssets() {
      result.problems.append(Problem(.incomplete, place: name, detail: Layout.assets))
    }
  }

  /// Drops problems with placeholders whose blocks have been imported in the meantime.
  func forgetPromised(in name: String, of imported: Set<UUID>, _ result: inout SyncResult) throws {
    try result.problems.removeAll { problem in
      guard problem.place == name, problem.code == .gap, problem.detail == Problem.placeholder,
        let branch = problem.branch, let index = problem.index, imported.contains(branch.instance)
      else { return false }
      return try store.blocks.block(branch, index) != nil
    }
  }

  private static let mostPromised = 100

  /// - Parameter open: the blocks to import; on return, only the blocks that are waiting for another block.
  private func importLoose(
    _ open: inout [Loose], from place: ContainerPlace, into result: inout SyncResult
  ) throws -> Set<UUID> {
    var imported: Set<UUID> = []
    guard !open.isEmpty else { return imported }
    let keys = try keychain.availableKeyRing()
    let standing = PullAuthorization(members)
    var goesOn = true
    while goesOn {
      goesOn = false
      var rest: [Loose] = []
      for one in open {
        guard let verifier = try verifier(for: one, keys) else {
          rest.append(one)
          continue
        }
        let ref = BlockRef(instance: verifier.instance, index: one.header.index, digest: one.digest)
        if try store.blocks.block(ref) != nil { continue }
        var run = VerifiedRun(verifier, keys: keys)
        let isSound = one.bytes.withUnsafeBytes { run.add(one.header.index, $0) }
        let good = run.drainVerified()
        guard isSound, run.fault == nil, !run.verifier.isAnonymous else { continue }
        var pull = try BranchPull(self, place, BranchID(ref.instance), keys, standing, nil)
        if try pull.applyLoose(good, &result) {
          imported.insert(ref.instance)
          goesOn = true
        }
      }
      open = rest
    }
    return imported
  }

  private func verifier(for one: Loose, _ keys: KeyRing?) throws -> ChainVerifier? {
    if one.header.index == 0 {
      let opened = one.bytes.withUnsafeBytes { bytes in
        (one.instance ?? UUID(high: 0, low: 0)) == UUID(high: 0, low: 0)
          ? nil : try? BlockReader.open(bytes, of: one.instance!, keys: keys)
      }
      guard case .instance(_, let key, _, _)? = opened?.payload.controls.first else { return nil }
      return ChainVerifier(
        database: folder.databaseID, instance: Identity.instance(key: key), isSealed: try folder.isSealed())
    }
    let known = one.instance.map { [$0] } ?? []
    for instance in try known + store.branches.chains().map(\.instance) {
      let before = BlockRef(instance: instance, index: one.header.index - 1, digest: one.header.previous)
      guard let row = try store.blocks.block(before), let chain = try store.branches.chain(instance) else { continue }
      return try folder.verifier(behind: row, key: chain.publicKey)
    }
    return nil
  }
}
