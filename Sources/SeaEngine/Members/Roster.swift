import SeaCore
import SeaStore

/// Who belongs to the database, and what of their chains counts, as far as is known here.
///
/// In a database without members everybody belongs to it who has its key, and everything counts. In one with members only
/// what the founder and those whom an admin has let in have written, up to where they were revoked; the rest is held. All
/// of it follows from control entries of the chains, so nothing here is state of its own, and nothing here writes to a
/// chain: letting in and shutting out is for `Access`.
package final class Roster {
  let folder: SeaFolder
  /// The heads that a block names that was not read; none if they cannot be read. Whoever has the keys sets it.
  package var headsOfUnread: (BlockRow) throws -> [BlockRef]? = { _ in nil }
  /// Entries of our own that are about to be written.
  private var assumed: [Membership.Entry] = []
  var store: Store { folder.store }

  package init(_ folder: SeaFolder) { self.folder = folder }

  /// Does something as if these entries stood in our next block already, or that of another author: a revocation of whom has
  /// revoked us is one that only it makes one of ours.
  func assuming<R>(_ entries: [ControlEntry], by author: UUID? = nil, _ body: () throws -> R) throws -> R {
    let author = author ?? folder.instance
    let last = try store.branches.chain(author)?.head.index
    let block = BlockRef(instance: author, index: last.map { $0 + 1 } ?? 0, digest: .zero)
    assumed = entries.enumerated().compactMap { Membership.Entry($1, block: block, lamport: .max, item: UInt32($0)) }
    defer { assumed = [] }
    return try body()
  }

  /// Who belongs to the database; nil where everybody does who has a key. What is held back says nothing.
  package func membership() throws -> Membership? { try grounds().membership }

  /// The same, and the removed blocks that no order allows: what is behind them is as if it were not here.
  /// - Parameter heldBack: whether what is held back speaks too.
  func grounds(heldBack: Bool = false) throws -> (membership: Membership?, unsound: Gaps) {
    let unsound = try Gaps(store.blocks.unsoundRemovals(), store.branches)
    return (try membership(heldBack: heldBack, without: unsound), unsound)
  }

  /// Who belongs to the database, as the blocks say that have none of these removed ones before them.
  func membership(heldBack: Bool = false, without gaps: Gaps) throws -> Membership? {
    guard let proof = folder.proof, proof.hasMembers else { return nil }
    let rows = try store.control.controls(["authorise", "revoke"], heldBack: heldBack, gaps: gaps)
    let entries = rows.compactMap { row in
      gaps.isBehind(row.block)
        ? nil : Membership.Entry(row.entry, block: row.block, lamport: row.time, item: UInt32(row.item))
    }
    let isWithin = isWithin(without: gaps)
    return try Membership(proof, births: store.control.births(), entries: entries + assumed, isWithin: isWithin)
  }

  /// Whether a block of ours is on the branch that ends in another block of its chain. Nobody can say as long as the
  /// chain has not arrived that far: then it is not.
  package var isWithin: Membership.IsWithin { isWithin(without: nil) }

  /// The same where what is behind some removed blocks is as if it were not here.
  func isWithin(without gaps: Gaps?) -> Membership.IsWithin {
    { [store] block, last in
      guard block.index <= last.index,
        let end = try? store.blocks.block(BlockRef(instance: block.instance, index: last.index, digest: last.digest)),
        gaps?.isBehind(end.ref) != true
      else { return false }
      return (try? store.branches.ancestor(of: end, at: block.index))?.digest == block.digest
    }
  }

  // MARK: - What counts

  /// What counts of a chain. Our own counts here before anybody has said anything about us.
  package func cut(of instance: UUID, _ membership: Membership?) -> Membership.Cut {
    guard let membership else { return .everything }
    guard let standing = membership[instance] else { return instance == folder.instance ? .everything : .nothing }
    return standing.cut
  }

  /// Whether what comes may have to be held back until all of it is here.
  package func holdsBack() throws -> Bool { try folder.hasMembers && !futures().isEmpty }

  /// Applies what was held and counts now, and takes out what was applied and counts no more.
  package func applyWhatCounts() throws -> ApplyResult {
    let isRemoved = try !store.blocks.removed().isEmpty
    if isRemoved { _ = try judge() }
    let now = try grounds()
    guard now.membership != nil || isRemoved else { return ApplyResult() }
    guard let back = try holdBack() else { return try apply(now, takenOut: false) }
    return try store.write {
      var takenOut = try mark(back)
      // Entries in what is held back are left out; those in what is no more speak again.
      var rounds = isRemoved ? 4 : 0
      while rounds > 0, try judge(isForced: true).isChanged, let back = try holdBack() {
        takenOut = try mark(back) || takenOut
        rounds -= 1
      }
      return try apply(grounds(), takenOut: takenOut)
    }
  }

  /// Marks what is held back, and what is no more.
  /// - Returns: whether anything of it was applied.
  private func mark(_ back: HoldBack) throws -> Bool {
    for state in [BlockState.held, .heldBack] {
      for row in try store.blocks.blocks(state) where back.holds(row.ref) != (state == .heldBack) {
        try store.blocks.setState(state == .held ? .heldBack : .held, of: row)
      }
    }
    var takenOut = false
    for chain in try store.branches.chains() where back.mayHold(chain.instance) {
      for row in try store.blocks.appliedBlocks(of: chain.instance, after: -1) where back.holds(row.ref) {
        try store.blocks.setState(.heldBack, of: row)
        takenOut = true
      }
    }
    return takenOut
  }

  /// - Parameter takenOut: whether blocks are not applied any more that are still in the projection.
  private func apply(_ grounds: (membership: Membership?, unsound: Gaps), takenOut: Bool) throws -> ApplyResult {
    var applied = ApplyResult()
    let isWithin = isWithin(without: grounds.unsound)
    var released: [BlockRow] = []
    var taken: [BlockRow] = []
    let held = Dictionary(grouping: try store.blocks.blocks(.held), by: \.instance)
    for chain in try store.branches.chains() {
      let cut = cut(of: chain.instance, grounds.membership)
      func counts(_ row: BlockRow) -> Bool {
        cut.covers(BlockRef(instance: row.instance, index: row.index, digest: row.digest), isWithin)
          && !grounds.unsound.isBehind(row.ref)
      }
      if let first = grounds.unsound.first(of: chain.instance) {
        taken += try store.blocks.appliedBlocks(of: chain.instance, after: Int64(first)).filter { !counts($0) }
      }
      released += (held[chain.instance] ?? []).filter(counts)
      switch cut {
      case .everything: break
      case .nothing: taken += try store.blocks.appliedBlocks(of: chain.instance, after: -1)
      case .last(let last):
        // Where the cut has not arrived nothing counts, also of what was applied before: whoever has the same blocks says the same.
        let end = try store.blocks.block(
          BlockRef(instance: chain.instance, index: last.index, digest: last.digest))
        let isForked = try !store.branches.siblings(of: chain.instance).isEmpty
        let isAll = end.map { isForked || grounds.unsound.isBehind($0.ref) } ?? true
        taken += try store.blocks.appliedBlocks(of: chain.instance, after: isAll ? -1 : Int64(last.index))
          .filter { !counts($0) }
      }
    }
    guard !released.isEmpty || !taken.isEmpty || takenOut else { return applied }
    try store.write {
      if taken.isEmpty, !takenOut {
        for row in released { applied.add(try store.intake.release(row)) }
      } else {
        for row in taken { try store.blocks.setState(.held, of: row) }
        for row in released { try store.blocks.setState(row.counting, of: row) }
        applied.records = try store.projection.rebuildInTransaction()
      }
    }
    return applied
  }

  // MARK: - What cannot be read

  /// The blocks that may have entries which only a newer program can read.
  private func futures() throws -> [BlockRow] {
    try store.blocks.blocks(.unread).filter { row in
      try row.unread == .notReadable && store.content.mode(of: row).contains(.control)
    }
  }

  /// What holds back, and whom; nil if nothing does, and nothing did.
  private func holdBack() throws -> HoldBack? {
    let rows = try futures()
    if rows.isEmpty, try store.blocks.blocks(.heldBack).isEmpty { return nil }
    let grounds = try grounds(heldBack: true)
    return try holdBack(rows, grounds.membership, grounds.unsound, isWithin(without: grounds.unsound))
  }

  /// What holds back the orders of others; nil if nothing does. Heads lead through removed blocks.
  func holdBackOfOrders(without gaps: Gaps, _ isWithin: @escaping Membership.IsWithin) throws -> HoldBack? {
    let rows = try futures()
    return rows.isEmpty ? nil : try holdBack(rows, membership(heldBack: true, without: gaps), gaps, isWithin)
  }

  private func holdBack(
    _ rows: [BlockRow], _ all: Membership?, _ gaps: Gaps, _ isNamed: @escaping Membership.IsWithin
  ) throws -> HoldBack? {
    guard let all else { return nil }
    let isWithin = isWithin(without: gaps)
    // Of each branch the first is the strictest.
    var first: [BranchID: BlockRow] = [:]
    for row in rows
    where !gaps.isBehind(row.ref) && all.hasAuthority(row.ref, isWithin)
      && row.index < first[row.branch]?.index ?? .max
    {
      first[row.branch] = row
    }
    let futures = try first.values.map { HoldBack.Future($0.ref, named: try named(upTo: $0, isNamed)) }
    return HoldBack(all, futures, isWithin: isNamed)
  }

  private func heads(_ row: BlockRow) throws -> [BlockRef] {
    row.state == .unread ? try headsOfUnread(row) ?? [] : try store.content.heads(of: row)
  }

  /// The heads that a block names and those before it: of each chain the last of its branches. One that is as if it were not
  /// here stands for none before it.
  private func named(upTo row: BlockRow, _ isWithin: Membership.IsWithin) throws -> [BlockRef] {
    var named: [UUID: [BlockRef]] = [:]
    var index: UInt32 = 0
    while index <= row.index, let block = try store.branches.ancestor(of: row, at: index) {
      for head in try heads(block) {
        named[head.instance, default: []].removeAll { isWithin($0, head) }
        named[head.instance, default: []].append(head)
      }
      index += 1
    }
    return named.values.flatMap { $0 }
  }
}

extension Roster {
  // MARK: - Who is who

  /// The names of all instances that have a chain.
  package func names() throws -> [UUID: String] {
    var names: [UUID: String] = [:]
    for chain in try store.branches.chains() { names[chain.instance] = chain.name }
    return names
  }

  /// The id of the instance that a text names.
  package func instance(named text: String) throws -> UUID { try chain(named: text).instance }

  /// An instance by its name or the first characters of its id. Of several that have a name, as after a renewal, it is
  /// this one.
  func chain(named text: String) throws -> ChainRow {
    let chains = try store.branches.chains()
    let instance = try instanceNames(chains).instance(text, own: folder.instance)
    return chains.first { $0.instance == instance }!
  }

  /// The instances that have a chain here.
  func instanceNames(_ chains: [ChainRow]) throws -> InstanceNames {
    let membership = try membership()
    let followed = Set(membership?.known.compactMap(\.follows) ?? [])
    return InstanceNames(
      all: chains.map { chain in
        let standing = membership?[chain.instance]
        return InstanceNames.One(
          instance: chain.instance, name: chain.name, isMember: membership == nil || standing != nil,
          line: standing?.line, isFollowed: followed.contains(chain.instance))
      })
  }

  /// The instances that keys are wrapped for: those that may read, ourselves among them.
  package func readers() throws -> [Reader] { try readers(membership()) }

  func readers(_ membership: Membership?) throws -> [Reader] {
    let names = try names()
    if let membership {
      return try membership.known.filter { $0.role != nil }.compactMap { standing in
        // What it has announced itself goes before what somebody has said of it.
        guard let exchange = try store.branches.exchangeKey(of: standing.instance) ?? standing.exchange else {
          return nil
        }
        return Reader(instance: standing.instance, name: names[standing.instance] ?? "", exchange: exchange)
      }
    }
    var readers: [UUID: Reader] = [:]
    // Those who were let in and have not written yet.
    for row in try store.control.controls(["authorise"]) where row.isApplied {
      guard case .authorise(let one) = row.entry else { continue }
      readers[one.instance] = Reader(instance: one.instance, name: "", exchange: one.exchange)
    }
    for chain in try store.branches.chains() {
      guard let exchange = try store.branches.exchangeKey(of: chain.instance) else { continue }
      readers[chain.instance] = Reader(instance: chain.instance, name: chain.name, exchange: exchange)
    }
    return readers.values.sorted { $0.instance < $1.instance }
  }
}

/// Somebody whom keys can be wrapped for.
package struct Reader: Sendable, Equatable {
  package var instance: UUID
  /// Empty if it has no chain here.
  package var name: String
  /// X25519.
  package var exchange: [UInt8]
}

// What we may do.

extension Roster {
  /// - Throws: `unauthorised` if what we write would count nowhere, for ever. Who waits to be authorised may write.
  package func requireWriter() throws {
    guard let membership = try membership(), let standing = membership[folder.instance] else { return }
    switch standing.role {
    case .admin, .write: return
    case .read: throw KitError.unauthorised(.readOnly)
    case nil: throw KitError.unauthorised(.revoked)
    }
  }

  /// Who has revoked us, if what we write counts no more.
  package func revoker() throws -> UUID? {
    guard let standing = try membership()?[folder.instance], standing.role == nil else { return nil }
    return standing.revoked?.author
  }

  /// - Throws: `unauthorised` unless what we say about others counts.
  package func requireAdmin() throws {
    guard let membership = try membership() else { return }
    guard membership.role(of: folder.instance) == .admin else { throw KitError.unauthorised(.notAdmin) }
  }
}

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
