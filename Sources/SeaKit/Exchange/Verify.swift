import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What was found about one chain.
package struct ChainReport: Sendable {
  package var place: String
  package var instance: UUID
  /// Of a sibling branch, what tells it from the others. Its blocks then count from the first of the chain.
  package var fork: UInt32?
  package var name: String
  /// `INSTANCE`, or `INSTANCE~DIGITS` of a sibling branch.
  package var chain: String { BranchID(instance, fork: fork).description }
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
}

/// Verifying what lies in a container; it needs no database and no key.
package enum Verify {
  static let runBlocks = 1000

  /// What is known of a chain beforehand: its instance's name and Ed25519 key.
  package typealias Known = (name: String, key: [UInt8])

  /// Every chain of a container from its first block on.
  /// - Parameters:
  ///   - readsPayloads: also holds every payload, change and revision against the format.
  ///   - keys: what opens sealed blocks, if they are to be opened.
  ///   - database: knows whose chains they are, if they are its own.
  ///   - progress: told of each block.
  package static func container(
    _ container: Container, named place: String, readsPayloads: Bool, keys: KeyRing? = nil, database: Database? = nil,
    only: UUID? = nil, progress: WorkReport? = nil, _ report: (ChainReport) throws -> Void,
    _ problem: (Problem) throws -> Void
  ) throws {
    let info = try container.info()
    let own = database.flatMap { $0.databaseID == info.database ? $0 : nil }
    let listing = try container.chains()
    let survey = readsPayloads && only == nil ? MemberSurvey(database: info.database) : nil
    let chains = listing.chains.filter { only == nil || $0.instance == only }
    let count = try WorkCount(progress, .verifying, place) {
      try chains.reduce(0) { try $0 + (container.lastIndex(of: $1).map { Int($0) + 1 } ?? 0) }
    }
    for chain in chains {
      let known = try own?.store.blocks.chain(chain.instance).map { (name: $0.name, key: $0.publicKey) }
      var run = ChainRun(
        database: info.database, chain: chain, place: place, readsPayloads: readsPayloads, keys: keys,
        known: known, survey: survey)
      run.count = count
      try report(run.finish(container.readChain(chain) { index, bytes in run.add(index, bytes) }))
      if chain.fork != nil {
        try problem(Problem(.fork, place: place, instance: chain.instance, fork: chain.fork, detail: chain.description))
      }
    }
    for held in survey?.problems(place) ?? [] { try problem(held) }
    guard only == nil else { return }
    let foreign = try container.foreignFiles()
    let names = try foreign.unknown + foreignSlots(of: container)
    for name in names { try problem(Problem(.foreignFile, place: place, detail: name)) }
  }
}

/// Verifies the blocks of a chain in runs.
struct ChainRun {
  private var verifier: ChainVerifier
  private let readsPayloads: Bool
  private var cover = Cover()
  private var unsettled = 0
  private var report: ChainReport
  private let hasher = BlockHasher()
  private let keys: KeyRing?
  private let survey: MemberSurvey?
  /// Told of each block.
  var count: WorkCount?

  init(
    database: UUID, chain: BranchID, place: String, readsPayloads: Bool, keys: KeyRing? = nil,
    known: Verify.Known? = nil, survey: MemberSurvey? = nil
  ) {
    self.survey = survey
    verifier = ChainVerifier(database: database, instance: chain.instance, knownKey: known?.key)
    self.readsPayloads = readsPayloads
    self.keys = keys
    report = ChainReport(place: place, instance: chain.instance, fork: chain.fork, name: known?.name ?? "")
  }

  /// The blocks before are verified already.
  mutating func resume(_ verifier: ChainVerifier, name: String) {
    self.verifier = verifier
    report.name = name
    report.blocks = Int(verifier.nextIndex)
  }

  /// The last block so far.
  var head: BlockRef? { verifier.head }

  /// Notes what somebody else found wrong; the first thing counts.
  mutating func fail(_ code: Problem.Code, at index: UInt32) {
    settle()
    guard report.problem == nil else { return }
    report.problem = Problem(
      code, place: report.place, instance: report.instance, index: index, fork: report.fork)
  }

  /// - Parameter clear: the clear form of a sealed block as somebody keeps it.
  /// - Returns: false when the chain is found to be wrong.
  mutating func add(_ index: UInt32, _ bytes: UnsafeRawBufferPointer, clear: [UInt8]? = nil) -> Bool {
    do throws(CoreError) {
      defer { hasher.finish() }
      cover.add(try verifier.check(bytes, keys: keys, digest: hasher.start(bytes)))
      if verifier.isAnonymous { report.isSigned = false }
      if let survey, let head = verifier.head {
        survey.add(head.digest, to: BranchID(head.instance, fork: report.fork))
      }
      if readsPayloads || index == 0 {
        do throws(CoreError) {
          let opened = try BlockReader.open(bytes, of: report.instance, keys: keys)
          if case .instance(let name, _, _)? = opened.payload.controls.first { report.name = name }
          if let survey, let head = verifier.head { survey.add(opened.payload, of: head, verifier.lamport) }
          if let clear, let have = opened.clear, clear != have { throw .badBlock(.badData) }
        } catch .notReadable {
          // It verifies; what it says is for a newer program.
        } catch .noKey {
          if readsPayloads { report.unopened += 1 }
          if readsPayloads, report.firstUnopened == nil { report.firstUnopened = index }
        }
      }
    } catch {
      settle()
      if report.problem == nil {
        report.problem = Problem(
          Problem.Code(error), place: report.place, instance: report.instance, index: index, fork: report.fork)
      }
      return false
    }
    unsettled += 1
    count?.add()
    report.bytes += bytes.count
    if unsettled == Verify.runBlocks { settle() }
    return report.problem == nil
  }

  private mutating func settle() {
    if let bad = verifier.settle() {
      report.problem = Problem(
        .badSignature, place: report.place, instance: report.instance, index: bad, fork: report.fork)
      report.blocks = Int(bad)
    } else {
      report.blocks += unsettled
    }
    unsettled = 0
  }

  mutating func finish(_ end: ReadEnd) -> ChainReport {
    settle()
    if report.problem == nil, let open = cover.openFrom {
      report.problem = Problem(
        .badSignature, place: report.place, instance: report.instance, index: open, fork: report.fork)
      report.blocks = Int(open)
    }
    if report.problem == nil, var problem = Problem(end, place: report.place, instance: report.instance) {
      if problem.code == .incomplete { problem.code = .truncated }
      problem.fork = report.fork
      report.problem = problem
    }
    return report
  }
}

/// Two digests cover every block: that of its payload, and that of all of it. Of a large block both are worked out at
/// once.
private final class BlockHasher {
  private static let large = 1 << 16
  private var worker: Worker?
  private var digest = Digest.zero

  /// Begins with a large block; the function that comes back waits for its digest.
  func start(_ block: UnsafeRawBufferPointer) -> (() -> Digest)? {
    guard block.count >= BlockHasher.large else { return nil }
    if worker == nil { worker = try? Worker() }
    guard let worker else { return nil }
    worker.start { self.digest = SHA256.hash(block) }
    return {
      worker.wait()
      return self.digest
    }
  }

  /// The block's bytes are in use until this has returned.
  func finish() { worker?.wait() }
}

extension Database {
  /// Our own store: every chain, every payload, and the projection against both.
  package func verify(
    _ report: (ChainReport) throws -> Void, _ problem: (Problem) throws -> Void, only: UUID? = nil,
    projection: Bool = true
  ) throws {
    let ring = try keysAtHand()
    try store.snapshot {
      let chains = try store.blocks.chains().filter { only == nil || $0.instance == only }
      let count = WorkCount(settings.report, .verifying, "") { chains.reduce(0) { $0 + Int($1.head.index) + 1 } }
      for chain in chains {
        var run = ChainRun(
          database: databaseID, chain: BranchID(chain.instance), place: "", readsPayloads: true, keys: ring,
          known: (chain.name, chain.publicKey))
        run.count = count
        var next: UInt32 = 0
        var end: ReadEnd?
        do {
          try store.blocks.forEachBlock(of: BranchID(chain.instance), from: 0) { row, bytes in
            next = row.index + 1
            let clear = ring == nil ? nil : try store.blocks.clearBytes(of: row)
            return bytes.withUnsafeBytes { run.add(row.index, $0, clear: clear) }
          }
        } catch StoreError.damaged {
          end = .damaged(index: next, .badData)
        }
        if end == nil, next <= chain.head.index { end = .gap(index: next, later: chain.head.index) }
        try report(run.finish(end ?? .end(next: next)))
        for branch in try store.blocks.siblings(of: chain.instance) { try verify(branch, of: chain, report, problem) }
      }
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
}
