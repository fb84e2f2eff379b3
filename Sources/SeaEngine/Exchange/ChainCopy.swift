import SeaContainer
import SeaCore
import SeaSystem

final class BranchCopy {
  /// The name of the branch in the container.
  let id: BranchID
  /// The position of the branch. Every writer prefers the first of several equal branches.
  let order: Int
  var survey: BranchSurvey
  /// The last block up to which the branch matches the source. The branch name in it is the one that the source uses.
  var tip: BlockRef?
  /// Whether part of the branch may still be arriving. Such a branch does not count as present.
  var isAwaited = false
  /// Whether another block has taken the place of one of ours.
  var hasDiverged = false
  /// The index of the last block that an earlier run saw.
  var seenUpTo: UInt32?
  /// The blocks whose single files were moved aside in this run.
  var setAside: Set<UInt32> = []

  init(_ id: BranchID, order: Int, _ survey: BranchSurvey) { (self.id, self.order, self.survey) = (id, order, survey) }

  /// Whether the container has blocks after the tip.
  var hasMore: Bool { tip.map { tip in survey.last.map { $0 > tip.index } ?? false } ?? false }

  /// Returns whether the container has a file for a block.
  func names(_ index: UInt32) -> Bool {
    guard !setAside.contains(index) else { return false }
    return survey.hasSingle(index) || survey.folded(containing: index) != nil
  }
}

/// Copies the branches of a chain to a container: `append` writes the blocks that come after the tips.
///
/// The content of a folder determines which branch it contains: the main branch in one container may be a fork branch
/// in another. The *tip* of a branch in the container is the last block up to which the branch matches ours. The audit
/// (`ChainCopy+Audit.swift`) finds the tips, repairs earlier blocks, and judges unexpected files. A file with a valid
/// block is never replaced: if the block is not ours, our block begins a fork branch.
struct ChainCopy {
  let source: GoodBlocks
  let place: ContainerPlace
  let instance: UUID
  let dryRun: Bool
  /// The memory of earlier syncs; nil for a mirror, which remembers nothing and does not wait for blocks.
  let memory: CopyMemory?
  let meter: WorkMeter?
  /// The limit for new blocks; lost blocks are always written again.
  var allowance: Allowance?
  /// Whether written bytes count toward the speed limit. They do not if reading is already limited.
  var isPaced = true
  /// Whether to wait for blocks that may still arrive.
  var isPatient = true

  var branches: [BranchCopy] = []
  private(set) var copied = 0
  private(set) var left = 0
  var healed: Int { mended.count }
  /// The positions of lost or damaged blocks that were written again.
  var mended: [BlockPosition] = []
  var movedAside: [BlockPosition] = []
  /// Invalid files past the end of a branch that were moved aside, or would be in a dry run.
  var worthless: [BlockPosition] = []
  /// Invalid files past the end of a branch that cannot be moved.
  var immovable: [BlockPosition] = []
  var problems: [Problem] = []
  private var written: Set<BranchID> = []
  /// Valid blocks that the source lacks and that a reader of their branch does not reach.
  var loose: [BlockPosition] = []
  var immovableReason = ""
  private(set) var seen: [BranchID: BlockRef] = [:]
  private var reach: CopyReach
  private var byID: [BranchID: BranchCopy] = [:]
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

  /// Whether readers can reach more or different blocks after the tip of a branch because of this run.
  var hasOpened: Bool {
    let changed = (movedAside + worthless).reduce(into: written) { $0.insert($1.branch) }
    return branches.contains { $0.hasMore && ($0.hasDiverged || changed.contains($0.id)) }
  }

  /// Files after the ends of branches are audited last, when the container has all our blocks.
  mutating func run() throws {
    seen = try memory?.seen(of: instance) ?? [:]
    let ours = try source.branches(of: instance)
    isForked = ours.count > 1
    let last = ours.map(\.run.last).max()
    try audit(upTo: last)
    for branch in branches { if let tip = branch.tip { try reach.move(branch, from: nil, to: tip) } }
    for branch in ours { try append(branch) }
    try appendBases()
    for branch in branches {
      try auditEnd(of: branch, knownUpTo: last ?? 0)
      reportPromised(in: branch)
    }
    try finishPacking()
  }

  /// Returns the current and the previous tip of each branch, using the container's branch names.
  func reached() -> [(now: BlockRef?, branch: BranchID, before: BlockRef?)] {
    branches.map { branch in
      let before = seen[branch.id]
      let now = branch.tip.map { BlockRef(branch.id, index: $0.index, digest: $0.digest) }
      // A diverged branch no longer contains our blocks, even if part of it may still be arriving.
      return (branch.isAwaited && !branch.hasDiverged ? before : now, branch.id, before)
    }
  }

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
  /// Appends the missing blocks of a branch to the branch in the container that already matches most of it. If the
  /// latter continues with other blocks, begins a fork branch.
  private mutating func append(_ ours: GoodBranch) throws {
    guard let best = try reach.best(to: ours.head) else {
      if ours.run.first == 0 { try append(ours.head, from: 0, to: branch(BranchID(instance))) }
      return
    }
    if best.common == ours.head.index { return }
    var target = best.branch
    if target.tip?.index != best.common {
      guard let first = try source.ancestor(of: ours.head, at: best.common + 1) else { return }
      target = try begin(BranchID(instance, forkedAt: first.digest), with: first.index, of: ours.head)
    }
    try append(ours.head, from: best.common + 1, to: target)
  }

  /// Appends the blocks from an index up to a head. If a file with a block's name already exists, the audit decides
  /// what to do.
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
      // The folder may still be arriving.
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

  /// Returns the branch in the container with this ID, ready to receive blocks starting at an index.
  mutating func begin(_ id: BranchID, with index: UInt32, of head: BlockRef) throws -> BranchCopy {
    let branch = try branch(id)
    if branch.tip == nil { try move(branch, to: before(index, head)) }
    return branch
  }

  func before(_ index: UInt32, _ last: BlockRef) throws -> BlockRef? {
    index == 0 ? nil : try source.ancestor(of: last, at: index - 1)
  }

  mutating func move(_ branch: BranchCopy, to tip: BlockRef?) throws {
    if let tip { try reach.move(branch, from: branch.tip, to: tip) }
    branch.tip = tip
  }

  /// Writes a range of blocks that lead to a head, and records that the container has them.
  /// - Parameter isNew: whether the container never had these blocks. The limit applies only to new blocks.
  /// - Returns: false if the limit has been reached or another file has appeared.
  @discardableResult
  mutating func put(
    _ range: ClosedRange<UInt32>, of head: BlockRef, into branch: BranchCopy, isNew: Bool = false
  ) throws -> Bool {
    let allowance = isNew && !dryRun ? allowance : nil
    var isCut = allowance?.isExhausted ?? false
    var index = range.lowerBound
    if !dryRun, !isCut {
      try memory?.makeDurable()
      let runs = try source.path(to: head, from: index)
      do {
        _ = try container.writeBlocks(of: branch.id, from: index) {
          guard index <= range.upperBound, let run = runs.first(where: { $0.first <= index && index <= $0.last }) else {
            return nil
          }
          let bytes = try source.bytes(run.branch, index)
          if let allowance, !allowance.reserve(Int64(bytes.count)) {
            isCut = true
            return nil
          }
          self.allowance?.delay(bytes.count, isFar: !isPaced || container.isFar)
          index += 1
          meter?.add()
          return bytes
        }
      } catch ContainerError.differs(_, let other, _) {
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
    place.add(branch.id, first: range.lowerBound, last: last)
    return !isCut
  }

  /// Appends the missing bases of fork branches, because new readers of the chain need them to read the fork.
  private mutating func appendBases() throws {
    let siblings = branches.filter { !$0.id.isMainBranch && $0.tip != nil && !$0.isAwaited }
    guard !siblings.isEmpty else { return }
    var there = ContainerRuns()
    var firsts: [BranchID: UInt32] = [:]
    for branch in branches {
      guard let tip = branch.tip else { continue }
      let first = try first(of: branch)
      firsts[branch.id] = first
      try there.add(source.path(to: tip, from: first))
    }
    for branch in siblings {
      guard let tip = branch.tip, let first = firsts[branch.id], first > 0,
        let base = try source.ancestor(of: tip, at: first - 1),
        there.last(of: base.branch, upTo: base.index) != base.index
      else { continue }
      var start: UInt32 = 0
      for run in try source.path(to: base, from: 0).reversed() {
        guard let last = there.last(of: run.branch, upTo: run.last), last >= run.first else { continue }
        start = last + 1
        break
      }
      guard let missing = try source.ancestor(of: base, at: start) else { continue }
      let id = start == 0 ? BranchID(instance) : BranchID(instance, forkedAt: missing.digest)
      guard try mayHeal(self.branch(id), start) else {
        try wait(for: start, in: self.branch(id))
        continue
      }
      try append(base, from: start, to: begin(id, with: start, of: base))
      try there.add(source.path(to: base, from: start))
    }
  }

  /// Finishes packing this instance's chain if that was interrupted, and removes single files that a pack file
  /// replaces.
  private func finishPacking() throws {
    guard isOwn, !dryRun, allowance?.isExhausted != true else { return }
    for branch in branches where !branch.isAwaited && branch.setAside.isEmpty && branch.survey.hasUnfolded {
      try memory?.makeDurable()
      try container.fold(branch.id)
    }
  }
}
