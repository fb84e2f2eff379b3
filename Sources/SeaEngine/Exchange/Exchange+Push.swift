import SeaContainer
import SeaCore
import SeaStore

extension Exchange {
  /// Copies all local chains to the container. If unknown blocks turn up there, imports them and copies again.
  /// - Parameter isFull: whether to audit the content of every block.
  package func push(
    to container: Container, named name: String, isFull: Bool = false, into result: inout SyncResult
  ) throws {
    var push = try ContainerPush(self, container, name, isFull: isFull)
    // If the limit is reached, nothing is remembered, as after a failure.
    guard try push.handOver(&result) else { return }
    try push.reportPromised(&result)
    while try push.importStrays(&result) { guard try push.handOver(&result) else { return } }
    try push.finish(&result)
  }

  /// Releases a branch from quarantine after it has become valid again.
  func release(_ branch: BranchID, in name: String) throws {
    guard try store.peers.quarantine(of: branch, in: name) != nil else { return }
    try store.write { try store.peers.release(branch, in: name) }
  }
}

private struct ContainerPush {
  let exchange: Exchange
  let container: Container
  let name: String
  let memory: CopyMemory
  let meter: WorkMeter?
  var done: Set<UUID> = []
  /// The chains that blocks have been imported into.
  var imported: Set<UUID> = []
  var audited: Set<BranchID> = []
  /// Valid blocks, found since the last import, that a reader of their branch does not reach.
  var loose: [BlockPosition] = []
  var cleared: Set<BranchID> = []
  /// The chains in which repairs since the last import have made more blocks reachable.
  var opened: Set<UUID> = []

  init(_ exchange: Exchange, _ container: Container, _ name: String, isFull: Bool) throws {
    (self.exchange, self.container, self.name) = (exchange, container, name)
    meter = try WorkMeter(exchange.settings.report, .handing, name, items: { try exchange.containers.toPush(name) })
    memory = try CopyMemory(exchange.folder, name, isFull: isFull, isFar: container.isFar)
  }

  var own: UUID { exchange.folder.instance }

  /// Copies the remaining chains, this instance's chain first.
  /// - Returns: false if the limit is reached.
  mutating func handOver(_ result: inout SyncResult) throws -> Bool {
    (loose, cleared, opened) = ([], [], [])
    let place = ContainerPlace(container, named: name)
    // Repeat, because this instance begins a new chain if it finds another writer using its identity.
    while true {
      let left = try exchange.store.branches.chains().map(\.instance).filter { !done.contains($0) }
      if left.isEmpty { return true }
      let source = try StoreBlocks(
        folder: exchange.folder, ordered: OrderedBlocks(exchange.members),
        invalidPurges: exchange.store.blocks.unauthorizedPurges())
      let own = own
      for instance in left.filter({ $0 == own }) + left.filter({ $0 != own }) {
        done.insert(instance)
        var copy = ChainCopy(source, place, instance, memory: memory, meter: meter)
        copy.allowance = exchange.settings.allowance
        defer { result.add(copy, in: name) }
        try copy.run()
        try remember(copy, &result)
        if exchange.settings.allowance?.isExhausted == true { return false }
        audited.formUnion(copy.branches.map(\.id))
        loose += copy.loose
        cleared.formUnion((copy.movedAside + copy.worthless).map(\.branch))
        if copy.hasOpened { opened.insert(instance) }
      }
    }
  }

  /// Imports stray blocks, even of unknown chains, and blocks that a repair made reachable.
  /// - Returns: whether anything was imported, so that chains must be copied again.
  mutating func importStrays(_ result: inout SyncResult) throws -> Bool {
    // Files that were moved aside now have different names.
    for branch in cleared { memory.addStrays(try container.survey(branch).strays) }
    let pulled = result.pulled
    let found = try exchange.importLoose(from: container, name, memory, loose, into: &result)
    imported.formUnion(found)
    let news = found.union(opened)
    for instance in news {
      result.forgetAwaited(of: instance, in: name)
      try exchange.pull(from: container, named: name, only: instance, into: &result)
    }
    if found.isEmpty, result.pulled == pulled { return false }
    result.add(try exchange.members.applyValidBlocks())
    // A new block of this instance states that all purge orders known so far have been carried out, so carry them out
    // first.
    try exchange.emptying.run()
    let head = try ownHead()
    try exchange.renewIfForked()
    done.subtract(news)
    if try ownHead() != head { done.remove(own) }
    return true
  }

  func reportPromised(_ result: inout SyncResult) throws {
    try exchange.reportPromised(in: container, named: name, memory, besides: audited, into: &result)
    try memory.checkPlaceholderLikeFiles()
  }

  func finish(_ result: inout SyncResult) throws {
    try exchange.forgetPromised(in: name, of: imported, &result)
    try memory.finish()
  }

  private func ownHead() throws -> BlockRef? { try exchange.store.branches.branch(BranchID(own))?.head }

  private func remember(_ copy: ChainCopy, _ result: inout SyncResult) throws {
    let reached = copy.reached()
    if copy.isOwn || copy.copied + copy.healed > 0 { result.written += reached.compactMap(\.now) }
    for branch in Set(copy.mended.map(\.branch)) { try exchange.release(branch, in: name) }
    for branch in Set(copy.movedAside.map(\.branch)) {
      guard try container.survey(branch).gap(from: branch.isMainBranch ? 0 : nil) == nil else { continue }
      if result.forgetGaps(in: branch, of: name) { try exchange.release(branch, in: name) }
    }
    for branch in Set(copy.immovable.map(\.branch)) {
      // No other instance writes to this instance's branches, so no earlier block can be missing.
      if copy.isOwn { _ = result.forgetGaps(in: branch, of: name) }
      try exchange.release(branch, in: name)
    }
    let news = reached.filter { $0.now != $0.before || $0.now?.branch != $0.before?.branch }
    let peers = exchange.store.peers
    if news.isEmpty { return }
    try exchange.store.write {
      for (now, branch, _) in news {
        if let now { try peers.setSeen(now, in: name) } else { try peers.forgetSeen(branch, in: name) }
      }
    }
  }
}

extension SyncResult {
  fileprivate mutating func add(_ copy: ChainCopy, in name: String) {
    pushed += copy.copied + copy.healed
    healed += copy.healed
    let extra = Set(copy.worthless)
    mended += copy.movedAside.map {
      let detail = extra.contains($0) ? Problem.extra : ""
      return Problem(.mended, place: name, branch: $0.branch, index: $0.index, detail: detail)
    }
    problems += copy.problems
    let settled = Set(copy.mended + copy.worthless + copy.immovable)
    problems.removeAll { problem in
      guard problem.place == name, problem.isDamage, let branch = problem.branch, let index = problem.index else {
        return false
      }
      return settled.contains(BlockPosition(branch: branch, index: index))
    }
  }
}
