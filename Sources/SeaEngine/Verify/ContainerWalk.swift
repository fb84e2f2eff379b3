import SeaContainer
import SeaCore
import SeaStore

/// Verifies the branches of a container one after another, and each block once: a branch that left another one goes on behind
/// what was verified of that.
struct ContainerWalk {
  private let place: ContainerPlace
  private let survey: MemberSurvey
  private let own: SeaFolder?
  private let make: (ChainVerifier, BranchID, _ name: String) -> ChainVerification
  private let database: UUID
  private let checkStop: () throws -> Void
  /// What was known of a chain at the end of its trunk.
  private var chain: (instance: UUID, verifier: ChainVerifier, name: String)?
  /// Why branches are not good up to their end, and from where on.
  private var faults: [BranchID: Problem] = [:]

  init(
    _ place: ContainerPlace, _ survey: MemberSurvey, _ own: SeaFolder?, _ database: UUID,
    _ checkStop: @escaping () throws -> Void = {},
    _ make: @escaping (ChainVerifier, BranchID, _ name: String) -> ChainVerification
  ) {
    (self.place, self.survey, self.own, self.database, self.make) = (place, survey, own, database, make)
    self.checkStop = checkStop
  }

  /// The branches of an instance, also empty ones, none before what it leaves.
  func names(of instance: UUID) throws -> [BranchID] {
    let runs = try place.runsInOrder(of: instance).map(\.branch)
    return try runs + place.names(of: instance).filter { !runs.contains($0) }
  }

  mutating func verify(_ branch: BranchID, _ meter: WorkMeter?) throws -> ChainReport {
    let known = try own?.store.branches.chain(branch.instance).map { (name: $0.name, key: $0.publicKey) }
    let fresh = ChainVerifier(database: database, instance: branch.instance, knownKey: known?.key)
    guard let run = try place.run(of: branch) else {
      var verification = make(fresh, branch, known?.name ?? "")
      return verification.finish(.end(next: 0))
    }
    let chain = self.chain.flatMap { $0.instance == branch.instance ? $0 : nil }
    guard let base = try place.base(of: run), let chain else {
      var verification = make(fresh, branch, known?.name ?? "")
      verification.meter = meter
      let end = try place.readChain(run) { index, bytes in
        try checkStop()
        return verification.add(index, bytes)
      }
      return finish(verification, end, run)
    }
    // If what it left is not here, it is held against the trunk, which it does not follow.
    let here = survey.lamport(of: base) == nil ? nil : base
    let parent = try place.branch(of: base) ?? branch.trunk
    let last = here ?? survey.block(of: parent, at: min(base.index, max(survey.end(of: parent), 1) - 1))
    guard let last, let lamport = survey.lamport(of: last) else {
      let verification = make(fresh, branch, chain.name)
      return finish(verification, .gap(index: 0, later: run.last), run)
    }
    var verification = make(
      ChainVerifier(
        database: database, head: last, lamport: lamport, key: chain.verifier.key, isSealed: chain.verifier.isSealed),
      branch, chain.name)
    verification.meter = meter
    if last.index < base.index {
      if let fault = faults[parent], let index = fault.index {
        verification.fail(fault.code, at: index)
        return finish(verification, .end(next: index), run)
      }
      return finish(verification, .gap(index: last.index + 1, later: run.last), run)
    }
    survey.begin(branch, behind: last)
    let end = try place.container.readBlocks(of: branch, from: run.first) { index, bytes in
      try checkStop()
      return verification.add(index, bytes)
    }
    return finish(verification, end, run)
  }

  private mutating func finish(_ verification: ChainVerification, _ end: ReadEnd, _ run: BlockRun) -> ChainReport {
    var verification = verification
    let report = verification.finish(end)
    faults[run.branch] = report.problem
    if chain?.instance != run.branch.instance { chain = (run.branch.instance, verification.verifier, report.name) }
    return report
  }
}
