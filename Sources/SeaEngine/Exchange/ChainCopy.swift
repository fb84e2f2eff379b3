import SeaContainer
import SeaCore
import SeaSystem

/// One branch of a chain in a container, during one run.
final class BranchCopy {
  /// The name of the branch in the container.
  let id: BranchID
  /// The rank among the container's branches: of several equal branches, every writer prefers the first.
  let order: Int
  var survey: BranchSurvey
  /// The last block up to which the branch matches the source, under the source's branch name.
  var tip: BlockRef?
  /// Whether part of the branch may still be arriving, so that it does not count as present.
  var isAwaited = false
  /// Whether another block replaced one of ours.
  var hasDiverged = false
  /// The index of the last block that an earlier run saw.
  var seenUpTo: UInt32?
  /// The blocks whose single files were moved aside in this run.
  var setAside: Set<UInt32> = []

  init(_ id: BranchID, order: Int, _ survey: BranchSurvey) { (self.id, self.order, self.survey) = (id, order, survey) }

  /// Whether the container has blocks after the tip.
  var hasMore: Bool { tip.map { tip in survey.last.map { $0 > tip.index } ?? false } ?? false }

  /// Returns whether a file has the name of a block.
  func names(_ index: UInt32) -> Bool {
    guard !setAside.contains(index) else { return false }
    return survey.hasSingle(index) || survey.folded(containing: index) != nil
  }
}

/// Copies the branches of one chain to a container: `append` writes the blocks after the tips, and the audit does the
/// rest.
///
/// Content decides which branch a folder holds: the main branch of one container may be a fork branch in another. The
/// *tip* of a container branch is the last block up to which it matches ours. The audit (`ChainCopy+Audit.swift`) finds
/// the tips, repairs earlier blocks, and judges unexpected files. A file that verifies in its place is never replaced:
/// if it holds another block than ours, our block begins a fork branch.
struct ChainCopy {
  let source: GoodBlocks
  let place: ContainerPlace
  let instance: UUID
  let dryRun: Bool
  /// Nil for a mirror, which remembers nothing and waits for nothing.
  let memory: CopyMemory?
  let meter: WorkMeter?
  /// The limit for new blocks; lost blocks are always written again.
  var allowance: Allowance?
  /// Whether written bytes count toward the speed limit; they do not if a helper already slows the reads.
  var isPaced = true
  /// Whether to wait for blocks that may still arrive.
  var isPatient = true

  var branches: [BranchCopy] = []
  /// Blocks written that the container never had.
  private(set) var copied = 0
  /// Blocks that this run may not write.
  private(set) var left = 0
  /// The number of lost or damaged blocks that were written again.
  var healed: Int { mended.count }
  /// The positions of these blocks.
  var mended: [BlockPosition] = []
  /// The positions at which a file was moved aside.
  var asides: [BlockPosition] = []
  /// Invalid files past the end of a branch that were moved aside, or would be in a dry run.
  var worthless: [BlockPosition] = []
  /// Invalid files past the end of a branch that cannot be moved.
  var immovable: [BlockPosition] = []
  var problems: [Problem] = []
  /// The container branches that this run wrote to.
  private var written: Set<BranchID> = []
  /// Valid blocks that the source lacks and that no reader of a branch reaches.
  var loose: [BlockPosition] = []
  /// Why the last immovable file could not be moved aside.
  var whyHeld = ""
  private(set) var seen: [BranchID: BlockRef] = [:]
  private var reach: CopyReach
  private var byID: [BranchID: BranchCopy] = [:]
  /// Whether the source has several branches of this chain.
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

  /// Whether readers now reach further or different blocks, in a branch that continues after its tip.
  var hasOpened: Bool {
    let changed = (asides + worthless).reduce(into: written) { $0.insert($1.branch) }
    return branches.contains { $0.hasMore && ($0.hasDiverged || changed.contains($0.id)) }
  }

  /// The audit finds the tips and repairs earlier blocks, then `append` continues after the tips. The files after the
  /// ends are audited last, when the container has all our blocks.
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

  /// Returns the current and the previous tip of each branch, under the container's branch names.
  func reached() -> [(now: BlockRef?, branch: BranchID, before: BlockRef?)] {
    branches.map { branch in
      let before = seen[branch.id]
      let now = branch.tip.map { BlockRef(branch.id, index: $0.index, digest: $0.digest) }
      // A diverged branch no longer holds our blocks, even if it is awaited.
      return (branch.isAwaited && !branch.hasDiverged ? before : now, branch.id, before)
    }
  }

  /// Returns the container branch of a name, and adds it if it is new.
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
  /// Appends the missing blocks of one of our branches to the container branch that leads furthest toward its head. If
  /// that branch continues differently, a fork branch begins.
  private mutating func append(_ ours: GoodBranch) throws {
    guard let best = try reach.best(to: ours.head) else {
      // A fork branch cannot be copied if its base could not.
      if ours.run.first == 0 { try append(ours.head, from: 0, to: branch(BranchID(instance))) }
      return
    }
    // The container has the whole branch, and perhaps more.
    if best.common == ours.head.index { return }
    var target = best.branch
    if target.tip?.index != best.common {
      guard let first = try source.ancestor(of: ours.head, at: best.common + 1) else { return }
      target = try begin(BranchID(instance, forkedAt: first.digest), with: first.index, of: ours.head)
    }
    try append(ours.head, from: best.common + 1, to: target)
  }

  /// Appends the blocks from an index to a head. If a file already has the name of one of them, the audit decides where
  /// to continue.
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
      // The folder may still be arriving. New blocks of this instance never wait.
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

  /// Returns a container branch that continues with a block on the way to a head.
  mutating func begin(_ id: BranchID, with index: UInt32, of head: BlockRef) throws -> BranchCopy {
    let branch = try branch(id)
    if branch.tip == nil { try move(branch, to: before(index, head)) }
    return branch
  }

  /// Returns the block before an index on the way to a later block; nil at index 0.
  func before(_ index: UInt32, _ last: BlockRef) throws -> BlockRef? {
    index == 0 ? nil : try source.ancestor(of: last, at: index - 1)
  }

  mutating func move(_ branch: BranchCopy, to tip: BlockRef?) throws {
    if let tip { try reach.move(branch, from: branch.tip, to: tip) }
    branch.tip = tip
  }

  /// Writes blocks on the way to a head, and notes that the container has them.
  /// - Parameter isNew: whether the container never had them; only then does the limit apply.
  /// - Returns: false if the limit is reached, or if another file is there by now.
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
        // A file has arrived in the meantime; the next sync examines it.
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

  /// Appends missing bases of fork branches, back to block 0. Without them, a reader new to the chain cannot read the
  /// fork.
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
      // If not even block 0 is there, the main branch is missing.
      let id = start == 0 ? BranchID(instance) : BranchID(instance, forkedAt: missing.digest)
      guard try mayHeal(self.branch(id), start) else {
        try wait(for: start, in: self.branch(id))
        continue
      }
      try append(base, from: start, to: begin(id, with: start, of: base))
      try there.add(source.way(to: base, from: start))
    }
  }

  /// Finishes the packing of our own chain that an interrupted writer left undone, and removes single files beside
  /// their pack file.
  private func foldRest() throws {
    guard isOwn, !dryRun, allowance?.isSpent != true else { return }
    for branch in branches where !branch.isAwaited && branch.setAside.isEmpty && branch.survey.hasUnfolded {
      try memory?.makeDurable()
      try container.fold(branch.id)
    }
  }
}
