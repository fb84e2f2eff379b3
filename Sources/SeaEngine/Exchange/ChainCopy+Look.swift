import SeaContainer
import SeaCore
import SeaSystem

extension ChainCopy {
  /// What stands in the place of a block.
  enum Look: Equatable {
    case absent
    /// The block itself, whole or removed.
    case same
    /// Removed, and nobody is known to have ordered it.
    case removed
    case incomplete(have: Int, want: Int)
    /// Nothing that anybody has signed.
    case damaged(Problem.Code)
    /// Another block of the chain, or one that only an order can show to be none: it stays where it is, for ever.
    case other(BlockRef)

    var words: String {
      switch self {
      case .incomplete(let have, let want): "\(have) of \(want) bytes"
      case .damaged(let code): code.rawValue
      default: ""
      }
    }
  }

  /// Reads what stands in the place of a block.
  /// - Parameter want: what should be there, if anything should.
  func look(_ branch: BranchID, _ index: UInt32, _ want: BlockOutline?) throws -> Look {
    var found = Look.absent
    let end = try ifReadable {
      try container.readBlocks(of: branch, from: index) { _, bytes in
        found = try judge(bytes, index, want)
        return false
      }
    }
    guard let end else { return .damaged(.badData) }
    guard found == .absent else { return found }
    switch end {
    case .incomplete(_, let have, let want): return .incomplete(have: have, want: want)
    case .damaged(_, let fault): return .damaged(Problem.Code(fault))
    default: return .absent
    }
  }

  /// A block is judged by itself: which one it follows says to which branch it belongs, and not whether it is good.
  private func judge(_ bytes: UnsafeRawBufferPointer, _ index: UInt32, _ want: BlockOutline?) throws -> Look {
    guard let header = try? BlockHeader(bytes) else { return .damaged(.badMagic) }
    let ref = BlockRef(instance: instance, index: index, digest: header.digest(of: bytes))
    if let want, ref.digest == want.digest {
      guard header.mode.contains(.removed), want.size != bytes.count, memory != nil else { return .same }
      return try source.isOrdered(ref) ? .same : .removed
    }
    if try header.mode.contains(.removed) || source.find(ref) != nil { return .other(ref) }
    let known = try theres.lazy.compactMap(\.tip).first ?? source.branches(of: instance).first?.head
    let fault = try VerifiedRun.fault(of: bytes, header, like: source.verifier(behind: known, of: instance))
    return fault.map { .damaged(Problem.Code($0)) } ?? .other(ref)
  }

  /// What stands behind the last block that is known: what is no block for its place there would keep readers from what
  /// comes later.
  mutating func lookBehind(_ at: Int) throws {
    let there = theres[at]
    guard var tip = there.tip, !there.waits, tip.index < .max - 1 else { return }
    let singles = there.survey.singles(from: tip.index + 1).prefix(ChainCopy.mostBehind).map(\.index)
    let folded = there.survey.folded.lazy.map(\.first).filter { $0 > tip.index }.prefix(ChainCopy.mostBehind)
    // One that has the place of blocks which are there in files of their own.
    let beside = [tip.index + 1].filter { there.survey.folded(containing: $0).map { $0.first <= tip.index } ?? false }
    for index in Set(singles + folded + beside).sorted() where !there.gone.contains(index) {
      switch try look(there.branch, index, nil) {
      case .other(let other):
        if index == tip.index + 1, let known = try source.find(other), try before(index, known) == tip {
          // Somebody else goes on here with what another branch has too.
          tip = known
          theres[at].tip = known
        } else if isOwn {
          // News of others are for a pull.
          try note(other, in: there.branch)
        }
      case .damaged(.noKey), .damaged(.notReadable): continue
      case .damaged, .incomplete:
        // Nobody but this instance writes there; where a chain has forked, nobody does.
        let isWorthless = isOwn || isForked || there.survey.hasNothing(at: index, behind: tip.index)
        if isWorthless, !isPatient || mayHeal(there, index) { try clearBehind(index, at) }
      case .absent, .same, .removed: continue
      }
    }
  }

  /// What stands where nothing is to be written yet is told, and harms nobody who has all that is before it.
  private mutating func clearBehind(_ index: UInt32, _ at: Int) throws {
    let file = ContainerNotes.Place(branch: theres[at].branch, index: index)
    guard try setAside(index, in: at, from: index) == nil else { return worthless.append(file) }
    // Told already, as what keeps a block from being written.
    guard !problems.contains(where: { $0.code == .inTheWay && $0.branch == file.branch && $0.index == index }) else {
      return
    }
    heldBehind.append(file)
    let path = "\(Layout.transactions)/\(theres[at].branch)/\(Layout.path(of: index))"
    problems.append(Problem(heldFast: path, held, place: place.name))
  }

  /// Tells of blocks behind the tip that a cloud client says it has.
  mutating func tellPromised(_ at: Int) {
    let there = theres[at]
    guard !there.waits else { return }
    func isBehind(_ index: UInt32) -> Bool { there.tip.map { index > $0.index } ?? true }
    let folders = there.survey.promised.map(\.lowerBound).filter(isBehind)
    let next = (there.survey.placeholders.filter { isBehind($0) && !there.names($0) } + folders).sorted()
    let told = next.prefix(ChainCopy.mostBehind)
    if let memory {
      if let problem = memory.problem(promised: there.branch, Array(told)) { problems.append(problem) }
      memory.isWhole(there.branch, upTo: .max)
    } else if let first = told.first {
      problems.append(Problem(promised: there.branch, first, place: place.name))
    }
  }

  /// So many names behind the end of a branch are looked at.
  private static let mostBehind = 100

  /// Whether something may be written now where nothing right stands.
  ///
  /// What this instance wrote, or has seen whole here, is lost. Anything else may be on its way, and so may be what a
  /// cloud client says that it has.
  func mayHeal(_ there: There, _ index: UInt32) -> Bool {
    guard let memory else { return true }
    // What this instance has to say that is new waits for nobody, whatever stands in its place.
    if isOwn, there.tip.map({ index > $0.index }) ?? true { return true }
    if let folder = there.survey.promisedFolder(of: index) {
      return memory.hasWaited(there.branch, folder.lowerBound)
    }
    let isKnown = isOwn || seen[there.branch].map { index <= $0.index } ?? false
    if isKnown, !there.survey.isPromised(index) { return true }
    return memory.hasWaited(there.branch, index)
  }
}
