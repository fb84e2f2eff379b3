import SeaContainer
import SeaCore
import SeaSystem

/// One branch of a chain as it lies in a container, during one run.
final class BranchCopy {
  /// Its name in the container.
  let id: BranchID
  /// Its place among the branches of the container: every writer prefers the first of several that are equal.
  let order: Int
  var survey: BranchSurvey
  /// The last block up to which it is a branch of ours, as the source names it.
  var tip: BlockRef?
  /// Whether something of it may still be arriving: then it is not known to be there.
  var isAwaited = false
  /// Whether another block has taken the place of one of ours.
  var hasDiverged = false
  /// The last block that an earlier run has seen.
  var seenUpTo: UInt32?
  /// Files that were set aside in this run.
  var setAside: Set<UInt32> = []

  init(_ id: BranchID, order: Int, _ survey: BranchSurvey) { (self.id, self.order, self.survey) = (id, order, survey) }

  /// Whether anything stands behind the tip.
  var hasMore: Bool { tip.map { tip in survey.last.map { $0 > tip.index } ?? false } ?? false }

  /// Whether a file has the name of a block.
  func names(_ index: UInt32) -> Bool {
    guard !setAside.contains(index) else { return false }
    return survey.hasSingle(index) || survey.folded(containing: index) != nil
  }
}

/// Gives a container the branches of one chain: `append` writes what stands behind the tips, and the audit does all the rest.
///
/// Its blocks say which branch lies where: the trunk of one container may be a sibling branch in another. The *tip* of a branch
/// of the container is the last block up to which it is one of ours. The audit (`ChainCopy+Audit.swift`) finds the tips,
/// heals what is damaged or lost before them, and judges whatever stands where `append` expects nothing. No file that
/// verifies in its place is ever replaced: where it holds another block than ours, ours begins a branch.
struct ChainCopy {
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
  /// Whether what may still be arriving is waited for.
  var isPatient = true

  /// The branches of the container, in their order.
  var branches: [BranchCopy] = []
  /// Blocks that were written and never were there before.
  private(set) var copied = 0
  /// Blocks that may not be written in this run.
  private(set) var left = 0
  /// Files that were there once, or not as they should be, and are now.
  var healed: Int { mended.count }
  /// Which these are.
  var mended: [BlockPosition] = []
  /// Files that were set aside, by the first block that they were to have.
  var asides: [BlockPosition] = []
  /// Files behind the end of a branch that hold no block, and that are out of the way, or would be: by the first index that each is named for.
  var worthless: [BlockPosition] = []
  /// The same of those that cannot be moved.
  var immovable: [BlockPosition] = []
  var problems: [Problem] = []
  /// The branches of the container that were written to.
  private var written: Set<BranchID> = []
  /// Good blocks that the source does not know and that no reader of a branch comes to.
  var loose: [BlockPosition] = []
  /// Why the last file that could not be set aside was not.
  var whyHeld = ""
  private(set) var seen: [BranchID: BlockRef] = [:]
  private var reach: CopyReach
  private var byID: [BranchID: BranchCopy] = [:]
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
    return branches.contains { $0.hasMore && ($0.hasDiverged || changed.contains($0.id)) }
  }

  /// The audit finds the tips and heals what is before them, `append` goes on behind them, and what stands behind the ends is
  /// audited last, when all that is ours is there.
  mutating func run() throws {
    seen = try memory?.seen(of: instance) ?? [:]
    let ours = try source.branches(of: instance)
    isForked = ours.count > 1
    try audit(upTo: ours.map(\.run.last).max())
    for branch in branches { if let tip = branch.tip { try reach.move(branch, from: nil, to: tip) } }
    for branch in ours { try append(branch) }
    try appendBases()
    for branch in branches {
      try auditEnd(of: branch)
      reportPromised(in: branch)
    }
    try foldRest()
  }

  /// How far the branches of the container are there now, by the names that they have there.
  func reached() -> [(now: BlockRef?, branch: BranchID, before: BlockRef?)] {
    branches.map { branch in
      let before = seen[branch.id]
      let now = branch.tip.map { BlockRef(branch.id, index: $0.index, digest: $0.digest) }
      // What is another's is not there, whatever is waited for before it.
      return (branch.isAwaited && !branch.hasDiverged ? before : now, branch.id, before)
    }
  }

  /// The branch of the container that has a name, or one that is to be.
  mutating func branch(_ id: BranchID, _ survey: BranchSurvey = BranchSurvey()) throws -> BranchCopy {
    if let known = byID[id] { return known }
    let branch = BranchCopy(id, order: branches.count, survey)
    if try place.isPromised(id) { branch.survey.promise([0...UInt32.max]) }
    byID[id] = branch
    branches.append(branch)
    return branch
  }

  mutating func problem(_ code: Problem.Code, _ branch: BranchCopy, _ index: UInt32?, detail: String = "") {
    problems.append(Problem(code, place: place.name, branch: branch.id, index: index, detail: detail))
  }
}

extension ChainCopy {
  /// Appends what the container lacks of one branch of ours to the branch that leads furthest to it, or to one of its own where that
  /// one goes on otherwise.
  private mutating func append(_ ours: GoodBranch) throws {
    guard let best = try reach.best(to: ours.head) else {
      // What it left could not be handed on.
      if ours.run.first == 0 { try append(ours.head, from: 0, to: branch(BranchID(instance))) }
      return
    }
    // All of it is there, and perhaps more.
    if best.common == ours.head.index { return }
    var target = best.branch
    if target.tip?.index != best.common {
      guard let first = try source.ancestor(of: ours.head, at: best.common + 1) else { return }
      target = try begin(BranchID(instance, forkedAt: first.digest), with: first.index, of: ours.head)
    }
    try append(ours.head, from: best.common + 1, to: target)
  }

  /// Appends to a branch of the container what leads from an index to a head. Whatever has the name of one of these blocks is for the
  /// audit, which says where to go on.
  private mutating func append(_ head: BlockRef, from start: UInt32, to target: BranchCopy) throws {
    var (branch, index) = (target, start)
    while index <= head.index {
      if branch.names(index) {
        guard let next = try audit(index, of: head, from: start, in: branch, isDiverted: branch !== target) else {
          return
        }
        (branch, index) = next
        continue
      }
      let folder = branch.survey.promisedFolder(of: index)
      // It may be on its way. What this instance has to say waits for nobody.
      if folder != nil, !isOwn, !mayHeal(branch, index) { return wait(for: index, in: branch) }
      var last = index
      while last < head.index, last - index < 100_000, !branch.names(last + 1),
        isOwn || branch.survey.promisedFolder(of: last + 1) == folder
      {
        last += 1
      }
      guard try put(index...last, of: head, into: branch, isNew: true) else { return }
      index = last + 1
    }
  }

  /// A branch of the container that goes on with a block on the way to a head.
  mutating func begin(_ id: BranchID, with index: UInt32, of head: BlockRef) throws -> BranchCopy {
    let branch = try branch(id)
    if branch.tip == nil { try move(branch, to: before(index, head)) }
    return branch
  }

  /// The block before an index on the way to one; nil before the first.
  func before(_ index: UInt32, _ last: BlockRef) throws -> BlockRef? {
    index == 0 ? nil : try source.ancestor(of: last, at: index - 1)
  }

  mutating func move(_ branch: BranchCopy, to tip: BlockRef?) throws {
    if let tip { try reach.move(branch, from: branch.tip, to: tip) }
    branch.tip = tip
  }

  /// Writes blocks of the way to a head, and notes that they are there.
  /// - Parameter isNew: whether they were never there: then the allowance holds.
  /// - Returns: false if no more may be written, or something else is there by now.
  @discardableResult
  mutating func put(
    _ range: ClosedRange<UInt32>, of head: BlockRef, into branch: BranchCopy, isNew: Bool = false
  ) throws -> Bool {
    let allowance = isNew && !dryRun ? allowance : nil
    var isCut = allowance?.isSpent ?? false
    var index = range.lowerBound
    if !dryRun, !isCut {
      try memory?.makeDurable()
      let runs = try source.way(to: head, from: index)
      do {
        _ = try container.writeBlocks(of: branch.id, from: index) {
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
      } catch ContainerError.differs(_, let other, _) {
        // Something has arrived there meanwhile: the next sync looks at it.
        wait(for: other, in: branch)
        return false
      }
    }
    if isCut {
      left += Int(head.index - index) + 1
      guard index > range.lowerBound else { return false }
    }
    let last = isCut ? index - 1 : range.upperBound
    if isNew { copied += Int(last - range.lowerBound) + 1 }
    written.insert(branch.id)
    if branch.tip.map({ $0.index < last }) ?? true { try move(branch, to: source.ancestor(of: head, at: last)) }
    place.note(branch.id, first: range.lowerBound, last: last)
    return !isCut
  }

  /// Appends what the branches of the container leave and what is not there, back to block 0: who knows nothing of the chain can
  /// read no branch whose beginning is gone.
  private mutating func appendBases() throws {
    let siblings = branches.filter { !$0.id.isTrunk && $0.tip != nil && !$0.isAwaited }
    guard !siblings.isEmpty else { return }
    var there = RunsThere()
    var firsts: [BranchID: UInt32] = [:]
    for branch in branches {
      guard let tip = branch.tip else { continue }
      let first = try first(of: branch)
      firsts[branch.id] = first
      try there.add(source.way(to: tip, from: first))
    }
    for branch in siblings {
      guard let tip = branch.tip, let first = firsts[branch.id], first > 0,
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
      let id = start == 0 ? BranchID(instance) : BranchID(instance, forkedAt: missing.digest)
      guard try mayHeal(self.branch(id), start) else {
        try wait(for: start, in: self.branch(id))
        continue
      }
      try append(base, from: start, to: begin(id, with: start, of: base))
      try there.add(source.way(to: base, from: start))
    }
  }

  /// Makes up for what a writer of the own chain has not come to: a full folder becomes one file, and what lies beside such a file is
  /// taken away.
  private func foldRest() throws {
    guard isOwn, !dryRun, allowance?.isSpent != true else { return }
    for branch in branches where !branch.isAwaited && branch.setAside.isEmpty && branch.survey.hasUnfolded {
      try memory?.makeDurable()
      try container.fold(branch.id)
    }
  }
}
