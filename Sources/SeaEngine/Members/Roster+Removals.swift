import SeaCore
import SeaStore

/// Removed blocks, and the orders to purge that allow them.
extension Roster {
  /// Who may order what, as things are: nothing leads through removed blocks that no order allows.
  func mayOrder() throws -> SoundRemovals.Judge.Answer {
    let gaps = try Gaps(store.blocks.unsoundRemovals(), store.branches)
    return try mayOrder(without: gaps, isWithin(without: gaps))
  }

  /// - Parameter gaps: the removed blocks that are not taken as sound.
  func mayOrder(
    without gaps: Gaps, _ isWithin: @escaping Membership.IsWithin
  ) throws -> SoundRemovals.Judge.Answer {
    let back = try holdBackOfOrders(without: gaps, isWithin)
    let judge = try mayOrder(membership(without: gaps), isWithin)
    return { author, subject in back?.holds(author) != true && judge(author, subject) }
  }

  /// Who may order that a block of an instance be purged, by what is known here. Each pair is looked up once.
  func mayOrder(
    _ membership: Membership?, _ isWithin: @escaping Membership.IsWithin
  ) throws -> SoundRemovals.Judge.Answer {
    guard let membership else {
      let successors = try Successors(store.control.births())
      return { successors.speaks($0.instance, for: $1) }
    }
    var known: [SoundRemovals.Key: [UUID: Bool]] = [:]
    return { author, subject in
      let key = SoundRemovals.Key(author)
      if let answer = known[key]?[subject] { return answer }
      let answer = membership.mayOrder(author, about: subject, isWithin)
      known[key, default: [:]][subject] = answer
      return answer
    }
  }

  /// What orders name that are here and that no key opens, as anybody sees. Whether they count nobody knows here.
  /// - Parameter mayCount: whether what an author says of an instance is asked for.
  func namedUnread(
    _ mayCount: (_ author: UUID, _ subject: UUID) -> Bool = { _, _ in true }
  ) throws -> Set<SoundRemovals.Key> {
    var named: Set<SoundRemovals.Key> = []
    for row in try store.blocks.blocks(.unread) {
      guard row.unread == .noKey || row.unread == .badTag, try store.content.mode(of: row).contains(.orders) else {
        continue
      }
      let blocks = try store.content.bytes(of: row).withUnsafeBytes { try ClearList.blocks(of: $0) }
      named.formUnion(blocks.filter { mayCount(row.instance, $0.instance) }.map { SoundRemovals.Key($0) })
    }
    return named
  }

  /// The removed blocks that are here and that no order allows which counts: how many blocks behind each do not count for it,
  /// and the block with an order that does not count.
  package func badRemovals() throws -> [Problem] {
    let rows = try store.blocks.unsoundRemovals()
    guard !rows.isEmpty else { return [] }
    let gaps = try Gaps(rows, store.branches)
    var behind: [BlockRef: Int] = [:]
    for branch in try store.branches.branches() {
      guard let gap = gaps.gap(before: branch.head) else { continue }
      let first = gap.branch == branch.id ? gap.index + 1 : branch.first
      behind[gap, default: 0] += Int(branch.head.index) + 1 - Int(first)
    }
    var orders: [SoundRemovals.Key: BlockRef] = [:]
    try store.control.forEachOrder { row in
      let key = SoundRemovals.Key(row.order.block)
      orders[key] = orders[key].map { $0.digest < row.author.digest ? $0 : row.author } ?? row.author
    }
    return rows.map { row in
      let order = orders[SoundRemovals.Key(row.ref)].map { " \($0)" } ?? ""
      return Problem(
        .badRemoval, place: "", branch: row.branch, index: row.index, detail: "\(behind[row.ref] ?? 0)\(order)")
    }
  }
}

/// What judging has found.
struct Judgement {
  /// Branches that were found to have a wrong clock now, from an index on.
  var wrong: [(branch: BranchID, index: UInt32)] = []
  /// Records after the projection had to be made anew.
  var records: Int?
  /// Whether other removed blocks are sound than before, or what orders say of them is another.
  var isChanged = false
}

extension Roster {
  private static let judgedUpTo = Store.removalsUpTo
  private static let isClosed = "removalsClosed"

  /// Works out which clocks are earned and which removed blocks are sound, now that more is here. What follows for what is
  /// applied is for `applyWhatCounts`.
  ///
  /// The outcome is that of sea-format(5), whatever came in which order: it is worked out from the beginning, unless nothing that came
  /// can matter.
  /// - Parameter isForced: whether something has changed that does not show in the blocks.
  func judge(isForced: Bool = false) throws -> Judgement {
    let isOpen = try store.branches.hasOpenClocks()
    let holes = try store.blocks.removed()
    guard isOpen || !holes.isEmpty else { return Judgement() }
    return try store.write {
      var judgement = Judgement()
      _ = try judgeClocks(&judgement)
      let last = try store.blocks.lastSequence()
      guard !holes.isEmpty, try isForced || store.metaInt(Roster.judgedUpTo) != last else { return judgement }
      if try isForced || !judgement.wrong.isEmpty || mayChangeRemovals() {
        try judgeAnew(RemovalRounds(self, holes), &judgement)
        try store.setMeta(Roster.isClosed, .int(areRemovalsClosed() ? 1 : 0))
      }
      try store.setMeta(Roster.judgedUpTo, .int(last))
      return judgement
    }
  }

  /// Whether what came since the last time may say something of removed blocks: entries, what cannot be read, and anything at
  /// all if something is waited for.
  private func mayChangeRemovals() throws -> Bool {
    guard let last = try store.metaInt(Roster.judgedUpTo), last >= 0, try store.metaInt(Roster.isClosed) == 1 else {
      return true
    }
    return try store.control.hasEntries(after: last)
      || (store.blocks.blocks(.unread) + store.blocks.removed()).contains { $0.sequence > last }
  }

  /// Whether nothing that could come changes what follows from the blocks that are here, but entries: all clocks are known,
  /// all blocks are read, and all points of cuts are here.
  private func areRemovalsClosed() throws -> Bool {
    guard try !store.branches.hasOpenClocks(), try store.blocks.blocks(.unread).isEmpty else { return false }
    return try store.control.controls(["revoke"], heldBack: true).allSatisfy { row in
      guard case .revoke(_, let last?, _) = row.entry else { return true }
      return try store.blocks.block(last) != nil
    }
  }

  /// - Returns: whether any clock is known now that was not.
  private func judgeClocks(_ judgement: inout Judgement) throws -> Bool {
    let judged = try store.judgeClocks { row in row.isRemoved ? nil : try headsOfUnread(row) }
    judgement.wrong += judged.wrong
    if let records = judged.records { judgement.records = records }
    return judged.isMoved
  }

  /// From the beginning: as if nothing were known of what removed blocks name, nor of clocks.
  private func judgeAnew(_ rounds: RemovalRounds, _ judgement: inout Judgement) throws {
    let (merged, earned) = (try store.metaInt(RecordTable.mergedUpTo), try store.branches.earnedClocks())
    let wrongBefore = Set(try store.branches.wrongClocks().map(\.branch))
    let before = try rounds.holes.map { (row: $0, source: try store.content.source(of: $0)) }
    for (row, source) in before where source != nil { try store.intake.setRemains(nil, of: row) }
    try store.forgetClocks()
    var rounds = rounds
    while true {
      let chosen = rounds.sound
      _ = try judgeClocks(&judgement)
      if try rounds.advance(isWithin) { break }
      // Other heads than before: what followed from them is forgotten.
      if chosen.contains(where: { rounds.sound[$0.key] != $0.value }) { try store.forgetClocks() }
      for row in rounds.holes where chosen[row.sequence] != rounds.sound[row.sequence] {
        try store.intake.setRemains(rounds.sound[row.sequence].map { try rounds.remains($0) }, of: row)
      }
    }
    var takenOut = judgement.records != nil
    for (old, source) in before {
      guard let now = try store.blocks.block(sequence: old.sequence) else { continue }
      let isSame = try store.content.source(of: now).map { source?.isSame($0) ?? false } ?? (source == nil)
      if !isSame { judgement.isChanged = true }
      // What was applied, or held back, is so still.
      if isSame, now.state == .held, old.state == .purged || old.state == .heldBack {
        try store.blocks.setState(old.state, of: now)
      } else if old.state == .purged {
        takenOut = true
      }
    }
    // Conflicts have the same answers as before.
    if !judgement.isChanged, let merged, try store.branches.earnedClocks() == earned {
      try store.setMergedUpTo(merged)
    }
    judgement.wrong.removeAll { wrongBefore.contains($0.branch) }
    if takenOut { judgement.records = try store.projection.rebuildInTransaction() }
  }
}
