internal import SeaCore
internal import SeaEngine

/// Something that does not verify.
public struct Finding: Sendable, Hashable {
  /// What is wrong, in one word as `sea verify` prints it: `bad-data`, `bad-signature`, `gap` and others.
  public let code: String
  /// A sentence for people.
  public let message: String
  /// Where it lies: a container, by its name or place; empty for this device.
  public let place: String
  /// Of a block its number in the chain.
  public let block: Int?
  /// Whether bytes are not what they were; else something is missing, foreign, or of a future version.
  public let isDamage: Bool
  /// Where a good copy is, if one was looked for and found: a container by its name, or `.sea`.
  public let goodCopy: String?

  init(_ problem: Problem, goodCopy: String? = nil) {
    (code, message) = (problem.code.rawValue, Failure.ofLibrary(problem).message)
    (place, block, isDamage) = (problem.place, problem.index.map(Int.init), problem.isDamage)
    self.goodCopy = goodCopy
  }
}

/// What was found where everything was read.
public struct VerificationReport: Sendable, Hashable {
  /// The chain of an instance, or a branch of one.
  public struct Chain: Sendable, Hashable {
    /// Whose it is.
    public let instance: Instance
    /// Whether it is no branch of another one.
    public let isTrunk: Bool
    /// Blocks that verify, from the first on, and their bytes.
    public let blocks: Int, bytes: Int
    /// Whether their signatures were checked; those of a sealed chain cannot be without a key.
    public let isSigned: Bool
    /// Whether nothing is wrong with it.
    public let isGood: Bool
  }

  /// Every chain that is there.
  public internal(set) var chains: [Chain] = []
  /// What does not verify.
  public internal(set) var findings: [Finding] = []
  /// Assets that are what the records say, and how many bytes of them were read.
  public internal(set) var assets = 0, assetBytes: Int64 = 0
  /// Blocks, removed blocks and assets that nobody could judge here for want of a key.
  public internal(set) var unchecked = 0

  /// Whether everything that could be looked at verifies.
  public var isGood: Bool { findings.isEmpty }
  /// Whether everything could be looked at as well.
  public var isComplete: Bool { unchecked == 0 && chains.allSatisfy(\.isSigned) }
}

extension Database.Care {
  /// Reads what is on this device and holds it against its checksums and signatures: chains, what follows from them, the contents of assets.
  /// Nothing is changed.
  /// - Parameters:
  ///   - opensSealed: whether sealed blocks are opened, and what they say is looked at.
  ///   - progress: told how far it has come.
  /// - Returns: what was found; what is wrong is a `Finding` and no error.
  /// - Throws: `no-key` if sealed blocks are to be opened and no key is here.
  public func verify(
    opensSealed: Bool = false, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> VerificationReport {
    try await database.working(progress, isLooking: true) { engine in
      var run = try VerificationRun(engine)
      if opensSealed { _ = try engine.keychain.ring() }
      try engine.verification.verifyStore(
        { try run.add($0) }, { try run.add($0) }, tellsUnopened: !opensSealed)
      run.add(try engine.verification.verifyAssets(in: engine.assets.files, named: "") { try run.add($0) })
      return run.report
    }
  }

  /// Reads what is in a container, in the same way.
  /// - Parameters:
  ///   - container: the name of an attached one, or where one lies.
  ///   - assets: whether the contents of assets are read, too.
  ///   - opensSealed: whether sealed blocks are opened, and what blocks say is held against the format.
  ///   - progress: told how far it has come.
  /// - Returns: what was found; what is wrong is a `Finding` and no error.
  /// - Throws: `unreachable` if it is away, `incompatible` if there is none, `no-key` if sealed blocks are to be opened and no key is here.
  public func verify(
    container: String, assets: Bool = false, opensSealed: Bool = false,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> VerificationReport {
    try await database.working(progress, isLooking: true) { engine in
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

/// Gathers what a verification tells.
private struct VerificationRun {
  var report = VerificationReport()
  private let engine: Engine
  private let instances: Instances

  init(_ engine: Engine) throws { (self.engine, instances) = (engine, try Instances(engine)) }

  mutating func add(_ chain: ChainReport) throws {
    try engine.settings.checkStop()
    report.chains.append(
      VerificationReport.Chain(
        instance: instances[chain.instance], isTrunk: chain.branch.isTrunk, blocks: chain.blocks, bytes: chain.bytes,
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
