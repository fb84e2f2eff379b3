import SeaContainer
import SeaCore
import SeaStore

extension Exchange {
  /// Gives the container what this instance knows and the container lacks: its own chain and those it relays; and writes
  /// again what was lost or damaged there.
  /// - Parameter isFull: whether the content of every block is looked at.
  package func push(
    to container: Container, named name: String, isFull: Bool = false, into result: inout SyncResult
  ) throws {
    let meter = try WorkMeter(settings.report, .handing, name, items: { try containers.toPush(name) })
    let memory = try CopyMemory(folder, name, isFull: isFull, isFar: container.isFar)
    func ownHead() throws -> BlockRef? { try store.branches.branch(BranchID(folder.instance))?.head }
    var handing = Handing()
    var taken: Set<UUID> = []
    var isFirst = true
    while true {
      // What is known of the rest stays as it is where no more may be moved, as where something fails.
      guard try handing.run(self, container, name, memory, meter, into: &result) else { return }
      // What stands where no reader comes to is taken in, and then it is known where it belongs; also of chains that nobody here knows.
      if isFirst {
        try tellPromised(in: container, named: name, memory, besides: handing.looked, into: &result)
        try memory.lookAtStandIns()
        isFirst = false
      }
      // What was set aside just now has another name.
      for branch in handing.asides { memory.note(try container.survey(branch).strays) }
      let pulled = result.pulled
      let more = try takeLoose(from: container, name, memory, handing.loose, into: &result)
      taken.formUnion(more)
      let news = more.union(handing.opened)
      for instance in news {
        result.forgetAwaited(of: instance, in: name)
        try pull(from: container, named: name, only: instance, into: &result)
      }
      if more.isEmpty, result.pulled == pulled { break }
      result.add(try members.applyWhatCounts())
      // A block that names an order says that it was obeyed.
      try emptying.run()
      let head = try ownHead()
      try renewIfForked()
      handing = Handing(done: handing.done.subtracting(news))
      // What followed from it was written to the own chain.
      if try ownHead() != head { handing.done.remove(folder.instance) }
    }
    try forgetPromised(in: name, of: taken, &result)
    try memory.finish()
  }

  /// What is handed over in one go, and what was met.
  private struct Handing {
    /// The chains that need not be looked at.
    var done: Set<UUID> = []
    var looked: Set<BranchID> = []
    var loose: [BlockPosition] = []
    /// The branches of which files were set aside.
    var asides: Set<BranchID> = []
    /// The chains that go on behind what was mended.
    var opened: Set<UUID> = []

    /// - Returns: false if no more may be moved.
    mutating func run(
      _ exchange: Exchange, _ container: Container, _ name: String, _ memory: CopyMemory, _ meter: WorkMeter?,
      into result: inout SyncResult
    ) throws -> Bool {
      let place = ContainerPlace(container, named: name)
      // Who finds somebody else in his own place has another chain afterwards.
      while true {
        let own = exchange.folder.instance
        let all = try exchange.store.branches.chains().map(\.instance).filter { !done.contains($0) }
        if all.isEmpty { return true }
        let source = try exchange.goodBlocks()
        for instance in all.filter({ $0 == own }) + all.filter({ $0 != own }) {
          done.insert(instance)
          let copy = try exchange.push(instance, of: source, to: place, memory, meter, into: &result)
          if exchange.settings.allowance?.isSpent == true { return false }
          looked.formUnion(copy.branches.map(\.id))
          loose += copy.loose
          if copy.hasOpened { opened.insert(instance) }
          asides.formUnion((copy.asides + copy.worthless).map(\.branch))
        }
      }
    }
  }

  /// What may be handed on, as it is now.
  private func goodBlocks() throws -> StoreBlocks {
    StoreBlocks(folder: folder, ordered: OrderedBlocks(members), unsound: try store.blocks.unsoundRemovals())
  }

  /// What was kept apart of a branch that is right again is of no more interest.
  private func release(_ branch: BranchID, _ name: String) throws {
    guard try store.peers.quarantine(of: branch, in: name) != nil else { return }
    try store.write { try store.peers.release(branch, in: name) }
  }

  private func push(
    _ instance: UUID, of good: StoreBlocks, to place: ContainerPlace, _ memory: CopyMemory, _ meter: WorkMeter?,
    into result: inout SyncResult
  ) throws -> ChainCopy {
    var copy = ChainCopy(good, place, instance, memory: memory, meter: meter)
    copy.allowance = settings.allowance
    defer {
      result.pushed += copy.copied + copy.healed
      result.healed += copy.healed
      let extra = Set(copy.worthless)
      result.mended += copy.asides.map {
        let detail = extra.contains($0) ? Problem.extra : ""
        return Problem(.mended, place: place.name, branch: $0.branch, index: $0.index, detail: detail)
      }
      result.problems += copy.problems
      let mended = copy.mended + copy.worthless + copy.immovable
      result.problems.removeAll { problem in
        problem.place == place.name && problem.isDamage
          && mended.contains { $0.branch == problem.branch && $0.index == problem.index }
      }
    }
    try copy.run()
    if copy.isOwn || copy.copied + copy.healed > 0 { result.written += copy.reached().compactMap(\.now) }
    for branch in Set(copy.mended.map(\.branch)) { try release(branch, place.name) }
    for branch in Set(copy.asides.map(\.branch)) {
      guard try place.container.survey(branch).gap(from: branch.isTrunk ? 0 : nil) == nil else { continue }
      if result.forgetGaps(in: branch, of: place.name) { try release(branch, place.name) }
    }
    for branch in Set(copy.immovable.map(\.branch)) {
      // Nobody else writes there, and so nothing is missing before it.
      if copy.isOwn { _ = result.forgetGaps(in: branch, of: place.name) }
      try release(branch, place.name)
    }
    let news = copy.reached().filter { $0.now != $0.before || $0.now?.branch != $0.before?.branch }
    guard !news.isEmpty else { return copy }
    try store.write {
      for one in news {
        if let now = one.now {
          try store.peers.setSeen(now, in: place.name)
        } else {
          try store.peers.forgetSeen(one.branch, in: place.name)
        }
      }
    }
    return copy
  }
}
