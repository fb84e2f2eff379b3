import SeaContainer
import SeaCore
import SeaStore

/// Remembers the state of a container between syncs, and decides which files the current sync checks.
final class CopyMemory {
  /// The number of syncs after which a missing block may count as lost.
  static let patientSyncs = Waits.patientSyncs

  private let folder: SeaFolder
  let name: String
  let own: UUID
  let now: Int64
  let isFull: Bool
  /// Whether this run counts as a sync. A probe does not.
  private let counts: Bool
  private let isFar: Bool
  private var blocks: ContainerState.Blocks
  private let before: ContainerState.Blocks
  private var turn: ContentTurn<BlockPosition>
  private var stamp: Int64 = 0
  private var latest: Set<BlockPosition> = []
  private var waits: Int
  private var missingNow: Set<BlockPosition> = []
  private var uncounted: [BlockPosition: UInt32] = [:]
  private(set) var strays: [UnknownFile] = []
  private var marks: Set<UInt64> = []
  private var placeholderLikeFiles: [UnknownFile] = []

  private static let mostLatest = 1000
  /// The maximum number of simultaneous waits in all branches. Any further waits begin later.
  private static let mostWaits = 1000

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

  /// Records the latest modification time before anything is read, so that the first push checks files that change
  /// later.
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

  /// Returns whether this sync reads the content of a file: the file is new, changed or awaited, or it is the file's
  /// turn.
  func isDue(_ branch: BranchID, _ index: UInt32, size: Int64, changed: Int64, isFirst: Bool) -> Bool {
    let place = BlockPosition(branch: branch, index: index)
    // A wrong file is due until it has been repaired. A pack file is identified by its first block.
    let wasMissed = wasMissed(branch, index) || wasMissed(branch, Layout.Leaf(containing: index).first)
    let isNew = isNew(place, changed) || isFirst || wasMissed
    guard isFull else { return turn.isDue(place, size: size, isNew: isNew) }
    turn.add(size: size)
    return true
  }

  /// Returns whether a file has changed since the last check. A file whose time is the time of the last check may have
  /// changed again, so it also counts, unless it is remote and has been checked.
  private func isNew(_ place: BlockPosition, _ changed: Int64) -> Bool {
    if changed > stamp { (stamp, latest) = (changed, []) }
    if changed == stamp, isFar, latest.count < CopyMemory.mostLatest { latest.insert(place) }
    // Before the first check, all local files that have a modification time are new. Remote files wait for their turn.
    guard before.contents.stamp > 0 else { return changed > 0 && !isFar }
    guard changed >= before.contents.stamp else { return false }
    return changed > before.contents.stamp || !isFar || !before.latest.contains(place)
  }

  /// Returns whether a block has been missing long enough to be replaced, counting this sync.
  func hasWaited(_ branch: BranchID, _ index: UInt32) -> Bool { recordMissing(branch, index).map(isOver) ?? false }

  private func recordMissing(_ branch: BranchID, _ index: UInt32) -> ContainerState.BlockWait? {
    let count = blocks.waits[branch]?.count ?? 0
    let wait = recordMissing(branch, index, hasRoom: waits < CopyMemory.mostWaits)
    waits += (blocks.waits[branch]?.count ?? 0) - count
    return wait
  }

  /// Records that a block is missing in this sync.
  /// - Returns: the wait for the block; nil if there are too many waits.
  private func recordMissing(_ branch: BranchID, _ index: UInt32, hasRoom: Bool) -> ContainerState.BlockWait? {
    let before = blocks.waits[branch]?.lastIndex(startingBy: index)
    if let before, var wait = blocks.waits[branch]?[before] {
      let wasMet = isMissingNow(branch, wait)
      let isNext = wasMet && wait.syncs <= 1 && wait.range.upperBound < index && index - wait.range.upperBound == 1
      if wait.range.contains(index) || isNext {
        if !wasMet, counts { wait.syncs += 1 }
        wait.range = wait.range.lowerBound...max(wait.range.upperBound, index)
        blocks.waits[branch]?[before] = wait
        missingNow.insert(BlockPosition(branch: branch, index: wait.range.lowerBound))
        return wait
      }
    }
    guard hasRoom else { return nil }
    let wait = ContainerState.BlockWait(range: index...index, since: now, syncs: counts ? 1 : 0)
    blocks.waits[branch, default: []].insert(wait, at: before.map { $0 + 1 } ?? 0)
    missingNow.insert(BlockPosition(branch: branch, index: index))
    return wait
  }

  private func isMissingNow(_ branch: BranchID, _ wait: ContainerState.BlockWait) -> Bool {
    missingNow.contains(BlockPosition(branch: branch, index: wait.range.lowerBound))
  }

  private func wasMissed(_ branch: BranchID, _ index: UInt32) -> Bool {
    guard let waits = before.waits[branch], let at = waits.lastIndex(startingBy: index) else { return false }
    return waits[at].range.contains(index)
  }

  /// Returns the wait for a placeholder that exceeds the maximum number of waits. Such placeholders are only counted,
  /// so a new wait begins whenever there are more of them than before.
  private func waitBeyondLimit(_ branch: BranchID, _ index: UInt32) -> ContainerState.BlockWait? {
    let place = BlockPosition(branch: branch, index: index)
    // No chain has the nil UUID, so it stands for these placeholders. Index 0 is reserved for assets.
    let number = uncounted[place] ?? UInt32(2 + uncounted.count)
    uncounted[place] = number
    let all = BranchID(UUID(high: 0, low: 0))
    return recordMissing(all, number, hasRoom: (blocks.waits[all]?.count ?? 0) < CopyMemory.mostWaits)
  }

  private func isOver(_ wait: ContainerState.BlockWait) -> Bool {
    wait.syncs > CopyMemory.patientSyncs && now - wait.since >= (try? folder.settings.patience()) ?? .max
  }

  /// Thirty days in milliseconds. After this time, a placeholder is no longer expected to become a file.
  static let longest: Int64 = 30 * 86_400_000

  func problem(promised branch: BranchID, _ indices: [UInt32]) -> Problem? {
    let all = indices.map { problem(promised: branch, $0) }
    return all.first { $0.isDamage } ?? all.first { $0.code == .incomplete } ?? all.first
  }

  /// Returns the problem to report for a placeholder. If `index` is nil, the placeholder stands for the whole branch.
  ///
  /// A placeholder counts as incomplete at first, later as a gap, and after thirty days as a foreign file. In this
  /// instance's own branches, it never counts as a gap.
  func problem(promised branch: BranchID, _ index: UInt32?) -> Problem {
    var problem = Problem(placeholder: branch, index, place: name)
    guard let wait = recordMissing(branch, index ?? 0) ?? waitBeyondLimit(branch, index ?? 0), isOver(wait) else {
      return problem
    }
    problem.code = .gap
    guard branch.instance == own || now - wait.since >= CopyMemory.longest else { return problem }
    let path = index.map { "/" + Layout.path(of: $0) } ?? ""
    return Problem(.foreignFile, place: name, detail: "\(Layout.transactions)/\(branch)\(path): \(Problem.placeholder)")
  }

  /// Returns whether a placeholder for all assets is so old that the assets are no longer expected.
  func isOverForAssets() -> Bool {
    // No chain has the nil UUID, so it stands for the assets.
    guard let wait = recordMissing(BranchID(UUID(high: 0, low: 0)), 0), isOver(wait) else { return false }
    return now - wait.since >= CopyMemory.longest
  }

  /// Makes the local database durable before anything is written to the container. Otherwise, this instance might reuse
  /// an index for a different block after a power failure.
  func makeDurable() throws { try folder.store.disk.makeDurable() }

  func addStrays(_ strays: [UnknownFile]) { self.strays += strays.filter { marks.insert($0.mark).inserted } }

  func addSurvey(_ survey: BranchSurvey, of branch: BranchID) {
    addStrays(survey.strays)
    placeholderLikeFiles += survey.placeholderFiles
    // Readers use the pack file. Even if it is wrong, there may be a single file that is right.
    for single in survey.singles where survey.folded(containing: single.index) != nil {
      let path = "\(Layout.transactions)/\(branch)/\(Layout.path(of: single.index))"
      addStrays([UnknownFile(path: path, size: single.size, modified: single.changed)])
    }
  }

  /// Once files have had placeholder names for long enough, treats them as ordinary stray files.
  func checkPlaceholderLikeFiles() throws {
    var waits = try Waits(folder, for: name, .stray)
    for one in placeholderLikeFiles where one.size >= Int64(BlockHeader.size) {
      if try before.strays.contains(one.mark) || waits.hasPassed(String(one.mark)) { addStrays([one]) }
    }
    try waits.finish()
  }

  var newStrays: [UnknownFile] { strays.filter { !blocks.strays.contains($0.mark) } }

  /// Records which stray files contain nothing new, for the next sync.
  func finish(_ isDone: (UnknownFile) -> Bool) {
    blocks.strays = Set(strays.filter { before.strays.contains($0.mark) || isDone($0) }.map(\.mark))
  }

  /// Ends the waits for blocks of a branch up to an index, except for blocks that this sync found missing.
  func endWaits(_ branch: BranchID, upTo index: UInt32) {
    blocks.waits[branch]?.removeAll { !isMissingNow(branch, $0) && $0.range.upperBound <= index }
  }

  /// Returns whether a pack file was found to be valid before and still has the same size.
  func isRight(_ branch: BranchID, _ file: BranchSurvey.Pack) -> Bool {
    blocks.packs[branch]?[file.first] == file.size
  }

  func recordRight(_ branch: BranchID, _ file: BranchSurvey.Pack) {
    blocks.packs[branch, default: [:]][file.first] = file.size
  }

  func forget(_ branch: BranchID, leaf first: UInt32) { blocks.packs[branch]?[first] = nil }

  /// Saves only the stray files and the waits. Used by runs that do not audit any branches.
  func keepStrays() throws {
    try folder.remember(of: name) { ($0.blocks.strays, $0.blocks.waits) = (blocks.strays, blocks.waits) }
  }

  func finish() throws {
    blocks.contents.stamp = max(stamp, before.contents.stamp)
    if stamp >= before.contents.stamp { blocks.latest = latest }
    (blocks.contents.total, blocks.contents.cursor) = (turn.total, turn.next)
    blocks.waits = blocks.waits.filter { branch, waits in waits.contains { isMissingNow(branch, $0) } }
    try folder.remember(of: name) { $0.blocks = blocks }
  }
}

extension [ContainerState.BlockWait] {
  fileprivate func lastIndex(startingBy index: UInt32) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].range.lowerBound <= index { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}
