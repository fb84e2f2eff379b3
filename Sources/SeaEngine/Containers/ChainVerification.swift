import SeaContainer
import SeaCore

package struct ChainReport: Sendable {
  package var place: String
  /// The branch. Indexes in a fork branch continue from those of the main branch.
  package var branch: BranchID
  package var name: String
  /// The index of the first block. A bundle may leave out earlier blocks.
  package var first: UInt32 = 0
  package var blocks = 0
  package var bytes = 0
  /// Whether the signatures were checked. Signatures of an encrypted chain cannot be checked without a key.
  package var isSigned = true
  /// Whether any block with an unchecked signature is encrypted.
  package var isSealed = false
  /// The number of blocks whose keys are missing, if payloads are read; `firstUnopened` is the index of the first one.
  package var unopened = 0
  package var firstUnopened: UInt32?
  /// Faults in signed content, and content that requires a newer program: the first block for each code. Such blocks do
  /// not end the chain.
  package private(set) var faults: [Problem] = []
  package var problem: Problem?
  package var isClean: Bool { problem == nil && faults.isEmpty && !hasOther }
  private(set) var hasOther = false

  /// Records a problem with this chain that can be found only by comparing all chains.
  mutating func recordOther(_ problem: Problem) { if problem.branch == branch { hasOther = true } }

  fileprivate mutating func add(_ fault: CoreError, _ index: UInt32) {
    let code = Problem.Code(fault)
    guard !faults.contains(where: { $0.code == code }) else { return }
    var problem = Problem(code, place: place, branch: branch, index: index)
    problem.isSigned = true
    faults.append(problem)
  }

  /// Without a valid signature, there is no proof that the author caused the fault.
  fileprivate mutating func removeFaults(from index: UInt32) {
    faults.removeAll { $0.index.map { $0 >= index } ?? false }
  }

  package var instance: UUID { branch.instance }
  package var fork: ForkID? { branch.fork }
  package var chain: String { branch.description }
}

struct ChainVerification {
  private static let mostBlocks = 4096

  private var run: VerifiedRun
  private let readsPayloads: Bool
  private var report: ChainReport
  private let hasher = BlockHasher()
  private let survey: MemberSurvey?
  /// Whether the database is encrypted; nil if this is uncertain. If certain, a chain of the other kind is detected
  /// even without a key.
  private let isSealed: Bool?
  var meter: WorkMeter?

  init(
    _ verifier: ChainVerifier, _ branch: BranchID, place: String, name: String, readsPayloads: Bool,
    keys: KeyRing? = nil, survey: MemberSurvey? = nil,
    isSealed: Bool? = nil
  ) {
    self.isSealed = isSealed
    self.survey = survey
    self.readsPayloads = readsPayloads
    run = VerifiedRun(
      verifier, keys: keys, mostBlocks: ChainVerification.mostBlocks)
    report = ChainReport(place: place, branch: branch, name: name)
  }

  /// The last block. Use this only after all blocks have been added.
  var head: BlockRef? { run.head }
  var verifier: ChainVerifier { run.verifier }

  /// Reports a fault that the caller has found. Only the first fault of a branch counts.
  mutating func fail(_ code: Problem.Code, at index: UInt32) {
    drain()
    recordProblem(code, at: index)
  }

  private mutating func recordProblem(_ code: Problem.Code, at index: UInt32) {
    checkSignature()
    if report.problem == nil { report.problem = problem(code, index) }
  }

  /// - Parameter clear: the stored plaintext of an encrypted block.
  /// - Returns: false if the chain is invalid. An invalid block may not be reported until later blocks are added.
  mutating func add(_ index: UInt32, _ bytes: UnsafeRawBufferPointer, clear: [UInt8]? = nil) -> Bool {
    hasher.add(index, bytes, clear: clear) { verify($0, $1, $2, $3) }
  }

  private mutating func drain() { hasher.drain { verify($0, $1, $2, $3) } }

  private mutating func verify(
    _ index: UInt32, _ bytes: UnsafeRawBufferPointer, _ digests: BlockDigests?, _ clear: [UInt8]?
  ) -> Bool {
    if let isSealed, index == 0, let header = try? BlockHeader(bytes), header.mode.contains(.sealed) != isSealed {
      recordProblem(.badMode, at: index)
      return false
    }
    let (keys, branch) = (run.keys, report.branch)
    var (isSigned, name, isOpened, told) = (true, String?.none, true, CoreError?.none)
    let isSound = run.add(
      index, bytes, keeps: false, digests: digests,
      check: { (header, verifier) throws(CoreError) in
        isSigned = !verifier.isAnonymous
        if let survey, let head = verifier.head {
          survey.add(bytes, header, head, to: branch, isAnonymous: verifier.isAnonymous)
        }
        if header.mode.contains(.removed) { return }
        // Control entries determine which authors may order a purge, so always read them.
        guard readsPayloads || index == 0 || header.mode.contains(.control) else { return }
        let content = BlockReader.content(of: bytes, of: branch.instance, keys: keys)
        if let survey, let head = verifier.head { survey.add(content, header, of: head, to: branch, bytes) }
        if case .instance(let text, _, _, _)? = content.payload?.controls.first { name = text }
        switch content.fault {
        case nil:
          guard clear == nil || content.clear == nil || clear == content.clear else { throw .badBlock(.badData) }
        case .noKey?: isOpened = !readsPayloads
        case let fault?:
          // The signature is valid, so the author signed the faulty content, or a newer program wrote it.
          if readsPayloads, !verifier.isAnonymous { told = fault }
        }
      })
    if !isSigned {
      report.isSigned = false
      if (try? BlockHeader(bytes))?.mode.contains(.sealed) == true { report.isSealed = true }
    }
    if let name { report.name = name }
    if let told { report.add(told, index) }
    if !isOpened {
      report.unopened += 1
      if report.firstUnopened == nil { report.firstUnopened = index }
    }
    guard isSound else {
      checkSignature()
      return false
    }
    meter?.add()
    report.bytes += bytes.count
    if run.isDue { checkSignature() }
    return report.problem == nil
  }

  private func problem(_ code: Problem.Code, _ index: UInt32) -> Problem {
    Problem(code, place: report.place, branch: report.branch, index: index)
  }

  private mutating func checkSignature() {
    _ = run.drainVerified()
    if report.problem == nil, let fault = run.fault {
      report.problem = problem(Problem.Code(fault.error), fault.index)
      report.blocks = Int(fault.index)
      report.removeFaults(from: fault.index)
      survey?.removeAll(of: report.branch, from: fault.index)
    }
    if report.problem == nil { report.blocks = Int(run.verifier.nextIndex) }
  }

  mutating func finish(_ end: ReadEnd) -> ChainReport {
    drain()
    checkSignature()
    if report.problem == nil, var problem = Problem(end, place: report.place, branch: report.branch) {
      if problem.code == .incomplete { problem.code = .truncated }
      report.problem = problem
    }
    return report
  }
}
