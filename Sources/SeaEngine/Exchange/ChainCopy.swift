import SeaContainer
import SeaCore
import SeaSystem

/// Gives a container the branches of one chain, and heals what stands there of them.
///
/// Where a branch lies there is found by what its blocks are: the trunk of one place may be a sibling branch in another.
/// Of each branch of the container the *tip* is the last block up to which it is one of ours. Up to there every file is
/// looked at by name and size, and some by content; behind it what is lacking is written. A file that verifies in its
/// place is never replaced: where it is another block than ours, ours begins a branch.
struct ChainCopy {
  /// A branch of the container.
  struct There {
    let branch: BranchID
    var survey: BranchSurvey
    /// The last block up to which it is a branch of ours, as the source names it.
    var tip: BlockRef?
    /// Whether something of it is waited for: then it is not known to be there.
    var waits = false
    /// Whether something of it that was ours is another's now.
    var isOther = false
    /// Up to where it was looked at in an earlier run.
    var looked: UInt32?
    /// Files that were set aside in this run.
    var gone: Set<UInt32> = []

    /// Whether anything stands behind the tip.
    var hasMore: Bool { tip.map { tip in survey.last.map { $0 > tip.index } ?? false } ?? false }

    func names(_ index: UInt32) -> Bool {
      guard !gone.contains(index) else { return false }
      return survey.hasSingle(index) || survey.folded(containing: index) != nil
    }
  }

  let source: GoodBlocks
  let place: ContainerPlace
  let instance: UUID
  let dryRun: Bool
  /// Nil where nothing is remembered and nothing is waited for.
  let memory: CopyMemory?
  let meter: WorkMeter?
  /// How much may be written of what is lacking; what was lost is written again in any case.
  var allowance: Allowance?
  /// Whether what is written goes as fast as it may; else what is read does.
  var isPaced = true

  var theres: [There] = []
  /// Blocks that were written and never were there before.
  var copied = 0
  /// Blocks that may not be written in this run.
  var left = 0
  /// Files that were there once, or not as they should be, and are now.
  var healed: Int { mended.count }
  /// Which these are.
  var mended: [BlockPosition] = []
  /// Files that were set aside, by the first block that they were to have.
  var asides: [BlockPosition] = []
  /// Files behind the end of a branch that hold no block, and that are out of the way, or would be: by the first index that each is named for.
  var worthless: [BlockPosition] = []
  /// The same of those that cannot be moved.
  var heldBehind: [BlockPosition] = []
  /// Whether what may still be arriving is waited for.
  var isPatient = true
  var problems: [Problem] = []
  /// Whether the container has a good block of the chain that the source does not know, in the place of one that it does.
  var foundOther = false
  /// The branches of the container that were written to.
  var written: Set<BranchID> = []
  /// Good blocks that the source does not know and that no reader of a branch comes to.
  var loose: [BlockPosition] = []
  /// Why the last file that could not be set aside was not.
  private(set) var held = ""
  private(set) var seen: [BranchID: BlockRef] = [:]
  private var reach: CopyReach
  private var places: [BranchID: Int] = [:]
  /// Whether the source has several branches of it.
  private(set) var isForked = false
  lazy var starts = CopyStarts(source, instance)

  init(
    _ source: GoodBlocks, _ place: ContainerPlace, _ instance: UUID, dryRun: Bool = false, memory: CopyMemory? = nil,
    meter: WorkMeter? = nil
  ) {
    self.source = source
    reach = CopyReach(source)
    self.place = place
    self.instance = instance
    self.dryRun = dryRun
    self.memory = memory
    self.meter = meter
  }

  var container: Container { place.container }
  var isOwn: Bool { memory?.own == instance }

  /// Whether a reader comes further by now than before, or to something else, in a branch that goes on behind what is known.
  var hasOpened: Bool {
    let changed = (asides + worthless).reduce(into: written) { $0.insert($1.branch) }
    return theres.contains { $0.hasMore && ($0.isOther || changed.contains($0.branch)) }
  }

  mutating func run() throws {
    seen = try memory?.seen(of: instance) ?? [:]
    let ours = try source.branches(of: instance)
    isForked = ours.count > 1
    try lookAround(ours)
    for (at, there) in theres.enumerated() {
      if let tip = there.tip { try reach.move(at, from: nil, to: tip) }
    }
    for branch in ours { try copy(branch) }
    try putBases()
    for at in theres.indices {
      try lookBehind(at)
      tellPromised(at)
    }
    try foldRest()
  }

  /// How far the branches of the container are there now, by the names that they have there.
  func reached() -> [(now: BlockRef?, branch: BranchID, before: BlockRef?)] {
    theres.map { there in
      let before = seen[there.branch]
      let now = there.tip.map { BlockRef(there.branch, index: $0.index, digest: $0.digest) }
      // What is another's is not there, whatever is waited for before it.
      return (there.waits && !there.isOther ? before : now, there.branch, before)
    }
  }

  // MARK: - What is there

  private mutating func lookAround(_ ours: [GoodBranch]) throws {
    var names = try place.names(of: instance)
    names += Set(seen.keys).subtracting(names)
    let end = ours.map(\.run.last).max()
    // Everybody goes through them in one order, and of two that have the same goes on in the same.
    for name in names.sorted() {
      var there = There(branch: name, survey: try container.survey(name))
      if try place.isPromised(name) { there.survey.promise([0...UInt32.max]) }
      if let known = seen[name], let tip = try source.find(known) {
        // What does not go on is nobody's loss; a branch of which nothing does is another's.
        let isBefore = tip.index < known.index && there.survey.first.map { $0 > tip.index } ?? true
        if !isBefore || name.isTrunk { there.tip = tip }
        there.looked = known.index
        let isLess = there.survey.last.map { $0 < min(known.index, tip.index) } ?? !isBefore
        if isLess, there.survey.promised.isEmpty {
          problem(.rolledBack, there.branch, there.survey.last, detail: "block \(known.index) was there before")
        }
      } else {
        there.tip = try search(there, end)
      }
      places[name] = theres.count
      theres.append(there)
      memory?.note(there.survey, of: name)
      // By the way: what cannot be removed now is removed by a later writer.
      if !dryRun { for path in there.survey.temporaries { try? container.removeStray(path) } }
      try check(theres.count - 1)
    }
  }

  /// A good block that stands in the place of one of ours.
  mutating func note(_ other: BlockRef, in branch: BranchID) throws {
    guard try source.find(other) == nil else { return }
    foundOther = true
    loose.append(BlockPosition(branch: branch, index: other.index))
  }

  mutating func problem(_ code: Problem.Code, _ branch: BranchID, _ index: UInt32?, detail: String = "") {
    problems.append(Problem(code, place: place.name, branch: branch, index: index, detail: detail))
  }

  // MARK: - What is lacking

  /// Writes what the container lacks of one branch of ours.
  private mutating func copy(_ ours: GoodBranch) throws {
    guard let best = try reach.best(to: ours.head) else {
      // What it left could not be handed on.
      if ours.run.first == 0 { try write(ours, from: 0, into: there(BranchID(instance))) }
      return
    }
    // All of it is there, and perhaps more.
    if best.common == ours.head.index { return }
    if theres[best.at].tip?.index == best.common { return try write(ours, from: best.common + 1, into: best.at) }
    try begin(ours, behind: best.common)
  }

  /// Writes what is behind an index into a branch of its own.
  private mutating func begin(_ ours: GoodBranch, behind common: UInt32) throws {
    guard let first = try source.ancestor(of: ours.head, at: common + 1) else { return }
    let at = there(BranchID(instance, forkedAt: first.digest))
    if theres[at].tip == nil { try move(at, to: source.ancestor(of: ours.head, at: common)) }
    try write(ours, from: common + 1, into: at)
  }

  /// The block before an index on the way to one; nil before the first.
  func before(_ index: UInt32, _ last: BlockRef) throws -> BlockRef? {
    index == 0 ? nil : try source.ancestor(of: last, at: index - 1)
  }

  /// The branch of that name, or one that is to be.
  mutating func there(_ branch: BranchID) -> Int {
    if let at = places[branch] { return at }
    places[branch] = theres.count
    var survey = BranchSurvey()
    // The names are known by now.
    if (try? place.isPromised(branch)) == true { survey.promise([0...UInt32.max]) }
    theres.append(There(branch: branch, survey: survey))
    return theres.count - 1
  }

  mutating func move(_ at: Int, to tip: BlockRef?) throws {
    if let tip { try reach.move(at, from: theres[at].tip, to: tip) }
    theres[at].tip = tip
  }

  mutating func write(_ ours: GoodBranch, from start: UInt32, into target: Int) throws {
    var (at, index) = (target, start)
    var isAgain = false
    while index <= ours.head.index {
      guard theres[at].names(index) else {
        let folder = theres[at].survey.promisedFolder(of: index)
        // It may be on its way. What this instance has to say waits for nobody.
        if folder != nil, !isOwn, !mayHeal(theres[at], index) { return waits(at, index, .absent) }
        var last = index
        while last < ours.head.index, last - index < 100_000, !theres[at].names(last + 1),
          isOwn || theres[at].survey.promisedFolder(of: last + 1) == folder
        {
          last += 1
        }
        guard try put(index...last, to: ours.head, into: at, isNew: true) else { return }
        copied += Int(last - index) + 1
        index = last + 1
        continue
      }
      let want = try source.outlines(index...index, to: ours.head).first
      let found = try look(theres[at].branch, index, want)
      switch found {
      case .same:
        try move(at, to: source.ancestor(of: ours.head, at: index))
        index += 1
        continue
      case .other(let other): try note(other, in: theres[at].branch)
      default:
        guard mayHeal(theres[at], index) else { return waits(at, index, found) }
        if let from = try setAside(index, in: at, from: start) {
          index = from
          continue
        }
      }
      // Another block, or what nobody may move, keeps its place: ours begins a folder of its own. Where something stands there,
      // too, any name will do that nobody can have foreseen.
      guard let want else { return }
      let named = BranchID(instance, forkedAt: want.digest)
      at = there(
        isAgain || theres[at].branch == named ? BranchID(instance, forkedAt: SHA256.hash(try Random.bytes(32))) : named)
      isAgain = true
      if theres[at].tip == nil { try move(at, to: before(index, ours.head)) }
    }
  }

  /// Takes out of the way what is no block for its place.
  /// - Returns: from where on blocks are to be written again; nil if it cannot be moved: `held` says why.
  mutating func setAside(_ index: UInt32, in at: Int, from start: UInt32) throws -> UInt32? {
    let there = theres[at]
    let isFolded = !there.survey.hasSingle(index)
    if !dryRun {
      try memory?.makeDurable()
      do throws(ContainerError) {
        try container.setAside(there.branch, index, folded: isFolded)
      } catch {
        // One file that nobody may move keeps nothing from the rest.
        guard let reason = error.whyHeldFast else { throw error }
        held = reason
        return nil
      }
      asides.append(BlockPosition(branch: there.branch, index: index))
    }
    guard isFolded, let file = there.survey.folded(containing: index) else {
      theres[at].gone.insert(index)
      return index
    }
    theres[at].survey.folded.removeAll { $0.first == file.first }
    memory?.forget(there.branch, leaf: file.first)
    return max(file.first, there.branch.isTrunk ? 0 : start)
  }
}

extension ChainCopy {
  /// Makes up for what a writer of the own chain has not come to: a full folder becomes one file, and what lies beside such a file is
  /// taken away.
  func foldRest() throws {
    guard isOwn, !dryRun, allowance?.isSpent != true else { return }
    for there in theres where !there.waits && there.gone.isEmpty && there.survey.hasUnfolded {
      try memory?.makeDurable()
      try container.fold(there.branch)
    }
  }
}

extension ChainCopy {
  /// Writes blocks of the way to a head, and notes that they are there.
  /// - Returns: false if something else is there by now.
  @discardableResult
  mutating func put(
    _ range: ClosedRange<UInt32>, to head: BlockRef, into at: Int, isNew: Bool = false
  ) throws -> Bool {
    let allowance = isNew ? allowance : nil
    if !dryRun {
      var isCut = allowance?.isSpent ?? false
      if isCut { return try cut(range.lowerBound..<range.lowerBound, of: head, at) }
      try memory?.makeDurable()
      let runs = try source.way(to: head, from: range.lowerBound)
      var index = range.lowerBound
      do {
        _ = try container.writeBlocks(of: theres[at].branch, from: index) {
          guard index <= range.upperBound, let run = runs.first(where: { $0.first <= index && index <= $0.last }) else {
            return nil
          }
          let bytes = try source.bytes(run.branch, index)
          if let allowance, !allowance.takes(Int64(bytes.count)) {
            isCut = true
            return nil
          }
          self.allowance?.pass(bytes.count, isFar: !isPaced || container.isFar)
          index += 1
          meter?.add()
          return bytes
        }
        if isCut { return try cut(range.lowerBound..<index, of: head, at) }
      } catch ContainerError.differs(_, let other, _) {
        // Something has arrived there meanwhile: the next sync looks at it.
        waits(at, other, .absent)
        return false
      }
    }
    written.insert(theres[at].branch)
    let tip = theres[at].tip
    if tip.map({ $0.index < range.upperBound }) ?? true {
      try move(at, to: source.ancestor(of: head, at: range.upperBound))
    }
    place.note(theres[at].branch, first: range.lowerBound, last: range.upperBound)
    return true
  }

  /// No more may be written than this part of what leads to a head.
  private mutating func cut(_ range: Range<UInt32>, of head: BlockRef, _ at: Int) throws -> Bool {
    left += Int(head.index - range.upperBound) + 1
    guard let last = range.last else { return false }
    copied += range.count
    if theres[at].tip.map({ $0.index < last }) ?? true { try move(at, to: source.ancestor(of: head, at: last)) }
    place.note(theres[at].branch, first: range.lowerBound, last: last)
    return false
  }

  /// Something at an index is waited for; of several things the first is told.
  mutating func waits(_ at: Int, _ index: UInt32, _ found: Look) {
    guard !theres[at].waits else { return }
    theres[at].waits = true
    let isPromised = found == .absent && theres[at].survey.isPromised(index)
    problem(.incomplete, theres[at].branch, index, detail: isPromised ? Problem.placeholder : found.words)
  }
}

extension ChainCopy {
  /// Sees to it that what the branches of the container leave stands in the container too, back to block 0: who knows nothing of the
  /// chain can read no branch whose beginning is gone.
  mutating func putBases() throws {
    let siblings = theres.indices.filter { !theres[$0].branch.isTrunk && theres[$0].tip != nil && !theres[$0].waits }
    guard !siblings.isEmpty else { return }
    var there = RunsThere()
    var firsts: [Int: UInt32] = [:]
    for at in theres.indices {
      guard let tip = theres[at].tip else { continue }
      let first = try first(of: theres[at])
      firsts[at] = first
      try there.add(source.way(to: tip, from: first))
    }
    for at in siblings {
      guard let tip = theres[at].tip, let first = firsts[at], first > 0,
        let base = try source.ancestor(of: tip, at: first - 1),
        there.last(of: base.branch, upTo: base.index) != base.index
      else { continue }
      var start: UInt32 = 0
      for run in try source.way(to: base, from: 0).reversed() {
        guard let last = there.last(of: run.branch, upTo: run.last), last >= run.first else { continue }
        start = last + 1
        break
      }
      guard let missing = try source.ancestor(of: base, at: start) else { continue }
      // Where nothing of it is there, not even the first block, it is the trunk that is gone.
      let to = self.there(start == 0 ? BranchID(instance) : BranchID(instance, forkedAt: missing.digest))
      guard mayHeal(theres[to], start) else {
        waits(to, start, .absent)
        continue
      }
      if start > 0, theres[to].tip == nil { try move(to, to: source.ancestor(of: base, at: start - 1)) }
      let lacking = GoodBranch(run: BlockRun(base.branch, first: start, last: base.index), head: base)
      try write(lacking, from: start, into: to)
      try there.add(source.way(to: base, from: start))
    }
  }
}

/// Which blocks a container has, by the branches of the source.
private struct RunsThere {
  /// In order, and none touches another.
  private var runs: [BranchID: [ClosedRange<UInt32>]] = [:]
  private var new: [BranchID: [ClosedRange<UInt32>]] = [:]

  mutating func add(_ way: [BlockRun]) { for run in way { new[run.branch, default: []].append(run.first...run.last) } }

  /// The last block of a branch that is there, of those up to an index.
  mutating func last(of branch: BranchID, upTo index: UInt32) -> UInt32? {
    if let more = new.removeValue(forKey: branch) {
      var all: [ClosedRange<UInt32>] = []
      for run in ((runs[branch] ?? []) + more).sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = all.last, run.lowerBound <= last.upperBound || run.lowerBound == last.upperBound + 1 {
          all[all.count - 1] = last.lowerBound...max(last.upperBound, run.upperBound)
        } else {
          all.append(run)
        }
      }
      runs[branch] = all
    }
    let all = runs[branch] ?? []
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].lowerBound <= index { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? min(all[low - 1].upperBound, index) : nil
  }
}

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

  /// Whether a block with the right hash may stand there: a removed one only where this is removed here, too, or was ordered.
  func isGood(
    _ ref: BlockRef, _ header: BlockHeader, _ want: BlockOutline
  ) throws -> Bool {
    guard header.mode.contains(.removed), !want.isRemoved, memory != nil else { return true }
    return try source.isOrdered(ref)
  }

  /// A block is judged by itself: which one it follows says to which branch it belongs, and not whether it is good.
  private func judge(_ bytes: UnsafeRawBufferPointer, _ index: UInt32, _ want: BlockOutline?) throws -> Look {
    guard let header = try? BlockHeader(bytes) else { return .damaged(.badMagic) }
    let ref = BlockRef(instance: instance, index: index, digest: header.hash)
    let isIntact = header.hash(ofIntact: bytes) != nil
    if isIntact, let want, ref.digest == want.digest { return try isGood(ref, header, want) ? .same : .removed }
    if isIntact, try source.find(ref) != nil { return .other(ref) }
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
    let file = BlockPosition(branch: theres[at].branch, index: index)
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
