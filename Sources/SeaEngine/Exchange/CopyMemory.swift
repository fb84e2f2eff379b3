import SeaContainer
import SeaCore
import SeaStore

/// What an exchange with one container remembers of it, and how much of it is looked at in this one.
final class CopyMemory {
  /// Who waits: for so many syncs, and so long.
  static let patientSyncs = UInt32(Waits.patientSyncs)

  let store: Store
  /// The container's name.
  let name: String
  let own: UUID
  let now: Int64
  /// Milliseconds until what is missing counts as lost.
  let patience: () throws -> Int64
  /// Whether every block is looked at.
  let isFull: Bool
  /// Whether this is a sync, and not only a look before the next one.
  private let counts: Bool
  private let isFar: Bool
  private(set) var notes: ContainerNotes
  private let before: ContainerNotes
  private var turn: ContentTurn<ContainerNotes.Place>
  /// The latest change of any file that was met.
  private var stamp: Int64 = 0
  /// Which files were changed then.
  private var latest: Set<ContainerNotes.Place> = []
  private var waits = 0
  private var uncounted: [ContainerNotes.Place: UInt32] = [:]
  /// Files without a place, as far as they were met.
  private(set) var strays: [Stray] = []
  private var marks: Set<UInt64> = []
  /// Those that have the names of placeholders of blocks.
  private var standIns: [Stray] = []

  private static let mostLatest = 1000

  /// - Parameters:
  ///   - isFar: whether reading a file is dear.
  ///   - counts: whether this is a sync.
  init(
    _ store: Store, _ name: String, own: UUID, now: Int64, patience: @escaping () throws -> Int64, isFull: Bool,
    isFar: Bool, counts: Bool = true
  ) throws {
    self.store = store
    self.name = name
    self.own = own
    self.now = now
    self.patience = patience
    self.isFull = isFull
    self.isFar = isFar
    self.counts = counts
    before = try ContainerNotes(store.metaBlob(ContainerNotes.key(name)) ?? []) ?? ContainerNotes()
    notes = before
    waits = before.waitCount
    let hasPaused = isFar && ContentTurns.isTooSoon(now, after: before.turned)
    if !hasPaused { notes.turned = isFar ? now : 0 }
    turn = ContentTurn(behind: before.cursor, total: before.total, hasPaused: hasPaused)
  }

  /// Before a container is read for the first time: what is changed in it from then on is looked at by the first push.
  static func begin(_ store: Store, _ name: String, _ container: Container, _ branches: [BranchID]) throws {
    var notes = try ContainerNotes(store.metaBlob(ContainerNotes.key(name)) ?? []) ?? ContainerNotes()
    guard notes.stamp == 0, try store.peers.container(name)?.last ?? 0 == 0 else { return }
    for branch in branches {
      let survey = try container.survey(branch)
      notes.stamp = max(notes.stamp, survey.singles.lazy.map(\.changed).max() ?? 0)
      notes.stamp = max(notes.stamp, survey.folded.lazy.map(\.changed).max() ?? 0)
    }
    guard notes.stamp > 0 else { return }
    try store.write { try store.setMeta(ContainerNotes.key(name), .blob(notes.bytes)) }
  }

  func seen(of instance: UUID) throws -> [BranchID: BlockRef] { try store.peers.seen(of: instance, in: name) }

  /// Whether the content of a file is to be looked at in this sync: all of them, those that have changed since the last one or were
  /// never looked at, those of a branch that is waited for, and a part of the others, in their order.
  func isDue(_ branch: BranchID, _ index: UInt32, size: Int64, changed: Int64, isFirst: Bool) -> Bool {
    let place = ContainerNotes.Place(branch: branch, index: index)
    // What was found wrong in its turn stays known until it is right; a folded file by its first block.
    let isAwaited =
      before.wait(branch, index) != nil || before.wait(branch, Layout.Leaf(containing: index).first) != nil
    let isNew = isNew(place, changed) || isFirst || isAwaited
    guard isFull else { return turn.isDue(place, size: size, isNew: isNew) }
    turn.note(size: size)
    return true
  }

  /// Whether a file has changed since it was looked at last. What was looked at when it had just changed may have changed once more
  /// since: elsewhere that waits for its turn.
  private func isNew(_ place: ContainerNotes.Place, _ changed: Int64) -> Bool {
    if changed > stamp { (stamp, latest) = (changed, []) }
    if changed == stamp, isFar, latest.count < CopyMemory.mostLatest { latest.insert(place) }
    // Of a place where nothing was met yet nothing is known; one that gives no times, or is elsewhere, has all in its turn.
    guard before.stamp > 0 else { return changed > 0 && !isFar }
    guard changed >= before.stamp else { return false }
    return changed > before.stamp || !isFar || !before.latest.contains(place)
  }

  /// Whether what is wrong at an index of a branch has been so for long enough, counting this sync. What began in one sync is over in
  /// one sync.
  func hasWaited(_ branch: BranchID, _ index: UInt32) -> Bool { meet(branch, index).map(isOver) ?? false }

  private func meet(_ branch: BranchID, _ index: UInt32) -> ContainerNotes.Wait? {
    let count = notes.waits[branch]?.count ?? 0
    let wait = notes.meet(branch, index, now: now, counts: counts, hasRoom: waits < ContainerNotes.mostWaits)
    waits += (notes.waits[branch]?.count ?? 0) - count
    return wait
  }

  /// Placeholders for which there is no room any more are waited for by their number: what is more than there were is new.
  private func meetUncounted(_ branch: BranchID, _ index: UInt32) -> ContainerNotes.Wait? {
    let place = ContainerNotes.Place(branch: branch, index: index)
    // No chain has that name, and assets have the first index of it.
    let number = uncounted[place] ?? UInt32(2 + uncounted.count)
    uncounted[place] = number
    let all = BranchID(UUID(high: 0, low: 0))
    let hasRoom = (notes.waits[all]?.count ?? 0) < ContainerNotes.mostWaits
    return notes.meet(all, number, now: now, counts: counts, hasRoom: hasRoom)
  }

  private func isOver(_ wait: ContainerNotes.Wait) -> Bool {
    wait.syncs > CopyMemory.patientSyncs && now - wait.since >= (try? patience()) ?? .max
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
  func lookAtStandIns(_ folder: SeaFolder) throws {
    var waits = try Waits(folder, for: name, .stray)
    for one in standIns where one.size >= Int64(BlockHeader.size) {
      if try before.strays.contains(one.mark) || waits.hasPassed(String(one.mark)) { note([one]) }
    }
    try waits.finish()
  }

  /// Those that are not known to hold nothing new.
  var newStrays: [Stray] { strays.filter { !notes.strays.contains($0.mark) } }

  /// Keeps for the next sync which of them hold nothing that could be had.
  func finish(_ isDone: (Stray) -> Bool) {
    notes.strays = Set(strays.filter { before.strays.contains($0.mark) || isDone($0) }.map(\.mark))
  }

  /// All of the branch was gone through, up to an index: nothing but what lacks now is waited for.
  func isWhole(_ branch: BranchID, upTo index: UInt32) {
    notes.waits[branch]?.removeAll { !$0.isMet && $0.range.upperBound <= index }
  }

  /// Whether a folded file was found right, and has had that size since.
  func isRight(_ branch: BranchID, _ file: BranchSurvey.Folded) -> Bool {
    notes.leaves[branch]?[file.first] == file.size
  }

  func noteRight(_ branch: BranchID, _ file: BranchSurvey.Folded) {
    notes.leaves[branch, default: [:]][file.first] = file.size
  }

  func forget(_ branch: BranchID, leaf first: UInt32) { notes.leaves[branch]?[first] = nil }

  /// Only the files without a place were gone through, and what placeholders stand for.
  func keepStrays() throws {
    var kept = before
    kept.strays = notes.strays
    kept.waits = notes.waits.mapValues { $0.map(\.unmet) }
    guard kept != before else { return }
    try store.write { try store.setMeta(ContainerNotes.key(name), .blob(kept.bytes)) }
  }

  /// All branches of the container were gone through: what is remembered of them is right from now on.
  func finish() throws {
    notes.stamp = max(stamp, before.stamp)
    if stamp >= before.stamp { notes.latest = latest }
    notes.total = turn.total
    notes.cursor = turn.next
    // Where nothing lacks nothing is waited for.
    notes.waits = notes.waits.filter { $0.value.contains(where: \.isMet) }.mapValues { $0.map(\.unmet) }
    guard notes != before else { return }
    try store.write { try store.setMeta(ContainerNotes.key(name), .blob(notes.bytes)) }
  }
}

extension ContainerNotes.Wait {
  fileprivate var unmet: ContainerNotes.Wait {
    var wait = self
    wait.isMet = false
    return wait
  }
}
