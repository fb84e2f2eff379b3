import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What was found about one branch of a chain.
package struct ChainReport: Sendable {
  package var place: String
  /// A sibling branch's blocks count from the first of the chain.
  package var branch: BranchID
  package var name: String
  /// Where it begins; what is before is in no bundle.
  package var first: UInt32 = 0
  /// Blocks that verify, from the first on.
  package var blocks = 0
  package var bytes = 0
  /// Whether the signatures were checked; without a key those of a sealed chain cannot be.
  package var isSigned = true
  /// Blocks that were sealed under keys that are not here, if they were to be opened, and the first of them.
  package var unopened = 0
  package var firstUnopened: UInt32?
  package var problem: Problem?

  package var instance: UUID { branch.instance }
  package var fork: UInt32? { branch.fork }
  /// `INSTANCE`, or `INSTANCE~DIGITS` of a sibling branch.
  package var chain: String { branch.description }
}

/// Verifying what lies in a container; it needs no database and no key.
package enum Verify {
  /// What is known of a chain beforehand: its instance's name and Ed25519 key.
  package typealias Known = (name: String, key: [UInt8])

  /// Every branch of a container from its first block on.
  /// - Parameters:
  ///   - readsPayloads: also holds every payload, change and revision against the format.
  ///   - keys: what opens sealed blocks, if they are to be opened.
  ///   - database: knows whose chains they are, if they are its own.
  ///   - progress: told of each block.
  package static func container(
    _ container: Container, named name: String, readsPayloads: Bool, keys: KeyRing? = nil, database: Database? = nil,
    only: UUID? = nil, progress: WorkReport? = nil, _ report: (ChainReport) throws -> Void,
    _ problem: (Problem) throws -> Void
  ) throws {
    let info = try container.info()
    let place = ContainerPlace(container, named: name)
    let own = database.flatMap { $0.databaseID == info.database ? $0 : nil }
    let survey = readsPayloads && only == nil ? MemberSurvey(database: info.database) : nil
    let branches = try place.chains().chains.filter { only == nil || $0.instance == only }
    let meter = try WorkMeter(
      progress, .verifying, name,
      items: {
        try place.branches().filter { only == nil || $0.branch.instance == only }.reduce(0) { $0 + Int($1.last) + 1 }
      })
    for branch in branches {
      let known = try own?.store.blocks.chain(branch.instance).map { (name: $0.name, key: $0.publicKey) }
      let verifier = ChainVerifier(database: info.database, instance: branch.instance, knownKey: known?.key)
      var run = ChainVerification(
        verifier, branch, place: name, name: known?.name ?? "", readsPayloads: readsPayloads, keys: keys, survey: survey
      )
      run.meter = meter
      let end = try place.run(of: branch).map { try place.readChain($0) { index, bytes in run.add(index, bytes) } }
      try report(run.finish(end ?? .end(next: 0)))
      if !branch.isTrunk { try problem(Problem(fork: branch, place: name)) }
    }
    for held in survey?.problems(name) ?? [] { try problem(held) }
    guard only == nil else { return }
    let foreign = try container.foreignFiles()
    for name in try foreign.unknown + foreignSlots(of: container) {
      try problem(Problem(.foreignFile, place: place.name, detail: name))
    }
  }
}

/// Verifies the blocks of one branch, and says what it found.
struct ChainVerification {
  private var run: VerifiedRun
  private let readsPayloads: Bool
  private var report: ChainReport
  private let hasher = BlockHasher()
  private let survey: MemberSurvey?
  /// Told of each block.
  var meter: WorkMeter?

  /// - Parameter verifier: behind what is verified already, if anything is.
  init(
    _ verifier: ChainVerifier, _ branch: BranchID, place: String, name: String, readsPayloads: Bool,
    keys: KeyRing? = nil,
    survey: MemberSurvey? = nil
  ) {
    self.survey = survey
    self.readsPayloads = readsPayloads
    run = VerifiedRun(verifier, keys: keys)
    report = ChainReport(place: place, branch: branch, name: name)
  }

  /// The last block so far.
  var head: BlockRef? { run.head }

  /// Notes what somebody else found wrong; the first thing counts.
  mutating func fail(_ code: Problem.Code, at index: UInt32) {
    settle()
    if report.problem == nil { report.problem = problem(code, index) }
  }

  /// - Parameter clear: the clear form of a sealed block as somebody keeps it.
  /// - Returns: false when the chain is found to be wrong.
  mutating func add(_ index: UInt32, _ bytes: UnsafeRawBufferPointer, clear: [UInt8]? = nil) -> Bool {
    defer { hasher.finish() }
    var report = report
    let keys = run.keys
    let isSound = run.add(
      index, bytes, keeps: false, digest: hasher.start(bytes),
      check: { (_, verifier) throws(CoreError) in
        if verifier.isAnonymous { report.isSigned = false }
        if let survey, let head = verifier.head { survey.add(head.digest, to: report.branch) }
        guard readsPayloads || index == 0 else { return }
        do throws(CoreError) {
          let opened = try BlockReader.open(bytes, of: report.instance, keys: keys)
          if case .instance(let name, _, _)? = opened.payload.controls.first { report.name = name }
          if let survey, let head = verifier.head { survey.add(opened.payload, of: head, verifier.lamport) }
          if let clear, let have = opened.clear, clear != have { throw .badBlock(.badData) }
        } catch .notReadable {
          // It verifies; what it says is for a newer program.
        } catch .noKey {
          guard readsPayloads else { return }
          report.unopened += 1
          if report.firstUnopened == nil { report.firstUnopened = index }
        }
      })
    self.report = report
    guard isSound else {
      settle()
      return false
    }
    meter?.add()
    self.report.bytes += bytes.count
    if run.isDue { settle() }
    return self.report.problem == nil
  }

  private func problem(_ code: Problem.Code, _ index: UInt32) -> Problem {
    Problem(code, place: report.place, branch: report.branch, index: index)
  }

  private mutating func settle(isEnd: Bool = false) {
    _ = run.settle(isEnd: isEnd)
    if report.problem == nil, let fault = run.fault {
      report.problem = problem(Problem.Code(fault.error), fault.index)
      report.blocks = Int(fault.index)
    }
    if report.problem == nil { report.blocks = Int(run.verifier.nextIndex) }
  }

  mutating func finish(_ end: ReadEnd) -> ChainReport {
    settle(isEnd: report.problem == nil)
    if report.problem == nil, var problem = Problem(end, place: report.place, branch: report.branch) {
      if problem.code == .incomplete { problem.code = .truncated }
      report.problem = problem
    }
    return report
  }
}

extension Database {
  /// Our own store: every branch, every payload, and the projection against both.
  package func verify(
    _ report: (ChainReport) throws -> Void, _ problem: (Problem) throws -> Void, only: UUID? = nil,
    projection: Bool = true
  ) throws {
    try store.snapshot {
      let branches = try store.blocks.branches(of: only)
      let meter = WorkMeter(settings.report, .verifying, "", items: { branches.map(\.run).blocks })
      for branch in branches { try verify(branch, meter, report, problem) }
      for id in try store.records.badDepths() { try problem(Problem(.badDepth, place: "", detail: id)) }
      guard projection else { return }
      settings.report?(Work(.checking, "the projection", done: 0, unit: .items))
      do {
        guard try store.projectionDigest() == store.expectedProjectionDigest() else {
          return try problem(Problem(.projection, place: ""))
        }
      } catch StoreError.damaged(let what) {
        try problem(Problem(.projection, place: "", detail: what))
      }
    }
  }

  /// One branch of our own store; of a sibling what it left is verified already.
  private func verify(
    _ branch: BranchRow, _ meter: WorkMeter?, _ report: (ChainReport) throws -> Void,
    _ problem: (Problem) throws -> Void
  ) throws {
    let ring = try keysAtHand()
    guard let chain = try store.blocks.chain(branch.instance) else { return }
    var verifier = ChainVerifier(database: databaseID, instance: branch.instance, knownKey: chain.publicKey)
    if branch.first > 0 {
      guard let before = try store.blocks.base(of: branch) else {
        return try problem(Problem(.gap, place: "", branch: branch.id, index: branch.first - 1))
      }
      verifier = try self.verifier(behind: before, key: chain.publicKey)
    }
    var run = ChainVerification(verifier, branch.id, place: "", name: chain.name, readsPayloads: true, keys: ring)
    run.meter = meter
    var next = branch.first
    var end: ReadEnd?
    do {
      try store.blocks.forEachBlock(of: branch.id, from: branch.first) { row, bytes in
        next = row.index + 1
        let clear = ring == nil ? nil : try store.blocks.clearBytes(of: row)
        return bytes.withUnsafeBytes { run.add(row.index, $0, clear: clear) }
      }
    } catch StoreError.damaged {
      end = .damaged(index: next, .badData)
    }
    if end == nil, next <= branch.head.index { end = .gap(index: next, later: branch.head.index) }
    try report(run.finish(end ?? .end(next: next)))
    if !branch.id.isTrunk { try problem(Problem(fork: branch.id, place: "")) }
  }

  /// Goes on behind a block that is known.
  func verifier(behind row: BlockRow, key: [UInt8]) throws -> ChainVerifier {
    try ChainVerifier(database: databaseID, head: row.ref, lamport: row.lamport, key: key, isSealed: isSealed())
  }
}
