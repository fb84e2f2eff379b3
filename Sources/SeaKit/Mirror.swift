import SeaContainer
import SeaCore

/// Making one container hold what another holds: no database, no key. Nothing is copied that does not verify.
package enum Mirror {
  package struct Result: Sendable {
    package var blocks = 0
    package var chains = 0
    package var created = false
    package var problems: [Problem] = []
  }

  /// - Parameter dryRun: counts, and writes nothing.
  package static func copy(from source: Container, to target: Container, dryRun: Bool) throws -> Result {
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
          ContainerInfo(container: UUID.random(), database: info.database, contentType: info.contentType))
      }
    }
    let listing = try source.chains()
    result.problems += listing.foreign.map { Problem(.foreignFile, place: source.location, detail: $0) }
    for chain in listing.chains {
      let start = isNew ? nil : try target.lastIndex(of: chain)
      var copy = ChainCopy(source, target, chain, info.database, dryRun: dryRun)
      try copy.run(after: start)
      result.blocks += copy.copied
      result.chains += copy.copied > 0 ? 1 : 0
      if let problem = copy.problem { result.problems.append(problem) }
    }
    return result
  }
}

/// Copies the tail of one chain. The whole of it is verified on the way: a signature at its end covers all of it.
private struct ChainCopy {
  private let source: Container
  private let target: Container
  private let chain: ChainName
  private let dryRun: Bool
  private var verifier: ChainVerifier
  private var run: [[UInt8]] = []
  private var runStart: UInt32 = 0
  private var runBytes = 0
  private var unsettled = 0
  private(set) var copied = 0
  private(set) var problem: Problem?

  init(_ source: Container, _ target: Container, _ chain: ChainName, _ database: UUID, dryRun: Bool) {
    self.source = source
    self.target = target
    self.chain = chain
    self.dryRun = dryRun
    verifier = ChainVerifier(database: database, instance: chain.instance)
  }

  mutating func run(after last: UInt32?) throws {
    if let last, try !isSame(last) {
      // One of the two may simply be behind.
      if try source.lastIndex(of: chain).map({ $0 >= last }) ?? false {
        problem = Problem(.fork, place: target.location, instance: chain.instance, index: last)
      }
      return
    }
    var copy = self
    let start = last.map { $0 + 1 } ?? 0
    copy.runStart = start
    let end = try source.readBlocks(of: chain, from: 0) { index, bytes in
      do throws(CoreError) { _ = try copy.verifier.check(bytes) } catch {
        copy.problem = Problem(
          Problem.Code(error), place: copy.source.location, instance: copy.chain.instance, index: index)
        return false
      }
      if index >= start {
        copy.run.append(Array(bytes))
        copy.runBytes += bytes.count
      }
      copy.unsettled += 1
      if copy.unsettled >= 1000 || copy.runBytes >= 8 << 20 { return try copy.flush() }
      return true
    }
    let isWhole = try copy.flush()
    self = copy
    if isWhole, problem == nil {
      problem = Problem(end, place: source.location, instance: chain.instance)
    }
  }

  private mutating func flush() throws -> Bool {
    unsettled = 0
    let bad = verifier.settle()
    let good = bad.map { max(0, min(run.count, Int($0) - Int(runStart))) } ?? run.count
    if good > 0 {
      var next = 0
      let blocks = run
      if !dryRun {
        _ = try target.writeBlocks(of: chain, from: runStart) {
          guard next < good else { return nil }
          next += 1
          return blocks[next - 1]
        }
      }
      copied += good
    }
    runStart += UInt32(run.count)
    run.removeAll(keepingCapacity: true)
    runBytes = 0
    if let bad, problem == nil {
      problem = Problem(.badSignature, place: source.location, instance: chain.instance, index: bad)
    }
    return bad == nil
  }

  private func isSame(_ index: UInt32) throws -> Bool {
    func digest(_ container: Container) throws -> Digest? {
      var found: Digest?
      _ = try container.readBlocks(of: chain, from: index) { _, bytes in
        found = SHA256.hash(bytes)
        return false
      }
      return found
    }
    guard let ours = try digest(target) else { return false }
    return try ours == digest(source)
  }
}
