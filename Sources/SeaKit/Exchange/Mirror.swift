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
    var isNew = false
    do {
      let there = try target.info()
      guard there.database == info.database else {
        throw KitError.containerMismatch(
          name: target.location, what: .database, have: there.database.description, want: info.database.description)
      }
      guard UTF8Text.equal(there.contentType, info.contentType) else {
        throw KitError.containerMismatch(
          name: target.location, what: .contentType, have: there.contentType, want: info.contentType)
      }
    } catch let error as ContainerError {
      switch error {
      case .notThere, .notAContainer: isNew = true
      default: throw error
      }
    }
    if isNew {
      result.created = true
      if !dryRun {
        try target.create(
          ContainerInfo(
            container: UUID.random(), database: info.database, contentType: info.contentType, sealed: info.sealed))
      }
    }
    for folder in SmallFolder.allCases {
      try copyFiles(of: folder, from: source, to: isNew && dryRun ? nil : target, dryRun: dryRun, &result)
    }
    let listing = try source.chains()
    result.problems += listing.foreign.map { Problem(.foreignFile, place: source.location, detail: $0) }
    let there = isNew ? [] : try target.chains().chains
    let count = try WorkCount(progress, .handing, target.location) {
      try listing.chains.reduce(0) { try $0 + (source.lastIndex(of: $1).map { Int($0) + 1 } ?? 0) }
    }
    for chain in listing.chains where chain.fork == nil {
      var copy = ChainCopy(source, target, chain, info.database, dryRun: dryRun)
      copy.count = count
      let isForked = (listing.chains + there).contains { $0.instance == chain.instance && $0.fork != nil }
      let last = isNew || isForked ? nil : try target.lastIndex(of: chain)
      if !isForked {
        try copy.run(after: last)
        result.add(copy)
        guard copy.problem?.code == .fork else { continue }
        result.problems.removeLast()
      }
      try copyBranches(of: chain.instance, from: source, to: target, isNew: isNew, info.database, dryRun, &result)
    }
    try copyAssets(from: source, to: isNew && dryRun ? nil : target, dryRun: dryRun, progress, &result)
    return result
  }

  /// A chain that has several branches: the trunk of one side may be a sibling on the other.
  private static func copyBranches(
    of instance: UUID, from source: Container, to target: Container, isNew: Bool, _ database: UUID, _ dryRun: Bool,
    _ result: inout Result
  ) throws {
    let ours = try BranchTree(source, instance)
    for at in ours.inOrder {
      let branch = ours.branches[at]
      var copy = ChainCopy(source, target, branch.chain, database, dryRun: dryRun)
      let theirs = isNew && dryRun ? nil : try BranchTree(target, instance)
      let found = try theirs?.find(at, of: ours)
      if found?.index == branch.last { continue }
      // What it left could not be copied.
      let start = found.map { $0.index + 1 } ?? 0
      if start < branch.first, !dryRun { continue }
      let other = (found?.branch ?? theirs?.index(of: BranchID(instance))).map { theirs!.branches[$0] }
      if let other, other.last < start {
        copy.place = other.chain
      } else if let other {
        guard let first = try ours.digest(at: start, along: at) else { continue }
        copy.place = BranchID(instance, forkedAt: first)
        copy.rival = other.chain
      } else {
        copy.place = BranchID(instance)
      }
      copy.start = max(start, branch.first)
      try copy.run(after: nil)
      result.add(copy)
    }
  }
}

extension Mirror.Result {
  fileprivate mutating func add(_ copy: ChainCopy) {
    blocks += copy.copied
    chains += copy.copied > 0 ? 1 : 0
    if let problem = copy.problem { problems.append(problem) }
  }
}

/// Copies of one chain what the target lacks: its tail, and what was lost from its middle. The whole of it is verified
/// on the way: a signature at its end covers all of it.
private struct ChainCopy {
  private let source: Container
  private let target: Container
  private let chain: BranchID
  private let dryRun: Bool
  /// Where it goes in the target.
  var place: BranchID
  /// Of a forked chain the first block that the target lacks.
  var start: UInt32?
  /// The chain of the target that has another block in that place; it must verify, or it is no fork.
  var rival: BranchID?
  private var verifier: ChainVerifier
  private var cover = Cover()
  /// Blocks that the target lacks.
  private var run: [(index: UInt32, bytes: [UInt8])] = []
  private var runBytes = 0
  private var unsettled = 0
  /// Told of each block that is looked at.
  var count: WorkCount?
  private(set) var copied = 0
  private(set) var problem: Problem?

  init(_ source: Container, _ target: Container, _ chain: BranchID, _ database: UUID, dryRun: Bool) {
    self.source = source
    self.target = target
    self.chain = chain
    self.dryRun = dryRun
    place = chain
    verifier = ChainVerifier(database: database, instance: chain.instance)
  }

  mutating func run(after last: UInt32?) throws {
    if let last, let end = try source.lastIndex(of: chain), let found = try difference(at: min(last, end)) {
      problem = found
      return
    }
    var copy = self
    let first = try start ?? source.firstIndex(of: chain) ?? 0
    let end = try source.readChain(chain) { index, bytes in
      if index == first, try copy.rival.map({ try copy.isDamaged($0, at: index) }) ?? false { return false }
      do throws(CoreError) { copy.cover.add(try copy.verifier.check(bytes)) } catch {
        copy.problem = copy.problem(Problem.Code(error), in: copy.source, index)
        return false
      }
      let isThere = try last.map { try index == $0 || (index < $0 && copy.target.has(copy.chain, index)) } ?? false
      if !isThere, index >= first {
        copy.run.append((index, Array(bytes)))
        copy.runBytes += bytes.count
      }
      copy.unsettled += 1
      copy.count?.add()
      return copy.unsettled >= 1000 || copy.runBytes >= 8 << 20 ? try copy.flush() : true
    }
    let isWhole = try copy.flush(isEnd: true)
    self = copy
    if isWhole, problem == nil {
      problem = Problem(end, place: source.location, instance: chain.instance)
    }
  }

  /// Hands over the run, as far as a good signature covers it.
  private mutating func flush(isEnd: Bool = false) throws -> Bool {
    unsettled = 0
    var bad = verifier.settle()
    if isEnd, bad == nil { bad = cover.openFrom }
    let limit = min(bad ?? .max, cover.openFrom ?? .max)
    let good = run.prefix { $0.index < limit }
    do {
      var next = 0
      while next < good.count, !dryRun {
        let start = good[next].index
        let before = next
        _ = try target.writeBlocks(of: place, from: start) {
          guard next < good.count, good[next].index == start + UInt32(next - before) else { return nil }
          next += 1
          return good[next - 1].bytes
        }
      }
      copied += good.count
    } catch ContainerError.differs(_, let index, let incomplete) {
      problem = problem(incomplete ? .incomplete : .fork, in: target, index)
    }
    run.removeFirst(bad == nil ? good.count : run.count)
    runBytes = 0
    if let bad, problem == nil { problem = problem(.badSignature, in: source, bad) }
    return problem == nil
  }

  /// Whether the target's block in the place of the next one is none at all.
  private mutating func isDamaged(_ rival: BranchID, at index: UInt32) throws -> Bool {
    var verifier = verifier
    _ = verifier.settle()
    var fault: CoreError?
    let end = try target.readBlocks(of: rival, from: index) { _, bytes in
      do throws(CoreError) { _ = try verifier.check(bytes) } catch { fault = error }
      return false
    }
    if let fault {
      problem = problem(Problem.Code(fault), in: target, index)
    } else if verifier.settle() != nil {
      problem = problem(.badSignature, in: target, index)
    } else {
      problem = Problem(end, place: target.location, instance: chain.instance)
    }
    return problem != nil
  }

  /// What stands against taking a block of the target for the one of the source.
  private func difference(at index: UInt32) throws -> Problem? {
    func digest(_ container: Container) throws -> (Digest?, ReadEnd) {
      var found: Digest?
      let end = try container.readBlocks(of: chain, from: index) { _, bytes in
        found = SHA256.hash(bytes)
        return false
      }
      return (found, end)
    }
    let (there, end) = try digest(target)
    guard let there else { return Problem(end, place: target.location, instance: chain.instance) }
    guard let here = try digest(source).0, here != there else { return nil }
    return problem(.fork, in: target, index)
  }

  private func problem(_ code: Problem.Code, in container: Container, _ index: UInt32) -> Problem {
    Problem(code, place: container.location, instance: chain.instance, index: index, fork: chain.fork)
  }
}
