import SeaContainer
import SeaCore
import SeaStore

extension Exchange {
  /// Hands over every chain that is here, and heals what was lost or damaged in the container; takes in what turns up there, and hands
  /// over again, until nothing turns up.
  /// - Parameter isFull: whether the content of every block is audited.
  package func push(
    to container: Container, named name: String, isFull: Bool = false, into result: inout SyncResult
  ) throws {
    var push = try ContainerPush(self, container, name, isFull: isFull)
    // What is remembered stays as it is where no more may be moved, as where something fails.
    guard try push.handOver(&result) else { return }
    try push.reportPromised(&result)
    while try push.takeIn(&result) { guard try push.handOver(&result) else { return } }
    try push.finish(&result)
  }

  /// What was kept apart of a branch that is right again is of no more interest.
  func release(_ branch: BranchID, in name: String) throws {
    guard try store.peers.quarantine(of: branch, in: name) != nil else { return }
    try store.write { try store.peers.release(branch, in: name) }
  }
}

/// One push to one container, and what it has met so far.
private struct ContainerPush {
  let exchange: Exchange
  let container: Container
  let name: String
  let memory: CopyMemory
  let meter: WorkMeter?
  /// The chains that need not be handed over any more.
  var done: Set<UUID> = []
  /// The chains of which something was taken in.
  var taken: Set<UUID> = []
  /// The branches of the container that were audited.
  var audited: Set<BranchID> = []
  /// Good blocks that no reader comes to, since something was last taken in; as the next two.
  var loose: [BlockPosition] = []
  /// The branches of which files were set aside.
  var cleared: Set<BranchID> = []
  /// The chains that go on behind what was mended.
  var opened: Set<UUID> = []

  init(_ exchange: Exchange, _ container: Container, _ name: String, isFull: Bool) throws {
    (self.exchange, self.container, self.name) = (exchange, container, name)
    meter = try WorkMeter(exchange.settings.report, .handing, name, items: { try exchange.containers.toPush(name) })
    memory = try CopyMemory(exchange.folder, name, isFull: isFull, isFar: container.isFar)
  }

  var own: UUID { exchange.folder.instance }

  /// Hands over the chains that are left, the own one first.
  /// - Returns: false if no more may be moved.
  mutating func handOver(_ result: inout SyncResult) throws -> Bool {
    (loose, cleared, opened) = ([], [], [])
    let place = ContainerPlace(container, named: name)
    // An instance that finds somebody else in its own place has another chain afterwards.
    while true {
      let left = try exchange.store.branches.chains().map(\.instance).filter { !done.contains($0) }
      if left.isEmpty { return true }
      let source = try StoreBlocks(
        folder: exchange.folder, ordered: OrderedBlocks(exchange.members),
        unsound: exchange.store.blocks.unsoundRemovals())
      let own = own
      for instance in left.filter({ $0 == own }) + left.filter({ $0 != own }) {
        done.insert(instance)
        var copy = ChainCopy(source, place, instance, memory: memory, meter: meter)
        copy.allowance = exchange.settings.allowance
        defer { result.add(copy, in: name) }
        try copy.run()
        try remember(copy, &result)
        if exchange.settings.allowance?.isSpent == true { return false }
        audited.formUnion(copy.branches.map(\.id))
        loose += copy.loose
        cleared.formUnion((copy.asides + copy.worthless).map(\.branch))
        if copy.hasOpened { opened.insert(instance) }
      }
    }
  }

  /// Takes in what stands where no reader comes to, also of chains that nobody here knows, and what goes on behind what was mended.
  /// - Returns: whether there was anything; then chains are left to be handed over.
  mutating func takeIn(_ result: inout SyncResult) throws -> Bool {
    // What was set aside just now has another name.
    for branch in cleared { memory.note(try container.survey(branch).strays) }
    let pulled = result.pulled
    let found = try exchange.takeLoose(from: container, name, memory, loose, into: &result)
    taken.formUnion(found)
    let news = found.union(opened)
    for instance in news {
      result.forgetAwaited(of: instance, in: name)
      try exchange.pull(from: container, named: name, only: instance, into: &result)
    }
    if found.isEmpty, result.pulled == pulled { return false }
    result.add(try exchange.members.applyWhatCounts())
    // A block that names an order says that it was obeyed.
    try exchange.emptying.run()
    let head = try ownHead()
    try exchange.renewIfForked()
    done.subtract(news)
    // What followed from it was written to the own chain.
    if try ownHead() != head { done.remove(own) }
    return true
  }

  func reportPromised(_ result: inout SyncResult) throws {
    try exchange.tellPromised(in: container, named: name, memory, besides: audited, into: &result)
    try memory.lookAtStandIns()
  }

  func finish(_ result: inout SyncResult) throws {
    try exchange.forgetPromised(in: name, of: taken, &result)
    try memory.finish()
  }

  private func ownHead() throws -> BlockRef? { try exchange.store.branches.branch(BranchID(own))?.head }

  /// Remembers how far the branches of the container go now, and forgets what was wrong with those that are right again.
  private func remember(_ copy: ChainCopy, _ result: inout SyncResult) throws {
    let reached = copy.reached()
    if copy.isOwn || copy.copied + copy.healed > 0 { result.written += reached.compactMap(\.now) }
    for branch in Set(copy.mended.map(\.branch)) { try exchange.release(branch, in: name) }
    for branch in Set(copy.asides.map(\.branch)) {
      guard try container.survey(branch).gap(from: branch.isTrunk ? 0 : nil) == nil else { continue }
      if result.forgetGaps(in: branch, of: name) { try exchange.release(branch, in: name) }
    }
    for branch in Set(copy.immovable.map(\.branch)) {
      // Nobody else writes there, and so nothing is missing before it.
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
  /// Counts what was written and mended. What is mended, or cannot be moved, is no damage any more.
  fileprivate mutating func add(_ copy: ChainCopy, in name: String) {
    pushed += copy.copied + copy.healed
    healed += copy.healed
    let extra = Set(copy.worthless)
    mended += copy.asides.map {
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
