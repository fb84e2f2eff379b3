import SeaContainer
import SeaCore
import SeaStore

/// What stands behind a gap in a branch of a container, for so long that nobody waits any more, and was signed by nobody who is known; or by
/// somebody who has not closed the gap in thirty days.
///
/// No reader comes to it. It is set aside and not taken away: if it is anything, what is before it may come after all.
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

  /// - Returns: how many files, and of which branches.
  func setAside(dryRun: Bool) throws -> (count: Int, branches: Set<BranchID>) {
    var found: (count: Int, branches: Set<BranchID>) = (0, [])
    let hasMembers = try exchange.members.membership() != nil
    for row in try store.peers.quarantine() where row.container == setting.name {
      guard try isOver(row) else { continue }
      let isKnown = try store.branches.chain(row.branch.instance) != nil
      // Of strangers all is taken out.
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
          try container.setAside(row.branch, index, folded: isFolded)
          found.count += 1
        } catch {
          guard error.whyHeldFast != nil else { throw error }
          isClear = false
        }
      }
      guard isClear else { continue }
      found.branches.insert(row.branch)
      if !dryRun { try store.write { try store.peers.release(row.branch, in: setting.name) } }
    }
    return found
  }

  /// Whether what is missing has been so for as long as a sync waits for it.
  private func isOver(_ row: QuarantineRow) throws -> Bool {
    guard row.reason == Problem.Code.incomplete.rawValue, row.syncs > Int(CopyMemory.patientSyncs) else { return false }
    return try exchange.settings.clock() - row.since >= exchange.settings.patience()
  }

  /// Whether what was missing is there now.
  private func isThere(_ row: QuarantineRow) throws -> Bool {
    var isThere = false
    _ = try container.readBlocks(of: row.branch, from: row.index) { index, _ in
      isThere = index == row.index
      return false
    }
    return isThere
  }

  /// Whether the instance has signed what stands there, be it where it belongs or not; or whether nobody here can tell.
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
      _ = run.takeVerified()
      isSigned = run.fault == nil
      return false
    }
    return isSigned
  }
}
