import SeaContainer
import SeaCore

/// The valid blocks of a chain in a container, read and verified starting at block 0 without a database or a key.
struct VerifiedBlocks: GoodBlocks {
  private struct Branch {
    var piece: ChainPieces.Piece
    var run: BlockRun
    var base: Digest?
    var outlines: [BlockOutline] = []
    var lamports: [UInt32] = []
  }

  private let place: ContainerPlace
  private let database: UUID
  private let instance: UUID
  private let sound: Set<BlockKey>
  private var key: [UInt8]?
  private var isSealed = false
  private var all: [Branch] = []
  private var places: [BranchID: Int] = [:]
  private var siblings: [Digest: Int] = [:]
  private(set) var problems: [Problem] = []

  init(
    _ place: ContainerPlace, _ instance: UUID, of database: UUID, _ meter: WorkMeter?,
    sound: Set<BlockKey> = [], checkStop: () throws -> Void = {}
  ) throws {
    self.place = place
    self.sound = sound
    self.database = database
    self.instance = instance
    var open = try ChainPieces(place, instance)
    while let (piece, base) = try open.next({ find($0) != nil }) {
      let before = problems.count
      guard let turn = try read(piece, base, meter, checkStop) else { continue }
      problems.removeSubrange(before...)
      open.addPiece(piece, at: turn.at, gap: turn.gap)
    }
    for piece in open.orphans {
      problems.append(
        Problem(.gap, place: place.name, branch: piece.branch, index: piece.gap ?? piece.first - min(piece.first, 1)))
    }
    all.sort { ($0.run.first > 0 ? 1 : 0, $0.run.first) < ($1.run.first > 0 ? 1 : 0, $1.run.first) }
    (places, siblings) = ([:], [:])
    for (at, branch) in all.enumerated() {
      places[branch.run.branch] = at
      indexForkBlocks(of: at)
    }
  }

  private mutating func indexForkBlocks(of place: Int) {
    guard !all[place].run.branch.isMainBranch else { return }
    for outline in all[place].outlines { siblings[outline.digest] = place }
  }

  private mutating func read(
    _ piece: ChainPieces.Piece, _ base: BlockRef?, _ meter: WorkMeter?, _ checkStop: () throws -> Void
  ) throws -> (at: UInt32, gap: UInt32?)? {
    var blocks = VerifiedRun(
      base.map { verifier(behind: $0, of: instance) } ?? ChainVerifier(database: database, instance: instance),
      keys: nil)
    let sound = sound
    var branch = Branch(
      piece: piece, run: BlockRun(piece.branch, first: piece.first, last: piece.first), base: base?.digest)
    var turn: (at: UInt32, gap: UInt32?)?
    let end = try place.read(piece) { index, bytes in
      try checkStop()
      if let head = blocks.head, let header = try? BlockHeader(bytes), header.index == index, index > piece.first,
        header.previous != head.digest
      {
        turn = (index, nil)
        return false
      }
      let isSound = blocks.add(
        index, bytes, keeps: false,
        check: { (header, verifier) throws(CoreError) in
          guard header.mode.contains(.removed), let head = verifier.head else { return }
          guard sound.contains(BlockKey(head)) else { throw .badBlock(.badRemoval) }
        })
      guard isSound, let head = blocks.head else { return false }
      let isRemoved = BlockHeader.Mode(rawValue: bytes[3]).contains(.removed)
      meter?.add()
      branch.outlines.append(BlockOutline(index: index, size: bytes.count, digest: head.digest, isRemoved: isRemoved))
      branch.lamports.append(blocks.verifier.lamport)
      if blocks.isDue { _ = blocks.drainVerified() }
      return blocks.fault == nil
    }
    _ = blocks.drainVerified()
    if let fault = blocks.fault {
      turn = nil
      branch.outlines.removeAll { $0.index >= fault.index }
      // An invalid stray file is not a problem.
      if case .folder = piece.source {
        problems.append(
          Problem(Problem.Code(fault.error), place: place.name, branch: piece.branch, index: fault.index))
      }
    } else if turn == nil, let problem = Problem(end, place: place.name, branch: piece.branch) {
      if case .gap(let gap, _) = end, let next = try place.next(behind: gap, in: piece.folder) { turn = (next, gap) }
      problems.append(problem)
    }
    guard let last = branch.outlines.last else { return turn }
    branch.run.last = last.index
    (key, isSealed) = (key ?? blocks.verifier.key, blocks.verifier.isSealed)
    places[piece.branch] = all.count
    all.append(branch)
    indexForkBlocks(of: all.count - 1)
    return turn
  }

  private func branch(_ id: BranchID) -> Branch? { places[id].map { all[$0] } }

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
    for at in [places[block.branch.mainBranch], siblings[block.digest]].compactMap({ $0 })
    where outline(all[at], block.index)?.digest == block.digest {
      return BlockRef(all[at].run.branch, index: block.index, digest: block.digest)
    }
    return nil
  }

  func base(of branch: BranchID) -> BlockRef? {
    guard let one = self.branch(branch), let base = one.base, one.run.first > 0 else { return nil }
    return find(BlockRef(instance: instance, index: one.run.first - 1, digest: base))
  }

  func path(to block: BlockRef, from first: UInt32) -> [BlockRun] {
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
    let there = self.branch(branch)
    let want = there.flatMap { outline($0, index) }
    var bytes: [UInt8]?
    _ = try there.map { there in
      try place.read(there.piece.at(index)) { _, block in
        // The container may have changed since it was verified, so check the digest again.
        if let want, (try? BlockHeader(block).hash(ofIntact: block)) == want.digest {
          bytes = Array(block)
        }
        return false
      }
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
