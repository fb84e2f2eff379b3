import SeaContainer
import SeaCore
import SeaStore

/// The memory that an exchange has of one container, and the choice of files to check in this exchange.
final class CopyMemory {
  /// The number of syncs after which a missing block may count as lost.
  static let patientSyncs = Waits.patientSyncs

  private let folder: SeaFolder
  let name: String
  let own: UUID
  let now: Int64
  /// Whether every block is checked.
  let isFull: Bool
  /// Whether this is a sync, and not only a probe before the next one.
  private let counts: Bool
  private let isFar: Bool
  private var blocks: ContainerState.Blocks
  private let before: ContainerState.Blocks
  private var turn: ContentTurn<BlockPosition>
  /// The latest modification time of all files in this run.
  private var stamp: Int64 = 0
  /// The remote files with that modification time.
  private var latest: Set<BlockPosition> = []
  private var waits: Int
  /// The waits for blocks that are missing in this sync, by their first index.
  private var met: Set<BlockPosition> = []
  private var uncounted: [BlockPosition: UInt32] = [:]
  /// The stray files of this run.
  private(set) var strays: [Stray] = []
  private var marks: Set<UInt64> = []
  private var isDurable = false
  /// Stray files with the names of block placeholders.
  private var standIns: [Stray] = []

  private static let mostLatest = 1000
  /// Maximum number of waits at a time, over all branches; further ones begin later.
  private static let mostWaits = 1000

  /// - Parameters:
  ///   - isFar: whether reading a file is expensive.
  ///   - counts: whether this is a sync.
  init(
    _ folder: SeaFolder, _ name: String, isFull: Bool = false, isFar: Bool, counts: Bool = true
  ) throws {
    (self.folder, self.name, self.isFull, self.isFar, self.counts) = (folder, name, isFull, isFar, counts)
    (own, now) = (folder.instance, folder.settings.clock())
    before = try folder.state(of: name).blocks
    blocks = before
    waits = before.waits.values.reduce(0) { $0 + $1.count }
    (blocks.contents, turn) = before.contents.begin(now: now, isFar: isFar)
  }

  /// Records the latest modification time before the first read of a container. The first push checks later files.
  static func begin(_ folder: SeaFolder, _ name: String, _ container: Container, _ branches: [BranchID]) throws {
    let known = try folder.state(of: name)
    guard known.blocks.contents.stamp == 0, known.lastSync == 0 else { return }
    var stamp: Int64 = 0
    for branch in branches {
      let survey = try container.survey(branch)
      stamp = max(stamp, survey.singles.lazy.map(\.changed).max() ?? 0, survey.folded.lazy.map(\.changed).max() ?? 0)
    }
    try folder.remember(of: name) { $0.blocks.contents.stamp = stamp }
  }

  func seen(of instance: UUID) throws -> [BranchID: BlockRef] { try folder.store.peers.seen(of: instance, in: name) }

  /// Returns whether this sync reads the content of a file. It reads new, changed and awaited files, and a part of the
  /// others in turn; a full check reads all.
  func isDue(_ branch: BranchID, _ index: UInt32, size: Int64, changed: Int64, isFirst: Bool) -> Bool {
    let place = BlockPosition(branch: branch, index: index)
    // A file found wrong stays due until it is right; a pack file counts by its first block.
    let wasMissed = wasMissed(branch, index) || wasMissed(branch, Layout.Leaf(containing: index).first)
    let isNew = isNew(place, changed) || isFirst || wasMissed
    guard isFull else { return turn.isDue(place, size: size, isNew: isNew) }
    turn.note(size: size)
    return true
  }

  /// Returns whether a file has changed since the last check. A file checked right after a change may have changed
  /// again. Remote files wait for their turn.
  private func isNew(_ place: BlockPosition, _ changed: Int64) -> Bool {
    if changed > stamp { (stamp, latest) = (changed, []) }
    if changed == stamp, isFar, latest.count < CopyMemory.mostLatest { latest.insert(place) }
    // Before the first check, all local files with a modification time are new; others wait for their turn.
    guard before.contents.stamp > 0 else { return changed > 0 && !isFar }
    guard changed >= before.contents.stamp else { return false }
    return changed > before.contents.stamp || !isFar || !before.latest.contains(place)
  }

  /// Returns whether a problem at an index has lasted long enough, including this sync. Problems that begin in one sync
  /// end in one sync.
  func hasWaited(_ branch: BranchID, _ index: UInt32) -> Bool { meet(branch, index).map(isOver) ?? false }

  private func meet(_ branch: BranchID, _ index: UInt32) -> ContainerState.BlockWait? {
    let count = blocks.waits[branch]?.count ?? 0
    let wait = meet(branch, index, hasRoom: waits < CopyMemory.mostWaits)
    waits += (blocks.waits[branch]?.count ?? 0) - count
    return wait
  }

  /// Notes that a block is missing in this sync. A probe does not count as a sync.
  /// - Returns: the wait for the block; nil if there is no room for more.
  private func meet(_ branch: BranchID, _ index: UInt32, hasRoom: Bool) -> ContainerState.BlockWait? {
    let before = blocks.waits[branch]?.place(of: index)
    if let before, var wait = blocks.waits[branch]?[before] {
      let wasMet = isMet(branch, wait)
      let isNext = wasMet && wait.syncs <= 1 && wait.range.upperBound < index && index - wait.range.upperBound == 1
      if wait.range.contains(index) || isNext {
        if !wasMet, counts { wait.syncs += 1 }
        wait.range = wait.range.lowerBound...max(wait.range.upperBound, index)
        blocks.waits[branch]?[before] = wait
        met.insert(BlockPosition(branch: branch, index: wait.range.lowerBound))
        return wait
      }
    }
    guard hasRoom else { return nil }
    let wait = ContainerState.BlockWait(range: index...index, since: now, syncs: counts ? 1 : 0)
    blocks.waits[branch, default: []].insert(wait, at: before.map { $0 + 1 } ?? 0)
    met.insert(BlockPosition(branch: branch, index: index))
    return wait
  }

  private func isMet(_ branch: BranchID, _ wait: ContainerState.BlockWait) -> Bool {
    met.contains(BlockPosition(branch: branch, index: wait.range.lowerBound))
  }

  /// Returns whether the previous sync missed a block.
  private func wasMissed(_ branch: BranchID, _ index: UInt32) -> Bool {
    guard let waits = before.waits[branch], let at = waits.place(of: index) else { return false }
    return waits[at].range.contains(index)
  }

  /// Waits for placeholders beyond the maximum by their number: those that exceed the previous number are new.
  private func meetUncounted(_ branch: BranchID, _ index: UInt32) -> ContainerState.BlockWait? {
    let place = BlockPosition(branch: branch, index: index)
    // No chain has the nil UUID, and assets use its index 0.
    let number = uncounted[place] ?? UInt32(2 + uncounted.count)
    uncounted[place] = number
    let all = BranchID(UUID(high: 0, low: 0))
    return meet(all, number, hasRoom: (blocks.waits[all]?.count ?? 0) < CopyMemory.mostWaits)
  }

  private func isOver(_ wait: ContainerState.BlockWait) -> Bool {
    wait.syncs > CopyMemory.patientSyncs && now - wait.since >= (try? folder.settings.patience()) ?? .max
  }

  /// A placeholder that is not replaced for this long promises nothing: thirty days.
  static let longest: Int64 = 30 * 86_400_000

  /// Returns the worst problem of the placeholders for missing blocks, including this sync.
  func problem(promised branch: BranchID, _ indices: [UInt32]) -> Problem? {
    let all = indices.map { problem(promised: branch, $0) }
    return all.first { $0.isDamage } ?? all.first { $0.code == .incomplete } ?? all.first
  }

  /// The same for one placeholder; nil means the whole branch. It is first incomplete, then a gap, and a foreign file
  /// after thirty days. In our own branch, it becomes a foreign file without being a gap.
  func problem(promised branch: BranchID, _ index: UInt32?) -> Problem {
    var problem = Problem(promised: branch, index, place: name)
    guard let wait = meet(branch, index ?? 0) ?? meetUncounted(branch, index ?? 0), isOver(wait) else { return problem }
    problem.code = .gap
    guard branch.instance == own || now - wait.since >= CopyMemory.longest else { return problem }
    let path = index.map { "/" + Layout.path(of: $0) } ?? ""
    return Problem(.foreignFile, place: name, detail: "\(Layout.transactions)/\(branch)\(path): \(Problem.placeholder)")
  }

  /// Returns whether a placeholder for all assets is so old that they will not arrive.
  func isOverForAssets() -> Bool {
    // No chain has the nil UUID.
    guard let wait = meet(BranchID(UUID(high: 0, low: 0)), 0), isOver(wait) else { return false }
    return now - wait.since >= CopyMemory.longest
  }

  /// Must precede any write to the container. Otherwise, after a power loss, this instance could write the same index
  /// again with different content.
  func makeDurable() throws {
    if !isDurable { try folder.store.disk.makeDurable() }
    isDurable = true
  }

  func note(_ strays: [Stray]) { self.strays += strays.filter { marks.insert($0.mark).inserted } }

  func note(_ survey: BranchSurvey, of branch: BranchID) {
    note(survey.strays)
    standIns += survey.standIns
    // Readers use the pack file; if it is wrong, a single file beside it may be right.
    for single in survey.singles where survey.folded(containing: single.index) != nil {
      let path = "\(Layout.transactions)/\(branch)/\(Layout.path(of: single.index))"
      note([Stray(path: path, size: single.size, modified: single.changed)])
    }
  }

  /// Treats files that have had placeholder names for long enough as ordinary strays.
  func lookAtStandIns() throws {
    var waits = try Waits(folder, for: name, .stray)
    for one in standIns where one.size >= Int64(BlockHeader.size) {
      if try before.strays.contains(one.mark) || waits.hasPassed(String(one.mark)) { note([one]) }
    }
    try waits.finish()
  }

  /// The stray files that may hold new blocks.
  var newStrays: [Stray] { strays.filter { !blocks.strays.contains($0.mark) } }

  /// Records for the next sync which stray files hold nothing new.
  func finish(_ isDone: (Stray) -> Bool) {
    blocks.strays = Set(strays.filter { before.strays.contains($0.mark) || isDone($0) }.map(\.mark))
  }

  /// Ends the waits of a branch up to an index, except for blocks that are still missing.
  func isWhole(_ branch: BranchID, upTo index: UInt32) {
    blocks.waits[branch]?.removeAll { !isMet(branch, $0) && $0.range.upperBound <= index }
  }

  /// Returns whether a pack file was found right and still has the same size.
  func isRight(_ branch: BranchID, _ file: BranchSurvey.Folded) -> Bool {
    blocks.packs[branch]?[file.first] == file.size
  }

  func noteRight(_ branch: BranchID, _ file: BranchSurvey.Folded) {
    blocks.packs[branch, default: [:]][file.first] = file.size
  }

  func forget(_ branch: BranchID, leaf first: UInt32) { blocks.packs[branch]?[first] = nil }

  /// Saves only the stray files and the waits, for a run that audits no branches.
  func keepStrays() throws {
    try folder.remember(of: name) { ($0.blocks.strays, $0.blocks.waits) = (blocks.strays, blocks.waits) }
  }

  /// Saves the memory after an audit of all branches of the container.
  func finish() throws {
    blocks.contents.stamp = max(stamp, before.contents.stamp)
    if stamp >= before.contents.stamp { blocks.latest = latest }
    (blocks.contents.total, blocks.contents.cursor) = (turn.total, turn.next)
    // Drop the waits of branches that miss nothing.
    blocks.waits = blocks.waits.filter { branch, waits in waits.contains { isMet(branch, $0) } }
    try folder.remember(of: name) { $0.blocks = blocks }
  }
}

extension [ContainerState.BlockWait] {
  /// Returns the position of the last wait that begins at or before an index.
  fileprivate func place(of index: UInt32) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].range.lowerBound <= index { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}
