import SeaContainer
import SeaCore
import SeaSystem

// The audit: what is known to have been there, whether it is there still and still what it was, and what stands where nothing is
// expected.

extension ChainCopy {
  /// Finds the tip of every branch of the container, and heals what is damaged or lost up to there.
  mutating func audit(upTo end: UInt32?) throws {
    var ids = try place.names(of: instance)
    ids += Set(seen.keys).subtracting(ids)
    // Everybody goes through them in one order, and of two that have the same goes on in the same.
    for id in ids.sorted() {
      let branch = try branch(id, container.survey(id))
      try findTip(of: branch, upTo: end)
      memory?.note(branch.survey, of: id)
      // By the way: what cannot be removed now is removed by a later writer.
      if !dryRun { for path in branch.survey.temporaries { try? container.removeStray(path) } }
      try audit(branch)
    }
  }

  private mutating func findTip(of branch: BranchCopy, upTo end: UInt32?) throws {
    guard let known = seen[branch.id], let tip = try source.find(known) else {
      branch.tip = try search(branch, end)
      return
    }
    // What does not go on is nobody's loss; a branch of which nothing does is another's.
    let isBefore = tip.index < known.index && branch.survey.first.map { $0 > tip.index } ?? true
    if !isBefore || branch.id.isTrunk { branch.tip = tip }
    branch.seenUpTo = known.index
    let isLess = branch.survey.last.map { $0 < min(known.index, tip.index) } ?? !isBefore
    if isLess, branch.survey.promised.isEmpty {
      problem(.rolledBack, branch, branch.survey.last, detail: "block \(known.index) was there before")
    }
  }

  /// Notes a good block that stands in the place of one of ours.
  private mutating func noteUnknown(_ block: BlockRef, in branch: BranchCopy) throws {
    if try source.find(block) == nil { loose.append(BlockPosition(branch: branch.id, index: block.index)) }
  }

  /// Notes that a block is waited for; of several in a branch the first is told.
  mutating func wait(for index: UInt32, in branch: BranchCopy, _ found: Finding = .absent) {
    guard !branch.isAwaited else { return }
    branch.isAwaited = true
    let isPromised = found == .absent && branch.survey.isPromised(index)
    problem(.incomplete, branch, index, detail: isPromised ? Problem.placeholder : found.words)
  }

  /// Says where an append goes on that has met a file with the name of its next block.
  /// - Returns: nil if it has to wait.
  mutating func audit(
    _ index: UInt32, of head: BlockRef, from start: UInt32, in branch: BranchCopy, isDiverted: Bool
  ) throws -> (BranchCopy, UInt32)? {
    guard let want = try source.outlines(index...index, to: head).first else { return nil }
    let found = try inspect(branch, index, want)
    switch found {
    case .same:
      try move(branch, to: source.ancestor(of: head, at: index))
      return (branch, index + 1)
    case .other(let other): try noteUnknown(other, in: branch)
    default:
      guard mayHeal(branch, index) else {
        wait(for: index, in: branch, found)
        return nil
      }
      if let from = try setAside(index, want, in: branch, from: start) { return (branch, from) }
    }
    // Another block, or what nobody may move, keeps its place: ours begins a folder of its own. Where something stands there,
    // too, any name will do that nobody can have foreseen.
    var id = BranchID(instance, forkedAt: want.digest)
    if isDiverted || branch.id == id { id = BranchID(instance, forkedAt: SHA256.hash(try Random.bytes(32))) }
    return (try begin(id, with: index, of: head), index)
  }

  /// Takes out of the way what is no block for its place. Readers take a block from a folded file before one of its own, so that a right
  /// file beside a wrong folded one stays, and the folded one goes.
  /// - Parameter want: the block that belongs there, if that is known.
  /// - Returns: from where on blocks are to be written again; nil if it cannot be moved: `whyHeld` says why.
  private mutating func setAside(
    _ index: UInt32, _ want: BlockOutline?, in branch: BranchCopy, from start: UInt32
  ) throws -> UInt32? {
    let hasSingle = branch.survey.hasSingle(index)
    var folded = branch.survey.folded(containing: index)
    if hasSingle, folded != nil, try !isRight(index, want, in: branch) { folded = nil }
    if !dryRun {
      try memory?.makeDurable()
      do throws(ContainerError) {
        try container.setAside(branch.id, index, folded: !hasSingle || folded != nil)
      } catch {
        // One file that nobody may move keeps nothing from the rest.
        guard let reason = error.whyHeldFast else { throw error }
        whyHeld = reason
        return nil
      }
      asides.append(BlockPosition(branch: branch.id, index: index))
    }
    guard let folded else {
      branch.setAside.insert(index)
      return index
    }
    branch.survey.folded.removeAll { $0.first == folded.first }
    memory?.forget(branch.id, leaf: folded.first)
    return max(folded.first, branch.id.isTrunk ? 0 : start)
  }

  /// Whether the file of its own that a block has is the block that belongs there.
  private func isRight(_ index: UInt32, _ want: BlockOutline?, in branch: BranchCopy) throws -> Bool {
    guard let want else { return false }
    var isRight = false
    try container.readStray(FilePlace.block(branch.id, index).path) { bytes in
      isRight = (try? BlockHeader(bytes))?.hash(ofIntact: bytes) == want.digest && bytes.count == want.size
      return false
    }
    return isRight
  }

  /// Goes through a branch of the container up to its tip: names and sizes of everything, and contents of what is due.
  private mutating func audit(_ branch: BranchCopy) throws {
    guard let tip = branch.tip else { return }
    let first = try first(of: branch)
    var leaf: Layout.Leaf? = Layout.Leaf(containing: first)
    while let now = leaf, now.first <= tip.index, let end = branch.tip, max(now.first, first) <= end.index {
      try audit(now, max(now.first, first)...min(now.last, end.index), branch)
      leaf = now.next
    }
    memory?.isWhole(branch.id, upTo: tip.index)
    if branch.hasDiverged { try noteOthers(branch) }
  }

  /// Where something else stands than before, more of it may stand behind: what follows on another branch.
  private mutating func noteOthers(_ branch: BranchCopy) throws {
    let start = branch.tip.map { $0.index + 1 } ?? 0
    for single in branch.survey.singles(from: start) where single.size >= Int64(BlockHeader.size) {
      if case .other(let other) = try inspect(branch, single.index, nil) { try noteUnknown(other, in: branch) }
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
        memory?.noteRight(branch.id, file)
        return
      }
      if try contents(outlines[...], branch) {
        if outlines.count == range.count { memory?.noteRight(branch.id, file) }
        return
      }
      return try healFolded(range, branch)
    }
    var bad: [UInt32] = []
    let all = try source.outlines(range, to: tip)
    // A folded file of which not all is known here; it has no fewer blocks than a whole one.
    if file != nil, isAlone, try contents(all[...], branch) {
      if range.upperBound < leaf.last, try isCutOff(branch, behind: tip) { try healFolded(range, branch) }
      return
    }
    for outline in all {
      guard let single = branch.survey.single(outline.index) else {
        // A folded file beside single ones is looked into.
        if file != nil, try contents([outline], branch) { continue }
        bad.append(outline.index)
        continue
      }
      var isDue = isDue(branch, outline.index, size: single.size, changed: single.changed)
      // Somebody else may write in our name, and what stands behind it may follow another block than ours.
      if outline.index == tip.index, isOwn || branch.hasMore { isDue = true }
      if !isDue, single.size == Int64(outline.size) { continue }
      switch try inspect(branch, outline.index, outline) {
      case .same: continue
      case .other(let other):
        // What was ours is another's now: from here on it is another branch.
        try noteUnknown(other, in: branch)
        try heal(bad.filter { $0 < other.index }, branch)
        branch.tip = try before(other.index, tip)
        branch.hasDiverged = true
        return
      default: bad.append(outline.index)
      }
    }
    try heal(bad, branch)
    // What only a folded file had that was set aside is written now.
    if file != nil, branch.survey.folded(containing: leaf.first) == nil { try audit(leaf, range, branch) }
  }

  private func isDue(_ branch: BranchCopy, _ index: UInt32, size: Int64, changed: Int64) -> Bool {
    let isFirst = branch.seenUpTo.map { index > $0 } ?? true
    return memory?.isDue(branch.id, index, size: size, changed: changed, isFirst: isFirst) ?? true
  }

  /// Whether all of a folded file is what it should be.
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

  /// Whether a file ends behind a block, or has something there that is none.
  private func isCutOff(_ branch: BranchCopy, behind tip: BlockRef) throws -> Bool {
    switch try inspect(branch, tip.index + 1, nil) {
    case .absent, .incomplete, .damaged: true
    case .same, .removed, .other: false
    }
  }

  /// Writes single blocks again. What has to be waited for is waited for from now on, all of it together.
  private mutating func heal(_ bad: [UInt32], _ branch: BranchCopy) throws {
    var indices: ArraySlice<UInt32> = []
    for index in bad {
      if mayHeal(branch, index) { indices.append(index) } else { wait(for: index, in: branch) }
    }
    while let index = indices.first, let tip = branch.tip {
      var last = index
      indices = indices.dropFirst()
      guard try makeRoom(index, branch) else { continue }
      // The right file stood beside the wrong one.
      if branch.names(index) { continue }
      while let next = indices.first, next == last + 1 {
        indices = indices.dropFirst()
        guard try makeRoom(next, branch), !branch.names(next) else { break }
        last = next
      }
      try restore(index...last, of: tip, in: branch)
    }
  }

  /// Writes a folded file again.
  private mutating func healFolded(_ range: ClosedRange<UInt32>, _ branch: BranchCopy) throws {
    guard let tip = branch.tip else { return }
    guard mayHeal(branch, range.lowerBound) else { return wait(for: range.lowerBound, in: branch) }
    if try makeRoom(range.lowerBound, branch) { try restore(range, of: tip, in: branch) }
  }

  private mutating func restore(_ range: ClosedRange<UInt32>, of tip: BlockRef, in branch: BranchCopy) throws {
    guard try put(range, of: tip, into: branch) else { return }
    mended += range.map { BlockPosition(branch: branch.id, index: $0) }
  }

  /// Whether nothing that is wrong stands in the place of a block any more.
  private mutating func makeRoom(_ index: UInt32, _ branch: BranchCopy) throws -> Bool {
    let want = try branch.tip.flatMap { try source.outlines(index...index, to: $0).first }
    guard branch.names(index), try setAside(index, want, in: branch, from: index) == nil else { return true }
    problem(.inTheWay, branch, index, detail: whyHeld)
    return false
  }

  /// The last block of a branch of the container that is known here, by a few looks at what is there.
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

  /// Where a branch of the container begins, of which something may be missing.
  mutating func first(of branch: BranchCopy) throws -> UInt32 {
    if branch.id.isTrunk { return 0 }
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
  /// What stands in the place of a block.
  enum Finding: Equatable {
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

  /// Whether a block with the right hash may stand there: a removed one only where this is removed here, too, or was ordered.
  private func isGood(_ ref: BlockRef, _ header: BlockHeader, _ want: BlockOutline) throws -> Bool {
    guard header.mode.contains(.removed), !want.isRemoved, memory != nil else { return true }
    return try source.isOrdered(ref)
  }

  /// A block is judged by itself: which one it follows says to which branch it belongs, and not whether it is good.
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

  /// Audits what stands behind the last block that is known: a file that holds no block for its place would keep readers from what
  /// comes later.
  mutating func auditEnd(of branch: BranchCopy) throws {
    // As it was before any file is set aside.
    let survey = branch.survey
    guard var tip = branch.tip, !branch.isAwaited, tip.index < .max - 1 else { return }
    let singles = survey.singles(from: tip.index + 1).prefix(ChainCopy.mostAfterEnd).map(\.index)
    let folded = survey.folded.lazy.map(\.first).filter { $0 > tip.index }.prefix(ChainCopy.mostAfterEnd)
    // One that has the place of blocks which are there in files of their own.
    let beside = [tip.index + 1].filter { survey.folded(containing: $0).map { $0.first <= tip.index } ?? false }
    for index in Set(singles + folded + beside).sorted() where !branch.setAside.contains(index) {
      switch try inspect(branch, index, nil) {
      case .other(let other):
        if index == tip.index + 1, let known = try source.find(other), try before(index, known) == tip {
          // Somebody else goes on here with what another branch has too.
          tip = known
          branch.tip = known
        } else if isOwn {
          // News of others are for a pull.
          try noteUnknown(other, in: branch)
        }
      case .damaged(.noKey), .damaged(.notReadable): continue
      case .damaged, .incomplete:
        // Nobody but this instance writes there; where a chain has forked, nobody does.
        let isWorthless = isOwn || isForked || survey.hasNothing(at: index, behind: tip.index)
        if isWorthless, !isPatient || mayHeal(branch, index) { try clear(index, in: branch) }
      case .absent, .same, .removed: continue
      }
    }
  }

  /// Takes a file out of the way where nothing is to be written yet. One that cannot be moved is reported, and harms nobody who has
  /// all that is before it.
  private mutating func clear(_ index: UInt32, in branch: BranchCopy) throws {
    let file = BlockPosition(branch: branch.id, index: index)
    guard try setAside(index, nil, in: branch, from: index) == nil else { return worthless.append(file) }
    // Told already, as what keeps a block from being written.
    guard !problems.contains(where: { $0.code == .inTheWay && $0.branch == file.branch && $0.index == index }) else {
      return
    }
    immovable.append(file)
    let path = "\(Layout.transactions)/\(branch.id)/\(Layout.path(of: index))"
    problems.append(Problem(heldFast: path, whyHeld, place: place.name))
  }

  /// Reports blocks behind the tip that a cloud client says it has.
  mutating func reportPromised(in branch: BranchCopy) {
    guard !branch.isAwaited else { return }
    func isBehind(_ index: UInt32) -> Bool { branch.tip.map { index > $0.index } ?? true }
    let folders = branch.survey.promised.map(\.lowerBound).filter(isBehind)
    let next = (branch.survey.placeholders.filter { isBehind($0) && !branch.names($0) } + folders).sorted()
    let told = next.prefix(ChainCopy.mostAfterEnd)
    if let memory {
      if let problem = memory.problem(promised: branch.id, Array(told)) { problems.append(problem) }
      memory.isWhole(branch.id, upTo: .max)
    } else if let first = told.first {
      problems.append(Problem(promised: branch.id, first, place: place.name))
    }
  }

  /// So many names behind the end of a branch are looked at.
  private static let mostAfterEnd = 100

  /// Whether something may be written now where nothing right stands.
  ///
  /// What this instance wrote, or has seen whole here, is lost. Anything else may be on its way, and so may be what a
  /// cloud client says that it has.
  func mayHeal(_ branch: BranchCopy, _ index: UInt32) -> Bool {
    guard let memory else { return true }
    // What this instance has to say that is new waits for nobody, whatever stands in its place.
    if isOwn, branch.tip.map({ index > $0.index }) ?? true { return true }
    if let folder = branch.survey.promisedFolder(of: index) {
      return memory.hasWaited(branch.id, folder.lowerBound)
    }
    let isKnown = isOwn || seen[branch.id].map { index <= $0.index } ?? false
    if isKnown, !branch.survey.isPromised(index) { return true }
    return memory.hasWaited(branch.id, index)
  }
}
