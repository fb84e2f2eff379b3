internal import SeaCore
internal import SeaEngine

/// A problem that a verification found.
public struct Finding: Sendable, Hashable {
  /// The kind of problem in one word, as `sea verify` prints it: `bad-data`, `bad-signature`, `gap` and others.
  public let code: String
  /// A sentence that describes the problem.
  public let message: String
  /// The name or location of a container; empty for this device.
  public let place: String
  /// The number of the block in its chain; nil if the problem does not concern a block.
  public let block: Int?
  /// Whether the content is damaged. If false, it is missing, does not belong there, or has a newer format.
  public let isDamage: Bool
  /// The container with an intact copy, or `.sea` for this device; nil if no copy was found.
  public let goodCopy: String?

  init(_ problem: Problem, goodCopy: String? = nil) {
    (code, message) = (problem.code.rawValue, Failure.ofLibrary(problem).message)
    (place, block, isDamage) = (problem.place, problem.index.map(Int.init), problem.isDamage)
    self.goodCopy = goodCopy
  }
}

/// The result of a verification.
public struct VerificationReport: Sendable, Hashable {
  /// The chain of an instance, or a branch of it.
  public struct Chain: Sendable, Hashable {
    /// The instance that wrote the chain.
    public let instance: Instance
    /// Whether this is the main branch.
    public let isTrunk: Bool
    /// The number of valid blocks at the start of the chain, and their size in bytes.
    public let blocks: Int, bytes: Int
    /// Whether the signatures were checked. The signatures of an encrypted chain cannot be checked without the key.
    public let isSigned: Bool
    /// Whether the whole chain is valid.
    public let isGood: Bool
  }

  /// The verified chains.
  public internal(set) var chains: [Chain] = []
  /// All problems that the verification found.
  public internal(set) var findings: [Finding] = []
  /// The number of valid assets, and the number of bytes that were read to verify them.
  public internal(set) var assets = 0, assetBytes: Int64 = 0
  /// The number of blocks, purged blocks and assets that could not be checked because the key is missing.
  public internal(set) var unchecked = 0

  /// Whether everything that was checked is valid.
  public var isGood: Bool { findings.isEmpty }
  /// Whether everything could be checked.
  public var isComplete: Bool { unchecked == 0 && chains.allSatisfy(\.isSigned) }
}

extension Database.Care {
  /// Checks everything on this device against checksums and signatures: chains, local index and assets. Read-only.
  /// - Parameters:
  ///   - opensSealed: whether to decrypt blocks and check their content.
  ///   - progress: receives the progress.
  /// - Returns: the result; problems are findings, not errors.
  /// - Throws: `no-key` if blocks should be decrypted and the key is missing.
  public func verify(
    opensSealed: Bool = false, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> VerificationReport {
    try await database.working(progress, opensReadOnly: true) { engine in
      var run = try VerificationRun(engine)
      if opensSealed { _ = try engine.keychain.ring() }
      try engine.verification.verifyStore(
        { try run.add($0) }, { try run.add($0) }, tellsUnopened: !opensSealed)
      run.add(try engine.verification.verifyAssets(in: engine.assets.files, named: "") { try run.add($0) })
      return run.report
    }
  }

  /// Verifies a container.
  /// - Parameters:
  ///   - container: the name of an attached container, or a location.
  ///   - assets: whether to read the contents of assets, too.
  ///   - opensSealed: whether to decrypt blocks and check their content against the format.
  ///   - progress: receives the progress.
  /// - Returns: the result; problems are findings, not errors.
  /// - Throws: `unreachable` if the container is unavailable, `incompatible` if it is not a container, `no-key` if
  ///   blocks should be decrypted and the key is missing.
  public func verify(
    container: String, assets: Bool = false, opensSealed: Bool = false,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> VerificationReport {
    try await database.working(progress, opensReadOnly: true) { engine in
      var run = try VerificationRun(engine)
      let place = try engine.containers.container(container, orAt: container)
      let keys =
        opensSealed ? try Verification.keys(of: place, named: container, by: engine.keychain) { _ in nil } : nil
      var (wrong, chains) = (Set<BranchID>(), [ChainReport]())
      run.report.unchecked += try Verification.container(
        place, named: container, readsPayloads: opensSealed, keys: keys, own: engine.folder,
        progress: engine.settings.report, checkStop: engine.settings.checkStop,
        {
          chains.append($0)
          if $0.problem != nil { wrong.insert($0.branch) }
          try run.add($0)
        },
        {
          if $0.isDamage, let branch = $0.branch { wrong.insert(branch) }
          try run.add($0)
        })
      for problem in try engine.verification.gone(from: place, container, besides: wrong) { try run.add(problem) }
      guard assets else { return run.report }
      run.add(
        try engine.verification.isOwn(place)
          ? try engine.verification.verifyAssets(in: place, named: container) { try run.add($0) }
          : try Verification.readAssets(
            of: place, named: container, chains, keys: keys, progress: engine.settings.report,
            checkStop: engine.settings.checkStop
          ) { try run.add($0) })
      return run.report
    }
  }
}

private struct VerificationRun {
  var report = VerificationReport()
  private let engine: Engine
  private let instances: Instances

  init(_ engine: Engine) throws { (self.engine, instances) = (engine, try Instances(engine)) }

  mutating func add(_ chain: ChainReport) throws {
    try engine.settings.checkStop()
    report.chains.append(
      VerificationReport.Chain(
        instance: instances[chain.instance], isTrunk: chain.branch.isMainBranch, blocks: chain.blocks,
        bytes: chain.bytes,
        isSigned: chain.isSigned, isGood: chain.isClean))
    report.unchecked += chain.unopened
    if let problem = chain.problem { try add(problem) }
    for fault in chain.faults { try add(fault) }
  }

  mutating func add(_ problem: Problem) throws {
    let copy = problem.isDamage ? try engine.verification.goodCopy(of: problem) : nil
    report.findings.append(Finding(problem, goodCopy: copy))
  }

  mutating func add(_ assets: AssetReport) {
    report.assets += assets.good
    report.assetBytes += assets.bytes
    report.unchecked += assets.unopened
  }
}
