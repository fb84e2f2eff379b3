import SeaContainer
import SeaCore
import SeaSystem

// The audit checks that blocks previously seen in the container are still present and unchanged. It also examines
// unexpected files.

extension ChainCopy {
  /// Finds the tip of every branch in the container, and repairs damaged or lost blocks up to the tip.
  mutating func audit(upTo end: UInt32?) throws {
    var ids = try place.names(of: instance)
    ids += Set(seen.keys).subtracting(ids)
    // All instances use the same order, so that all of them continue the same branch if two branches are equal.
    for id in ids.sorted() {
      let branch = try branch(id, container.survey(id))
      try findTip(of: branch, upTo: end)
      memory?.addSurvey(branch.survey, of: id)
      if !dryRun { for path in branch.survey.temporaries { try? container.removeStray(path) } }
      try audit(branch)
    }
  }

  private mutating func findTip(of branch: BranchCopy, upTo end: UInt32?) throws {
    guard let known = seen[branch.id], let tip = try source.find(known) else {
      branch.tip = try search(branch, end)
      return
    }
    // If the branch's first file comes after the tip, the branch has no block in common with ours, so it belongs to
    // another writer.
    let isBefore = tip.index < known.index && branch.survey.first.map { $0 > tip.index } ?? true
    if !isBefore || branch.id.isMainBranch { branch.tip = tip }
    branch.seenUpTo = known.index
    let isLess = branch.survey.last.map { $0 < min(known.index, tip.index) } ?? !isBefore
    if isLess, branch.survey.promised.isEmpty {
      problem(.rolledBack, branch, branch.survey.last, detail: "it had block \(known.index)")
    }
  }

  private mutating func recordUnknown(_ block: BlockRef, in branch: BranchCopy) throws {
    if try source.find(block) == nil { loose.append(BlockPosition(branch: branch.id, index: block.index)) }
  }

  /// Reports the first block that a branch is waiting for. Later calls for the same branch have no effect.
  mutating func wait(for index: UInt32, in branch: BranchCopy, _ found: Finding = .absent) {
    guard !branch.isAwaited else { return }
    branch.isAwaited = true
    let isPromised = found == .absent && branch.survey.isPromised(index)
    problem(.incomplete, branch, index, detail: isPromised ? Problem.placeholder : found.words)
  }

  /// Decides where to continue appending if a file with the name of the next block already exists.
  /// - Returns: the branch and the index at which to continue; nil if appending must wait.
  mutating func audit(
    _ index: UInt32, of head: BlockRef, from start: UInt32, in branch: BranchCopy, isDiverted: Bool
  ) throws -> (BranchCopy, UInt32)? {
    guard let want = try source.outlines(index...index, to: head).first else { return nil }
    let found = try inspect(branch, index, want)
    switch found {
    case .same:
      try move(branch, to: source.ancestor(of: head, at: index))
      return (branch, index + 1)
    case .other(let other): try recordUnknown(other, in: branch)
    default:
      guard mayHeal(branch, index) else {
        wait(for: index, in: branch, found)
        return nil
      }
      if let from = try setAside(index, want, in: branch, from: start) { return (branch, from) }
    }
    // The existing file is kept, and our block begins a fork branch. If the usual name of the branch is taken, use a
    // random name, which an attacker cannot predict.
    var id = BranchID(instance, forkedAt: want.digest)
    if isDiverted || branch.id == id { id = BranchID(instance, forkedAt: SHA256.hash(try Random.bytes(32))) }
    return (try begin(id, with: index, of: head), index)
  }

  /// Moves aside a file that does not contain the expected block. Readers prefer pack files, so a wrong pack file is
  /// moved even if the single file is right.
  /// - Parameter want: the expected block, if the source has it.
  /// - Returns: the first index to write again; nil if the file cannot be moved, for the reason in `immovableReason`.
  private mutating func setAside(
    _ index: UInt32, _ want: BlockOutline?, in branch: BranchCopy, from start: UInt32
  ) throws -> UInt32? {
    let hasSingle = branch.survey.hasSingle(index)
    var folded = branch.survey.folded(containing: index)
    if hasSingle, folded != nil, try !isRight(index, want, in: branch) { folded = nil }
    if !dryRun {
      try memory?.makeDurable()
      do throws(ContainerError) {
        try container.quarantine(branch.id, index, folded: !hasSingle || folded != nil)
      } catch {
        guard let reason = error.reasonFileIsLocked else { throw error }
        immovableReason = reason
        return nil
      }
      movedAside.append(BlockPosition(branch: branch.id, index: index))
    }
    guard let folded else {
      branch.setAside.insert(index)
      return index
    }
    branch.survey.folded.removeAll { $0.first == folded.first }
    memory?.forget(branch.id, leaf: folded.first)
    return max(folded.first, branch.id.isMainBranch ? 0 : start)
  }

  private func isRight(_ index: UInt32, _ want: BlockOutline?, in branch: BranchCopy) throws -> Bool {
    guard let want else { return false }
    var isRight = false
    try container.readStray(FilePlace.block(branch.id, index).path) { bytes in
      isRight = (try? BlockHeader(bytes))?.hash(ofIntact: bytes) == want.digest && bytes.count == want.size
      return false
    }
    return isRight
  }

  private mutating func audit(_ branch: BranchCopy) throws {
    guard let tip = branch.tip else { return }
    let first = try first(of: branch)
    var leaf: Layout.Leaf? = Layout.Leaf(containing: first)
    while let now = leaf, now.first <= tip.index, let end = branch.tip, max(now.first, first) <= end.index {
      try audit(now, max(now.first, first)...min(now.last, end.index), branch)
      leaf = now.next
    }
    memory?.endWaits(branch.id, upTo: tip.index)
    if branch.hasDiverged { try recordOthers(branch) }
  }

  /// Records further unknown blocks of a branch that has diverged, because they may follow the other writer's block.
  private mutating func recordOthers(_ branch: BranchCopy) throws {
    let start = branch.tip.map { $0.index + 1 } ?? 0
    for single in branch.survey.singles(from: start) where single.size >= Int64(BlockHeader.size) {
      if case .other(let other) = try inspect(branch, single.index, nil) { try recordUnknown(other, in: branch) }
    }
  }

  private mutating func audit(_ leaf: Layout.Leaf, _ range: ClosedRange<UInt32>, _ branch: BranchCopy) throws {
    guard let tip = branch.tip else { return }
    let file = branch.survey.folded(containing: leaf.first)
    let isAlone = !branch.survey.hasSingles(leaf)
    let isWhole = range == leaf.first...leaf.last
    if let file, isAlone, isWhole {
      let isDue = isDue(branch, leaf.last, size: file.size, changed: file.changed)
      if !isDue, memory?.isRight(branch.id, file) == true { return }
      let outlines = try source.outlines(range, to: tip)
      let size = outlines.reduce(0) { $0 + Int64($1.size) }
      if !isDue, size == file.size {
        memory?.recordRight(branch.id, file)
        return
      }
      if try contents(outlines[...], branch) {
        if outlines.count == range.count { memory?.recordRight(branch.id, file) }
        return
      }
      return try healFolded(range, branch)
    }
    var bad: [UInt32] = []
    let all = try source.outlines(range, to: tip)
    // The pack file may contain more blocks than the source. If it is cut off after the tip, write it again.
    if file != nil, isAlone, try contents(all[...], branch) {
      if range.upperBound < leaf.last, try isCutOff(branch, behind: tip) { try healFolded(range, branch) }
      return
    }
    for outline in all {
      guard let single = branch.survey.single(outline.index) else {
        if file != nil, try contents([outline], branch) { continue }
        bad.append(outline.index)
        continue
      }
      var isDue = isDue(branch, outline.index, size: single.size, changed: single.changed)
      // Read the tip if another device may be writing to our chain, or if later blocks may not follow our block.
      if outline.index == tip.index, isOwn || branch.hasMore { isDue = true }
      if !isDue, single.size == Int64(outline.size) { continue }
      switch try inspect(branch, outline.index, outline) {
      case .same: continue
      case .other(let other):
        try recordUnknown(other, in: branch)
        try heal(bad.filter { $0 < other.index }, branch)
        branch.tip = try before(other.index, tip)
        branch.hasDiverged = true
        return
      default: bad.append(outline.index)
      }
    }
    try heal(bad, branch)
    // If the pack file was moved, blocks that no other file contains are now missing.
    if file != nil, branch.survey.folded(containing: leaf.first) == nil { try audit(leaf, range, branch) }
  }

  private func isDue(_ branch: BranchCopy, _ index: UInt32, size: Int64, changed: Int64) -> Bool {
    let isFirst = branch.seenUpTo.map { index > $0 } ?? true
    return memory?.isDue(branch.id, index, size: size, changed: changed, isFirst: isFirst) ?? true
  }

  private func contents(_ outlines: ArraySlice<BlockOutline>, _ branch: BranchCopy) throws -> Bool {
    guard let first = outlines.first else { return true }
    var next = outlines.startIndex
    let end = try ifReadable {
      next = outlines.startIndex
      return try container.readBlocks(of: branch.id, from: first.index) { index, bytes in
        guard next < outlines.endIndex, outlines[next].index == index, let header = try? BlockHeader(bytes),
          let hash = header.hash(ofIntact: bytes), hash == outlines[next].digest,
          try isGood(BlockRef(instance: instance, index: index, digest: hash), header, outlines[next])
        else { return false }
        next += 1
        return next < outlines.endIndex
      }
    }
    return end != nil && next == outlines.endIndex
  }

  private func isCutOff(_ branch: BranchCopy, behind tip: BlockRef) throws -> Bool {
    switch try inspect(branch, tip.index + 1, nil) {
    case .absent, .incomplete, .damaged: true
    case .same, .removed, .other: false
    }
  }

  private mutating func heal(_ bad: [UInt32], _ branch: BranchCopy) throws {
    var indices: ArraySlice<UInt32> = []
    for index in bad {
      if mayHeal(branch, index) { indices.append(index) } else { wait(for: index, in: branch) }
    }
    while let index = indices.first, let tip = branch.tip {
      var last = index
      indices = indices.dropFirst()
      guard try makeRoom(index, branch) else { continue }
      if branch.names(index) { continue }
      while let next = indices.first, next == last + 1 {
        indices = indices.dropFirst()
        guard try makeRoom(next, branch), !branch.names(next) else { break }
        last = next
      }
      try restore(index...last, of: tip, in: branch)
    }
  }

  private mutating func healFolded(_ range: ClosedRange<UInt32>, _ branch: BranchCopy) throws {
    guard let tip = branch.tip else { return }
    guard mayHeal(branch, range.lowerBound) else { return wait(for: range.lowerBound, in: branch) }
    if try makeRoom(range.lowerBound, branch) { try restore(range, of: tip, in: branch) }
  }

  private mutating func restore(_ range: ClosedRange<UInt32>, of tip: BlockRef, in branch: BranchCopy) throws {
    guard try put(range, of: tip, into: branch) else { return }
    mended += range.map { BlockPosition(branch: branch.id, index: $0) }
  }

  private mutating func makeRoom(_ index: UInt32, _ branch: BranchCopy) throws -> Bool {
    let want = try branch.tip.flatMap { try source.outlines(index...index, to: $0).first }
    guard branch.names(index), try setAside(index, want, in: branch, from: index) == nil else { return true }
    problem(.inTheWay, branch, index, detail: immovableReason)
    return false
  }

  private func search(_ branch: BranchCopy, _ end: UInt32?) throws -> BlockRef? {
    guard let first = branch.survey.first, let last = branch.survey.last, let end, first <= end else { return nil }
    func known(_ index: UInt32) throws -> BlockRef? {
      guard let link = try? place.link(branch.id, index) else { return nil }
      return try source.find(BlockRef(branch.id, index: index, digest: link.digest))
    }
    var high = min(last, end)
    if let found = try known(high) { return found }
    guard var found = try known(first) else { return nil }
    var low = first
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if let at = try known(middle) { (low, found) = (middle, at) } else { high = middle }
    }
    return found
  }

  /// Returns the index at which a branch in the container begins, even if its first files are missing.
  mutating func first(of branch: BranchCopy) throws -> UInt32 {
    if branch.id.isMainBranch { return 0 }
    guard let tip = branch.tip else { return branch.survey.first ?? 0 }
    for index in try [branch.survey.first].compactMap({ $0 }) + starts.of(branch.id)
    where index > 0 && index <= tip.index {
      if let at = try source.ancestor(of: tip, at: index), BranchID(instance, forkedAt: at.digest) == branch.id {
        return index
      }
    }
    return branch.survey.first ?? tip.index
  }
}

extension ChainCopy {
  enum Finding: Equatable {
    case absent
    /// The expected block, complete or purged.
    case same
    /// The expected block, purged without a valid purge order.
    case removed
    case incomplete(have: Int, want: Int)
    /// Data without a valid signature.
    case damaged(Problem.Code)
    /// Another block of the chain, or a block that only a purge order could prove invalid. Such a block is never
    /// replaced.
    case other(BlockRef)

    var words: String {
      switch self {
      case .incomplete(let have, let want): "\(have) of \(want) bytes"
      case .damaged(let code): code.rawValue
      default: ""
      }
    }
  }

  private func inspect(_ branch: BranchCopy, _ index: UInt32, _ want: BlockOutline?) throws -> Finding {
    var found = Finding.absent
    let end = try ifReadable {
      try container.readBlocks(of: branch.id, from: index) { _, bytes in
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

  /// Returns whether a block with the right hash is valid. A purged block is valid only if the source has purged it too
  /// or there is a purge order.
  private func isGood(_ ref: BlockRef, _ header: BlockHeader, _ want: BlockOutline) throws -> Bool {
    guard header.mode.contains(.removed), !want.isRemoved, memory != nil else { return true }
    return try source.isOrdered(ref)
  }

  /// Judges the content of a file. Ignores the previous block, which determines only the branch and not whether the
  /// block is valid.
  private func judge(_ bytes: UnsafeRawBufferPointer, _ index: UInt32, _ want: BlockOutline?) throws -> Finding {
    guard let header = try? BlockHeader(bytes) else { return .damaged(.badMagic) }
    let ref = BlockRef(instance: instance, index: index, digest: header.hash)
    let isIntact = header.hash(ofIntact: bytes) != nil
    if isIntact, let want, ref.digest == want.digest { return try isGood(ref, header, want) ? .same : .removed }
    if isIntact, try source.find(ref) != nil { return .other(ref) }
    let known = try branches.lazy.compactMap(\.tip).first ?? source.branches(of: instance).first?.head
    let fault = try VerifiedRun.fault(of: bytes, header, like: source.verifier(behind: known, of: instance))
    return fault.map { .damaged(Problem.Code($0)) } ?? .other(ref)
  }

  /// Checks the files after the tip, because an invalid file would hide later blocks from readers.
  mutating func auditEnd(of branch: BranchCopy, knownUpTo knownEnd: UInt32) throws {
    let survey = branch.survey
    guard var tip = branch.tip, !branch.isAwaited, tip.index < .max - 1 else { return }
    let singles = survey.singles(from: tip.index + 1).prefix(ChainCopy.mostAfterEnd).map(\.index)
    let folded = survey.folded.lazy.map(\.first).filter { $0 > tip.index }.prefix(ChainCopy.mostAfterEnd)
    let beside = [tip.index + 1].filter { survey.folded(containing: $0).map { $0.first <= tip.index } ?? false }
    for index in Set(singles + folded + beside).sorted() where !branch.setAside.contains(index) {
      switch try inspect(branch, index, nil) {
      case .other(let other):
        if index == tip.index + 1, let known = try source.find(other), try before(index, known) == tip {
          tip = known
          branch.tip = known
        } else if isOwn || index <= knownEnd {
          // The pull skips a file if a later file contains a known block.
          try recordUnknown(other, in: branch)
        }
      case .damaged(.noKey), .damaged(.notReadable): continue
      case .damaged, .incomplete:
        // No other instance writes to our own branch, and no instance writes to a forked chain.
        let isWorthless = isOwn || isForked || survey.hasNothing(at: index, behind: tip.index)
        if isWorthless, !isPatient || mayHeal(branch, index) { try clear(index, in: branch) }
      case .absent, .same, .removed: continue
      }
    }
  }

  /// Moves aside an invalid file after the tip. If it cannot be moved, readers that have all earlier blocks are not
  /// affected.
  private mutating func clear(_ index: UInt32, in branch: BranchCopy) throws {
    let file = BlockPosition(branch: branch.id, index: index)
    guard try setAside(index, nil, in: branch, from: index) == nil else { return worthless.append(file) }
    guard !problems.contains(where: { $0.code == .inTheWay && $0.branch == file.branch && $0.index == index }) else {
      return
    }
    immovable.append(file)
    let path = "\(Layout.transactions)/\(branch.id)/\(Layout.path(of: index))"
    problems.append(Problem(immovable: path, immovableReason, place: place.name))
  }

  /// Reports blocks after the tip that exist only as placeholders of a cloud client.
  mutating func reportPromised(in branch: BranchCopy) {
    guard !branch.isAwaited else { return }
    func isBehind(_ index: UInt32) -> Bool { branch.tip.map { index > $0.index } ?? true }
    let folders = branch.survey.promised.map(\.lowerBound).filter(isBehind)
    let next = (branch.survey.placeholders.filter { isBehind($0) && !branch.names($0) } + folders).sorted()
    let told = next.prefix(ChainCopy.mostAfterEnd)
    if let memory {
      if let problem = memory.problem(promised: branch.id, Array(told)) { problems.append(problem) }
      memory.endWaits(branch.id, upTo: .max)
    } else if let first = told.first {
      problems.append(Problem(placeholder: branch.id, first, place: place.name))
    }
  }

  private static let mostAfterEnd = 100

  /// Returns whether a missing or wrong block may be written again now.
  ///
  /// A block that this instance wrote itself or has seen complete is written again immediately. Any other block may
  /// still arrive, and so may a block that has a cloud placeholder.
  func mayHeal(_ branch: BranchCopy, _ index: UInt32) -> Bool {
    guard let memory else { return true }
    // This instance's new blocks are written immediately.
    if isOwn, branch.tip.map({ index > $0.index }) ?? true { return true }
    if let folder = branch.survey.promisedFolder(of: index) {
      return memory.hasWaited(branch.id, folder.lowerBound)
    }
    let isKnown = isOwn || seen[branch.id].map { index <= $0.index } ?? false
    if isKnown, !branch.survey.isPromised(index) { return true }
    return memory.hasWaited(branch.id, index)
  }
}
