import SeaContainer
import SeaCore
import SeaStore

/// What an exchange with one container remembers of it, and how much of it is looked at in this one.
final class CopyMemory {
  /// Who waits: for so many syncs, and so long.
  static let patientSyncs = Waits.patientSyncs

  private let folder: SeaFolder
  /// The container's name.
  let name: String
  let own: UUID
  let now: Int64
  /// Whether every block is looked at.
  let isFull: Bool
  /// Whether this is a sync, and not only a look before the next one.
  private let counts: Bool
  private let isFar: Bool
  private var blocks: ContainerState.Blocks
  private let before: ContainerState.Blocks
  private var turn: ContentTurn<BlockPosition>
  /// The latest change of any file that was met.
  private var stamp: Int64 = 0
  /// Which files were changed then.
  private var latest: Set<BlockPosition> = []
  private var waits: Int
  /// The waits for blocks of which any lacks in this sync, by their first one.
  private var met: Set<BlockPosition> = []
  private var uncounted: [BlockPosition: UInt32] = [:]
  /// Files without a place, as far as they were met.
  private(set) var strays: [Stray] = []
  private var marks: Set<UInt64> = []
  private var isDurable = false
  /// Those that have the names of placeholders of blocks.
  private var standIns: [Stray] = []

  private static let mostLatest = 1000
  /// So much is waited for at a time, of all branches; the rest has its turn then.
  private static let mostWaits = 1000

  /// - Parameters:
  ///   - isFar: whether reading a file is dear.
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

  /// Before a container is read for the first time: what is changed in it from then on is looked at by the first push.
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

  /// Whether the content of a file is to be looked at in this sync: all of them, those that have changed since the last one or were
  /// never looked at, those of a branch that is waited for, and a part of the others, in their order.
  func isDue(_ branch: BranchID, _ index: UInt32, size: Int64, changed: Int64, isFirst: Bool) -> Bool {
    let place = BlockPosition(branch: branch, index: index)
    // What was found wrong in its turn stays known until it is right; a folded file by its first block.
    let wasMissed = wasMissed(branch, index) || wasMissed(branch, Layout.Leaf(containing: index).first)
    let isNew = isNew(place, changed) || isFirst || wasMissed
    guard isFull else { return turn.isDue(place, size: size, isNew: isNew) }
    turn.note(size: size)
    return true
  }

  /// Whether a file has changed since it was looked at last. What was looked at when it had just changed may have changed once more
  /// since: elsewhere that waits for its turn.
  private func isNew(_ place: BlockPosition, _ changed: Int64) -> Bool {
    if changed > stamp { (stamp, latest) = (changed, []) }
    if changed == stamp, isFar, latest.count < CopyMemory.mostLatest { latest.insert(place) }
    // Of a place where nothing was met yet nothing is known; one that gives no times, or is elsewhere, has all in its turn.
    guard before.contents.stamp > 0 else { return changed > 0 && !isFar }
    guard changed >= before.contents.stamp else { return false }
    return changed > before.contents.stamp || !isFar || !before.latest.contains(place)
  }

  /// Whether what is wrong at an index of a branch has been so for long enough, counting this sync. What began in one sync is over in
  /// one sync.
  func hasWaited(_ branch: BranchID, _ index: UInt32) -> Bool { meet(branch, index).map(isOver) ?? false }

  private func meet(_ branch: BranchID, _ index: UInt32) -> ContainerState.BlockWait? {
    let count = blocks.waits[branch]?.count ?? 0
    let wait = meet(branch, index, hasRoom: waits < CopyMemory.mostWaits)
    waits += (blocks.waits[branch]?.count ?? 0) - count
    return wait
  }

  /// Notes that a block lacks in this sync, or, if it does not count, before the next one.
  /// - Returns: the wait that it belongs to; nil if there is no room for more.
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

  /// Whether the sync before this one missed an index of a branch.
  private func wasMissed(_ branch: BranchID, _ index: UInt32) -> Bool {
    guard let waits = before.waits[branch], let at = waits.place(of: index) else { return false }
    return waits[at].range.contains(index)
  }

  /// Placeholders for which there is no room any more are waited for by their number: what is more than there were is new.
  private func meetUncounted(_ branch: BranchID, _ index: UInt32) -> ContainerState.BlockWait? {
    let place = BlockPosition(branch: branch, index: index)
    // No chain has that name, and assets have the first index of it.
    let number = uncounted[place] ?? UInt32(2 + uncounted.count)
    uncounted[place] = number
    let all = BranchID(UUID(high: 0, low: 0))
    return meet(all, number, hasRoom: (blocks.waits[all]?.count ?? 0) < CopyMemory.mostWaits)
  }

  private func isOver(_ wait: ContainerState.BlockWait) -> Bool {
    wait.syncs > CopyMemory.patientSyncs && now - wait.since >= (try? folder.settings.patience()) ?? .max
  }

  /// Nobody knows of anything behind a placeholder but the placeholder, and so long it was not replaced: thirty days.
  static let longest: Int64 = 30 * 86_400_000

  /// What is to be said of placeholders that stand for blocks which are not here, counting this sync; of several the worst.
  func problem(promised branch: BranchID, _ indices: [UInt32]) -> Problem? {
    let all = indices.map { problem(promised: branch, $0) }
    return all.first { $0.isDamage } ?? all.first { $0.code == .incomplete } ?? all.first
  }

  /// The same of one, nil being the whole branch. It is still arriving, then lost, and after thirty days somebody's file like others; in
  /// the place of what this instance would have written it is that at once.
  func problem(promised branch: BranchID, _ index: UInt32?) -> Problem {
    var problem = Problem(promised: branch, index, place: name)
    guard let wait = meet(branch, index ?? 0) ?? meetUncounted(branch, index ?? 0), isOver(wait) else { return problem }
    problem.code = .gap
    guard branch.instance == own || now - wait.since >= CopyMemory.longest else { return problem }
    let path = index.map { "/" + Layout.path(of: $0) } ?? ""
    return Problem(.foreignFile, place: name, detail: "\(Layout.transactions)/\(branch)\(path): \(Problem.placeholder)")
  }

  /// Whether a placeholder for all assets has stood there for so long that nothing is to come.
  func isOverForAssets() -> Bool {
    // No chain has that name.
    guard let wait = meet(BranchID(UUID(high: 0, low: 0)), 0), isOver(wait) else { return false }
    return now - wait.since >= CopyMemory.longest
  }

  /// Comes before anything is written there: a block that a loss of power could still take from us would be written a second time, and
  /// otherwise.
  func makeDurable() throws {
    if !isDurable { try folder.store.disk.makeDurable() }
    isDurable = true
  }

  func note(_ strays: [Stray]) { self.strays += strays.filter { marks.insert($0.mark).inserted } }

  func note(_ survey: BranchSurvey, of branch: BranchID) {
    note(survey.strays)
    standIns += survey.standIns
    // A reader takes the folded file; where that one is wrong, a block in a file of its own may be right.
    for single in survey.singles where survey.folded(containing: single.index) != nil {
      let path = "\(Layout.transactions)/\(branch)/\(Layout.path(of: single.index))"
      note([Stray(path: path, size: single.size, modified: single.changed)])
    }
  }

  /// Takes what has had the name of a placeholder for long enough for a file like others.
  func lookAtStandIns() throws {
    var waits = try Waits(folder, for: name, .stray)
    for one in standIns where one.size >= Int64(BlockHeader.size) {
      if try before.strays.contains(one.mark) || waits.hasPassed(String(one.mark)) { note([one]) }
    }
    try waits.finish()
  }

  /// Those that are not known to hold nothing new.
  var newStrays: [Stray] { strays.filter { !blocks.strays.contains($0.mark) } }

  /// Keeps for the next sync which of them hold nothing that could be had.
  func finish(_ isDone: (Stray) -> Bool) {
    blocks.strays = Set(strays.filter { before.strays.contains($0.mark) || isDone($0) }.map(\.mark))
  }

  /// All of the branch was gone through, up to an index: nothing but what lacks now is waited for.
  func isWhole(_ branch: BranchID, upTo index: UInt32) {
    blocks.waits[branch]?.removeAll { !isMet(branch, $0) && $0.range.upperBound <= index }
  }

  /// Whether a folded file was found right, and has had that size since.
  func isRight(_ branch: BranchID, _ file: BranchSurvey.Folded) -> Bool {
    blocks.packs[branch]?[file.first] == file.size
  }

  func noteRight(_ branch: BranchID, _ file: BranchSurvey.Folded) {
    blocks.packs[branch, default: [:]][file.first] = file.size
  }

  func forget(_ branch: BranchID, leaf first: UInt32) { blocks.packs[branch]?[first] = nil }

  /// Only the files without a place were gone through, and what placeholders stand for.
  func keepStrays() throws {
    try folder.remember(of: name) { ($0.blocks.strays, $0.blocks.waits) = (blocks.strays, blocks.waits) }
  }

  /// All branches of the container were gone through: what is remembered of them is right from now on.
  func finish() throws {
    blocks.contents.stamp = max(stamp, before.contents.stamp)
    if stamp >= before.contents.stamp { blocks.latest = latest }
    (blocks.contents.total, blocks.contents.cursor) = (turn.total, turn.next)
    // Where nothing lacks nothing is waited for.
    blocks.waits = blocks.waits.filter { branch, waits in waits.contains { isMet(branch, $0) } }
    try folder.remember(of: name) { $0.blocks = blocks }
  }
}

extension [ContainerState.BlockWait] {
  /// The last one that begins no later than an index.
  fileprivate func place(of index: UInt32) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].range.lowerBound <= index { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}
