import SeaContainer
import SeaCore

/// The branches of one chain in a container, read and verified from block 0 on, as far as they are good: no database and no
/// key is needed for it.
struct VerifiedBlocks: GoodBlocks {
  private struct Branch {
    var run: BlockRun
    var base: Digest?
    var outlines: [BlockOutline] = []
    var lamports: [UInt32] = []
  }

  private let place: ContainerPlace
  private let database: UUID
  private let instance: UUID
  /// The removed blocks that may be handed on.
  private let sound: Set<SoundRemovals.Key>
  private var key: [UInt8]?
  private var isSealed = false
  private var all: [Branch] = []
  private var places: [BranchID: Int] = [:]
  /// Of blocks in branches that are no trunks: in which.
  private var siblings: [Digest: Int] = [:]
  /// Why branches are not good up to their end, and from where on.
  private var faults: [BranchID: Problem] = [:]
  /// Why not all of it is good.
  private(set) var problems: [Problem] = []

  init(
    _ place: ContainerPlace, _ instance: UUID, of database: UUID, _ meter: WorkMeter?,
    sound: Set<SoundRemovals.Key> = [], checkStop: () throws -> Void = {}
  ) throws {
    self.place = place
    self.sound = sound
    self.database = database
    self.instance = instance
    for run in try place.runsInOrder(of: instance) { try read(run, meter, checkStop) }
    all.sort { ($0.run.first > 0 ? 1 : 0, $0.run.first) < ($1.run.first > 0 ? 1 : 0, $1.run.first) }
    (places, siblings) = ([:], [:])
    for (at, branch) in all.enumerated() {
      places[branch.run.branch] = at
      spots(of: at)
    }
  }

  /// Notes where the blocks of a branch are, if it is not the trunk.
  private mutating func spots(of place: Int) {
    guard !all[place].run.branch.isTrunk else { return }
    for outline in all[place].outlines { siblings[outline.digest] = place }
  }

  private mutating func read(_ run: BlockRun, _ meter: WorkMeter?, _ checkStop: () throws -> Void) throws {
    var blocks = VerifiedRun(ChainVerifier(database: database, instance: instance), keys: nil, judgesRemovals: true)
    let base = all.isEmpty ? nil : try place.base(of: run)
    if let base {
      // If what it left is not here, it is held against the trunk, which it does not follow.
      let parent = try place.branch(of: base) ?? run.branch.trunk
      guard let last = find(base) ?? block(of: parent, at: base.index) else {
        let fault = faults[parent]
        problems.append(
          Problem(
            fault?.code ?? .gap, place: place.name, branch: run.branch, index: fault?.index ?? base.index,
            detail: fault?.detail ?? ""))
        faults[run.branch] = problems.last
        return
      }
      blocks = VerifiedRun(verifier(behind: last, of: instance), keys: nil, judgesRemovals: true)
    }
    let sound = sound
    var branch = Branch(run: run, base: base?.digest)
    let isBehind = base != nil
    func readAll(_ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool) throws -> ReadEnd {
      isBehind ? try place.container.readBlocks(of: run.branch, from: run.first, body) : try place.readChain(run, body)
    }
    let end = try readAll { index, bytes in
      try checkStop()
      let isSound = blocks.add(
        index, bytes, keeps: false,
        check: { (header, verifier) throws(CoreError) in
          guard header.mode.contains(.removed), let head = verifier.head else { return }
          guard sound.contains(SoundRemovals.Key(head)) else { throw .badBlock(.badRemoval) }
        })
      guard isSound, let head = blocks.head else { return false }
      meter?.add()
      if index >= run.first {
        branch.outlines.append(BlockOutline(index: index, size: bytes.count, digest: head.digest))
        branch.lamports.append(blocks.verifier.lamport)
      } else if index + 1 == run.first {
        branch.base = head.digest
      }
      if blocks.isDue { _ = blocks.takeVerified() }
      return blocks.fault == nil
    }
    _ = blocks.takeVerified()
    defer { faults[run.branch] = problems.last.flatMap { $0.branch == run.branch ? $0 : nil } }
    if let fault = blocks.fault {
      problems.append(
        Problem(Problem.Code(fault.error), place: place.name, branch: run.branch, index: fault.index))
      branch.outlines.removeAll { $0.index >= fault.index }
    } else if let problem = Problem(end, place: place.name, branch: run.branch) {
      problems.append(problem)
    }
    guard let last = branch.outlines.last, branch.outlines.first?.index == run.first else { return }
    branch.run.last = last.index
    (key, isSealed) = (key ?? blocks.verifier.key, blocks.verifier.isSealed)
    places[run.branch] = all.count
    all.append(branch)
    spots(of: all.count - 1)
  }

  private func branch(_ id: BranchID) -> Branch? { places[id].map { all[$0] } }

  private func block(of id: BranchID, at index: UInt32) -> BlockRef? {
    branch(id).flatMap { outline($0, index) }.map { BlockRef(id, index: index, digest: $0.digest) }
  }

  private func outline(_ branch: Branch, _ index: UInt32) -> BlockOutline? {
    guard branch.run.first <= index, index <= branch.run.last else { return nil }
    return branch.outlines[Int(index - branch.run.first)]
  }

  func branches(of instance: UUID) -> [GoodBranch] {
    all.map { branch in
      let last = branch.outlines.last!
      return GoodBranch(
        run: branch.run, head: BlockRef(branch.run.branch, index: last.index, digest: last.digest))
    }
  }

  func find(_ block: BlockRef) -> BlockRef? {
    for at in [places[block.branch.trunk], siblings[block.digest]].compactMap({ $0 })
    where outline(all[at], block.index)?.digest == block.digest {
      return BlockRef(all[at].run.branch, index: block.index, digest: block.digest)
    }
    return nil
  }

  func base(of branch: BranchID) -> BlockRef? {
    guard let one = self.branch(branch), let base = one.base, one.run.first > 0 else { return nil }
    return find(BlockRef(instance: instance, index: one.run.first - 1, digest: base))
  }

  func way(to block: BlockRef, from first: UInt32) -> [BlockRun] {
    var runs: [BlockRun] = []
    var at = find(block)
    while let now = at, now.index >= first, let branch = branch(now.branch) {
      runs.append(BlockRun(now.branch, first: max(first, branch.run.first), last: now.index))
      guard branch.run.first > first, let base = branch.base else { break }
      at = find(BlockRef(instance: instance, index: branch.run.first - 1, digest: base))
    }
    return runs.reversed()
  }

  func outlines(_ run: BlockRun) -> [BlockOutline] {
    guard let branch = branch(run.branch) else { return [] }
    return (run.first...run.last).compactMap { outline(branch, $0) }
  }

  func bytes(_ branch: BranchID, _ index: UInt32) throws -> [UInt8] {
    let want = self.branch(branch).flatMap { outline($0, index) }
    var bytes: [UInt8]?
    _ = try place.container.readBlocks(of: branch, from: index) { _, block in
      // What was verified, and not what stands there now.
      if let header = try? BlockHeader(block), header.blockSize == block.count, header.digest(of: block) == want?.digest
      {
        bytes = Array(block)
      }
      return false
    }
    guard let bytes else { throw Problem(.badData, place: place.name, branch: branch, index: index) }
    return bytes
  }

  func verifier(behind block: BlockRef?, of instance: UUID) -> ChainVerifier {
    guard let block, let at = find(block), let branch = branch(at.branch) else {
      return ChainVerifier(database: database, instance: instance, knownKey: key)
    }
    return ChainVerifier(
      database: database, head: at, lamport: branch.lamports[Int(at.index - branch.run.first)], key: key,
      isSealed: isSealed)
  }

  func isOrdered(_ block: BlockRef) -> Bool { true }
}
