import SeaContainer
import SeaCore
import SeaStore

extension Exchange {
  /// Gives the container what this instance knows and the container lacks: its own chain and those it relays.
  package func push(to container: Container, named name: String, into result: inout SyncResult) throws {
    let place = ContainerPlace(container, named: name)
    let meter = try WorkMeter(settings.report, .handing, name, items: { try containers.toPush(name) })
    let unsound = try members.standing().unsound
    for chain in try store.blocks.chains() {
      var push = ChainPush(store, place, chain.instance, meter)
      push.unsound = unsound.filter { $0.instance == chain.instance }
      defer { result.add(push.result) }
      try push.run()
    }
  }
}

/// Gives a container the branches of one chain. Where each of them lies there is found by what its blocks are: our trunk
/// may be a sibling branch there, and the other way round.
private struct ChainPush {
  private let store: Store
  private let place: ContainerPlace
  private let instance: UUID
  private let meter: WorkMeter?
  /// Removed blocks that no order allows: they are not handed on, nor what is behind them.
  var unsound: [BlockRow] = []
  /// How far each branch of the container was known to be there.
  private var seen: [BranchID: BlockRef] = [:]
  /// What is known to be there now.
  private var news: [BlockRef] = []
  private(set) var result = SyncResult()

  init(_ store: Store, _ place: ContainerPlace, _ instance: UUID, _ meter: WorkMeter?) {
    self.store = store
    self.place = place
    self.instance = instance
    self.meter = meter
  }

  private var container: Container { place.container }

  mutating func run() throws {
    seen = try store.peers.seen(of: instance, in: place.name)
    let there = try place.branches(of: instance)
    for (branch, known) in seen.sorted(by: { $0.key < $1.key }) {
      let last = there.first { $0.branch == branch }?.last
      guard last.map({ $0 < known.index }) ?? true else { continue }
      problem(
        Problem(
          .rolledBack, place: place.name, branch: branch, index: last, detail: "block \(known.index) was there before"))
      if last == nil, !branch.isTrunk { try store.write { try store.peers.forgetSeen(branch, in: place.name) } }
    }
    for branch in try store.blocks.branches(of: instance) {
      guard let branch = try sound(branch) else { continue }
      guard try push(branch) else { break }
    }
    let news = news.filter { seen[$0.branch] != $0 }
    guard !news.isEmpty else { return }
    try store.write { for one in news { try store.peers.setSeen(one, in: place.name) } }
  }

  /// As much of a branch as may be handed on.
  private func sound(_ branch: BranchRow) throws -> BranchRow? {
    guard !unsound.isEmpty, let end = try store.blocks.block(branch.id, branch.head.index) else { return branch }
    let stops = try unsound.filter { try store.blocks.ancestor(of: end, at: $0.index)?.digest == $0.digest }
    guard let stop = stops.map(\.index).min() else { return branch }
    guard stop > branch.first, let last = try store.blocks.block(branch.id, stop - 1) else { return nil }
    var part = branch
    part.head = last.ref
    return part
  }

  private mutating func problem(_ problem: Problem) { result.problems.append(problem) }

  /// - Returns: false if something that is not known is in the way.
  private mutating func push(_ branch: BranchRow) throws -> Bool {
    let there = try place.branches(of: instance)
    let known: Overlap
    if let (remembered, in: target) = try remembered(branch, there) {
      known = .upTo(remembered, in: target)
    } else {
      known = try place.overlap(with: branch.run, of: store)
    }
    var start: UInt32 = 0
    var target: BlockRun?
    switch known {
    case .orphan: return true
    case .none: target = there.first { $0.branch.isTrunk }
    case .upTo(let index, let at):
      start = index + 1
      target = there.first { $0.branch == at }
    }
    if let there = target, there.last >= start, start <= branch.head.index {
      guard try isKnown(there.branch, start) else { return false }
      target = nil
    }
    guard let target else {
      return try begin(branch, at: start, isTrunk: start == 0 && !there.contains { $0.branch.isTrunk })
    }
    try fill(target)
    let from = try anew(target, start)
    guard from > branch.head.index else {
      return try write(branch, from: from, min(from, start), to: target.branch, target.first)
    }
    // All of it is there, and perhaps more.
    if target.last == branch.head.index { done(branch.head, in: target.branch) }
    return true
  }

  /// How far the container is known to have a branch by what is remembered and by names alone.
  private func remembered(_ branch: BranchRow, _ there: [BlockRun]) throws -> (UInt32, in: BranchID)? {
    for run in there {
      guard let known = seen[run.branch], known.index == run.last, known.index >= branch.first,
        known.index <= branch.head.index, try store.blocks.block(branch.id, known.index)?.digest == known.digest
      else { continue }
      return (known.index, in: run.branch)
    }
    return nil
  }

  /// Whether what is in the place of the next block of ours is another good one, so that ours begins a branch there.
  private mutating func isKnown(_ branch: BranchID, _ index: UInt32) throws -> Bool {
    if let link = try place.link(branch, index),
      try store.blocks.block(BlockRef(branch, index: index, digest: link.digest)) != nil
    {
      return true
    }
    let end = try container.readBlocks(of: branch, from: index) { _, _ in false }
    problem(
      Problem(end, place: place.name, branch: branch) ?? Problem(.fork, place: place.name, branch: branch, index: index)
    )
    return false
  }

  private mutating func begin(_ branch: BranchRow, at start: UInt32, isTrunk: Bool) throws -> Bool {
    guard start <= branch.head.index, let first = try store.link(branch.id, start) else { return true }
    let id = isTrunk ? BranchID(instance) : BranchID(instance, forkedAt: first.digest)
    return try write(branch, from: start, start, to: id, start)
  }

  /// Where writing begins: the last push may have ended with the power, and what is written anew is the same.
  private func anew(_ target: BlockRun, _ start: UInt32) throws -> UInt32 {
    guard let known = seen[target.branch], known.index != target.last else { return start }
    return min(start, try place.firstMissing(of: target))
  }

  /// Puts back what is missing in the middle of a branch. To look for it costs a look at every name, so it is done when a
  /// container is met for the first time, or anew.
  private mutating func fill(_ target: BlockRun) throws {
    guard seen[target.branch] == nil else { return }
    var end: BlockRow?
    var index = target.first
    while index < target.last {
      defer { index += 1 }
      guard try !container.has(target.branch, index) else { continue }
      if end == nil, let link = try place.link(target.branch, target.last) {
        end = try store.blocks.block(BlockRef(target.branch, index: target.last, digest: link.digest))
      }
      guard let end else { return }
      try store.makeDurable()
      result.pushed += try container.writeBlocks(of: target.branch, from: index) {
        guard try index < target.last && !container.has(target.branch, index),
          let row = try store.blocks.ancestor(of: end, at: index)
        else { return nil }
        index += 1
        return try store.blocks.intactBytes(of: row)
      }
    }
  }

  /// - Parameter start: the first block that was not there, as far as is known.
  private mutating func write(
    _ branch: BranchRow, from: UInt32, _ start: UInt32, to target: BranchID, _ first: UInt32
  ) throws -> Bool {
    guard let end = try store.blocks.block(branch.id, branch.head.index) else {
      throw StoreError.damaged("block \(branch.head)")
    }
    var next = from
    // A block that a loss of power could still take from us would be written a second time, and otherwise.
    try store.makeDurable()
    do {
      let written = try container.writeBlocks(of: target, from: from) {
        guard next <= branch.head.index else { return nil }
        let own =
          next >= branch.first ? try store.blocks.block(branch.id, next) : try store.blocks.ancestor(of: end, at: next)
        guard let row = own else { return nil }
        next += 1
        meter?.add()
        return try store.blocks.intactBytes(of: row)
      }
      result.pushed += max(0, written - Int(start - from))
    } catch ContainerError.differs(_, let index, let incomplete) {
      problem(Problem(incomplete ? .incomplete : .fork, place: place.name, branch: target, index: index))
      return false
    }
    place.note(target, first: first, last: branch.head.index)
    done(branch.head, in: target)
    return true
  }

  private mutating func done(_ head: BlockRef, in target: BranchID) {
    news.append(BlockRef(target, index: head.index, digest: head.digest))
  }
}
