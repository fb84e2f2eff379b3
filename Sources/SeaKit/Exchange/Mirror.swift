import SeaContainer
import SeaCore

/// Making one container hold what another holds: no database, no key. Nothing is copied that does not verify.
package enum Mirror {
  package struct Result: Sendable {
    package var blocks = 0
    package var chains = 0
    /// Small files: slots for keys, and requests to join.
    package var files = 0
    /// Files of assets.
    package var assets = 0
    package var created = false
    package var problems: [Problem] = []
  }

  /// - Parameters:
  ///   - dryRun: counts, and writes nothing.
  ///   - progress: told of each block that is looked at.
  package static func copy(
    from source: Container, to target: Container, dryRun: Bool, progress: WorkReport? = nil
  ) throws -> Result {
    let info = try source.info()
    var result = Result()
    result.created = try !check(target, info)
    if result.created, !dryRun {
      try target.create(
        ContainerInfo(
          container: UUID.random(), database: info.database, contentType: info.contentType, proof: info.proof))
    }
    // One that does not exist yet has nothing, and all is counted.
    let there = result.created && dryRun ? nil : target
    for folder in SmallFolder.allCases where !folder.isHint {
      try copyFiles(of: folder, from: source, to: there, dryRun: dryRun, &result)
    }
    let from = ContainerPlace(source, named: source.location)
    let to = there.map { ContainerPlace($0, named: target.location) }
    let listing = try from.chains()
    result.problems += listing.foreign.map { Problem(.foreignFile, place: source.location, detail: $0) }
    let meter = try WorkMeter(
      progress, .handing, target.location, items: { try from.branches().reduce(0) { $0 + Int($1.last) + 1 } })
    for branch in listing.chains {
      var copy = BranchCopy(from, to, branch, info.database, dryRun: dryRun, meter)
      try copy.run()
      result.blocks += copy.copied
      result.chains += copy.copied > 0 ? 1 : 0
      if let problem = copy.problem { result.problems.append(problem) }
    }
    try copyAssets(from: source, to: there, dryRun: dryRun, progress, &result)
    return result
  }

  /// - Returns: false if there is no container yet.
  private static func check(_ target: Container, _ info: ContainerInfo) throws -> Bool {
    let there: ContainerInfo
    do throws(ContainerError) { there = try target.info() } catch {
      switch error {
      case .notThere, .notAContainer: return false
      default: throw error
      }
    }
    guard there.database == info.database else {
      throw KitError.containerMismatch(
        name: target.location, what: .database, have: there.database.description, want: info.database.description)
    }
    guard UTF8Text.equal(there.contentType, info.contentType) else {
      throw KitError.containerMismatch(
        name: target.location, what: .contentType, have: there.contentType, want: info.contentType)
    }
    return true
  }
}

/// Copies of one branch what the target lacks: its tail, and what was lost from its middle. The whole of it is verified on
/// the way: a signature at its end covers all of it.
private struct BranchCopy {
  private let source: ContainerPlace
  /// Nil for one that does not exist yet.
  private let target: ContainerPlace?
  private let branch: BranchID
  private let dryRun: Bool
  private let meter: WorkMeter?
  private var blocks: VerifiedRun
  private(set) var copied = 0
  private(set) var problem: Problem?

  init(
    _ source: ContainerPlace, _ target: ContainerPlace?, _ branch: BranchID, _ database: UUID, dryRun: Bool,
    _ meter: WorkMeter?
  ) {
    self.source = source
    self.target = target
    self.branch = branch
    self.dryRun = dryRun
    self.meter = meter
    blocks = VerifiedRun(ChainVerifier(database: database, instance: branch.instance), keys: nil)
  }

  mutating func run() throws {
    guard let own = try source.run(of: branch) else { return }
    let there = try target?.branches(of: branch.instance) ?? []
    // The first block that the target lacks, and the branch of it that has those before.
    var start = own.first
    var other = there.first { own.first == 0 && $0.branch.isTrunk }
    switch try target?.overlap(with: own, of: source) {
    case nil, Overlap.none?: break
    // What it left could not be copied.
    case .orphan?: if !dryRun { return }
    case .upTo(let index, let at)?:
      start = index + 1
      other = there.first { $0.branch == at }
    }
    // The branch of the target that has another block in that place; it must verify, or it is no fork.
    let rival = other.flatMap { $0.last >= start && start <= own.last ? $0.branch : nil }
    var place = other?.branch ?? branch.trunk
    if rival != nil || (other == nil && !there.isEmpty) || (other == nil && own.first > 0) {
      guard let first = try source.link(branch, start) else {
        problem = Problem(.incomplete, place: source.name, branch: branch, index: start)
        return
      }
      place = BranchID(branch.instance, forkedAt: first.digest)
    }
    try read(own, from: start, into: place, filling: rival == nil ? other : nil, rival)
  }

  private mutating func read(
    _ own: BlockRun, from start: UInt32, into place: BranchID, filling there: BlockRun?, _ rival: BranchID?
  ) throws {
    var copy = self
    let end = try source.readChain(own) { index, bytes in
      if index == start, let rival, try copy.isDamaged(rival, at: index) { return false }
      var isThere = index < start
      if let there, let target, isThere, index >= max(own.first, there.first) {
        isThere = try target.container.has(there.branch, index)
      }
      guard copy.blocks.add(index, bytes, keeps: !isThere) else { return false }
      copy.meter?.add()
      return copy.blocks.isDue ? try copy.flush(into: place) : true
    }
    let isWhole = try copy.flush(into: place)
    self = copy
    if isWhole, problem == nil { problem = Problem(end, place: source.name, branch: branch) }
  }

  /// Hands over the run, as far as a good signature covers it.
  private mutating func flush(into place: BranchID) throws -> Bool {
    let good = blocks.takeVerified()
    do {
      var next = 0
      while next < good.count, !dryRun, let target {
        let (first, before) = (good[next].header.index, next)
        _ = try target.container.writeBlocks(of: place, from: first) {
          guard next < good.count, good[next].header.index == first + UInt32(next - before) else { return nil }
          next += 1
          return good[next - 1].bytes
        }
        target.note(place, first: first, last: good[next - 1].header.index)
      }
      copied += good.count
    } catch ContainerError.differs(_, let index, let incomplete) {
      problem = Problem(incomplete ? .incomplete : .fork, place: target?.name ?? "", branch: branch, index: index)
    }
    if problem == nil, let fault = blocks.fault {
      problem = Problem(Problem.Code(fault.error), place: source.name, branch: branch, index: fault.index)
    }
    return problem == nil
  }

  /// Whether the target's block in the place of the next one is none at all.
  private mutating func isDamaged(_ rival: BranchID, at index: UInt32) throws -> Bool {
    guard let target else { return false }
    var verifier = blocks.verifier
    _ = verifier.checkSignature()
    var other = VerifiedRun(verifier, keys: nil)
    let end = try target.container.readBlocks(of: rival, from: index) { _, bytes in
      _ = other.add(index, bytes, keeps: false)
      return false
    }
    _ = other.takeVerified()
    if let fault = other.fault {
      problem = Problem(Problem.Code(fault.error), place: target.name, branch: branch, index: index)
    } else {
      problem = Problem(end, place: target.name, branch: branch)
    }
    return problem != nil
  }
}
