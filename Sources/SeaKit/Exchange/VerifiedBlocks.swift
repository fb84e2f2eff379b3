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
  /// Why not all of it is good.
  private(set) var problems: [Problem] = []

  init(
    _ place: ContainerPlace, _ instance: UUID, of database: UUID, _ meter: WorkMeter?,
    sound: Set<SoundRemovals.Key> = []
  ) throws {
    self.place = place
    self.sound = sound
    self.database = database
    self.instance = instance
    for run in try place.branches(of: instance) { try read(run, meter) }
    all.sort { ($0.run.first > 0 ? 1 : 0, $0.run.first) < ($1.run.first > 0 ? 1 : 0, $1.run.first) }
  }

  private mutating func read(_ run: BlockRun, _ meter: WorkMeter?) throws {
    var blocks = VerifiedRun(ChainVerifier(database: database, instance: instance), keys: nil, judgesRemovals: true)
    let sound = sound
    var branch = Branch(run: run)
    let end = try place.readChain(run) { index, bytes in
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
    all.append(branch)
  }

  private func branch(_ id: BranchID) -> Branch? { all.first { $0.run.branch == id } }

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
    for branch in all where outline(branch, block.index)?.digest == block.digest {
      return BlockRef(branch.run.branch, index: block.index, digest: block.digest)
    }
    return nil
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
