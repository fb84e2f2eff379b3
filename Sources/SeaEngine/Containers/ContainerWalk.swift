import SeaContainer
import SeaCore
import SeaStore

/// Verifies the chains in a container piece by piece. Each piece continues after a verified block, so each block is
/// verified only once.
struct ContainerWalk {
  private let place: ContainerPlace
  private let survey: MemberSurvey
  private let own: SeaFolder?
  private let make: (ChainVerifier, BranchID, _ name: String) -> ChainVerification
  private let database: UUID
  private let checkStop: () throws -> Void
  private var pieces: [BranchID: ChainPieces.Piece] = [:]
  private var bases: [BranchID: BlockRef] = [:]

  init(
    _ place: ContainerPlace, _ survey: MemberSurvey, _ own: SeaFolder?, _ database: UUID,
    _ checkStop: @escaping () throws -> Void = {},
    _ make: @escaping (ChainVerifier, BranchID, _ name: String) -> ChainVerification
  ) {
    (self.place, self.survey, self.own, self.database, self.make) = (place, survey, own, database, make)
    self.checkStop = checkStop
  }

  /// - Returns: a report for each piece of the chain, and for each empty folder.
  mutating func verify(_ instance: UUID, _ meter: WorkMeter?) throws -> [ChainReport] {
    let known = try own?.store.branches.chain(instance).map { (name: $0.name, key: $0.publicKey) }
    let fresh = ChainVerifier(database: database, instance: instance, knownKey: known?.key)
    var reports: [ChainReport] = []
    var chain: (verifier: ChainVerifier, name: String)?
    var open = try ChainPieces(place, instance)
    while let (piece, base) = try open.next({ survey.lamport(of: $0) != nil }) {
      try checkStop()
      var verifier = fresh
      if let base, let chain, let lamport = survey.lamport(of: base) {
        verifier = ChainVerifier(
          database: database, head: base, lamport: lamport, key: chain.verifier.key,
          isSealed: chain.verifier.isSealed)
        survey.begin(piece.branch, behind: base)
        bases[piece.branch] = base
      }
      if case .file = piece.source, try !isGood(piece, like: chain?.verifier ?? fresh) { continue }
      pieces[piece.branch] = piece
      var verification = make(verifier, piece.branch, chain?.name ?? known?.name ?? "")
      verification.meter = meter
      let end = try place.read(piece) { index, bytes in
        try checkStop()
        return verification.add(index, bytes)
      }
      var report = verification.finish(end)
      if chain == nil { chain = (verification.verifier, report.name) }
      if case .gap(let index, _) = end, report.problem?.code == .gap,
        let next = try place.next(behind: index, in: piece.folder)
      {
        report.problem = nil
        open.addPiece(piece, at: next, gap: index)
      } else if let at = try turn(of: report, piece, verification.head) {
        report.problem = nil
        open.addPiece(piece, at: at)
      }
      reports.append(report)
    }
    for piece in open.orphans {
      let orphan = try orphan(piece, chain, fresh)
      if let at = reports.firstIndex(where: { $0.branch == piece.folder }) {
        if reports[at].problem == nil { reports[at].problem = orphan.problem }
      } else {
        reports.append(orphan)
      }
    }
    for branch in try place.names(of: instance) where try place.run(of: branch) == nil {
      var verification = make(fresh, branch, known?.name ?? "")
      reports.append(verification.finish(.end(next: 0)))
    }
    return reports
  }

  private func turn(of report: ChainReport, _ piece: ChainPieces.Piece, _ head: BlockRef?) throws -> UInt32? {
    guard let problem = report.problem, problem.code == .badPrevious || problem.code == .badLamport,
      let index = problem.index, index > piece.first, let head, head.index + 1 == index
    else { return nil }
    var isOther = false
    _ = try place.read(piece.at(index)) { _, bytes in
      isOther = (try? BlockHeader(bytes)).map { $0.previous != head.digest } ?? false
      return false
    }
    return isOther ? index : nil
  }

  private func isGood(_ piece: ChainPieces.Piece, like known: ChainVerifier) throws -> Bool {
    try fault(of: piece, like: known) == nil
  }

  private func fault(of piece: ChainPieces.Piece, like known: ChainVerifier) throws -> CoreError? {
    var fault: CoreError? = .badBlock(.truncated)
    _ = try place.read(piece) { _, bytes in
      do throws(CoreError) {
        fault = VerifiedRun.fault(of: bytes, try BlockHeader(bytes), like: known)
      } catch { fault = error }
      return false
    }
    return fault
  }

  private func orphan(
    _ piece: ChainPieces.Piece, _ chain: (verifier: ChainVerifier, name: String)?, _ fresh: ChainVerifier
  ) throws -> ChainReport {
    var verification = make(fresh, piece.branch, chain?.name ?? "")
    var end = ReadEnd.end(next: piece.first)
    if let fault = try fault(of: piece, like: chain?.verifier ?? fresh) {
      verification.fail(Problem.Code(fault), at: piece.first)
      end = try place.read(piece) { _, _ in false }
    } else if piece.first > 0 {
      let last = try place.container.lastIndex(of: piece.folder) ?? piece.first
      end = .gap(index: piece.gap ?? piece.first - 1, later: last)
    }
    return verification.finish(end)
  }

  func read(_ branch: BranchID, _ index: UInt32, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let piece = pieces[branch] else { return }
    _ = try place.read(piece.at(index)) { _, bytes in
      try body(bytes)
      return false
    }
  }

  /// Returns the branch that a fork branch was split from, and the index of their last common block.
  func base(of branch: BranchID) -> (BranchID, UInt32)? {
    guard let base = bases[branch], let parent = survey.branch(of: base) else { return nil }
    return (parent, base.index)
  }
}
