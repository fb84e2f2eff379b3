import SeaCore
import SeaStore

/// The blocks that somebody who may has ordered to be purged, and those that orders name which no key opens here: they may be purged, and
/// are not put back. As it is when it is asked first.
final class OrderedBlocks {
  private let members: Roster
  private var known: Set<SoundRemovals.Key>?

  init(_ members: Roster) { self.members = members }

  func contains(_ block: BlockRef) throws -> Bool {
    let ordered = try known ?? find()
    known = ordered
    return ordered.contains(SoundRemovals.Key(block))
  }

  private func find() throws -> Set<SoundRemovals.Key> {
    let mayOrder = try members.mayOrder()
    let gaps = try Gaps(members.store.blocks.unsoundRemovals(), members.store.branches)
    var found: Set<SoundRemovals.Key> = []
    try members.store.control.forEachOrder { row in
      let block = row.order.block
      if !gaps.isBehind(row.author), mayOrder(row.author, block.instance) { found.insert(SoundRemovals.Key(block)) }
    }
    let membership = try members.membership()
    let mayLetIn = try membership != nil && members.mayLetInUnread()
    let successors = try Successors(members.store.control.births())
    return try found.union(
      members.namedUnread { author, subject in
        successors.speaks(author, for: subject)
          || membership.map { mayLetIn || ($0[author]?.authority ?? .nothing) != .nothing } ?? false
      })
  }
}

/// Which of the removed blocks that are here are sound: those that an order names which counts (sea-format(5), Removed block).
///
/// Each `advance` is a round of `SoundRemovals`, for blocks that are kept: between two of them the store is brought to what is
/// taken as sound.
struct RemovalRounds {
  /// An order that names one of them.
  private struct Naming {
    var author: BlockRef
    /// Where the order stands here.
    var sequence: Int64
    var item: Int
    /// Which removed block it names.
    var hole: Int
  }

  let holes: [BlockRow]
  private let roster: Roster
  /// By the hashes of the blocks that they stand in: of several that count the first one holds.
  private let namings: [Naming]
  /// By the sequences of the removed blocks that are sound the orders that hold.
  private(set) var sound: [Int64: Int] = [:]
  /// What is taken as sound at first.
  private var assumed: Set<Int64>
  private var aside: Set<Int> = []
  private var rounds = 0
  private var store: Store { roster.store }

  init(_ roster: Roster, _ holes: [BlockRow]) throws {
    self.roster = roster
    self.holes = holes
    let store = roster.store
    let places = Dictionary(holes.enumerated().map { (SoundRemovals.Key($1.ref), $0) }) { first, _ in first }
    let headers = try holes.map { row in try store.content.bytes(of: row).withUnsafeBytes { try BlockHeader($0) } }
    var namings: [Naming] = []
    try store.control.forEachOrder { row in
      guard let hole = places[SoundRemovals.Key(row.order.block)], row.order.names(holes[hole].ref, headers[hole])
      else {
        return
      }
      namings.append(Naming(author: row.author, sequence: row.sequence, item: row.item, hole: hole))
    }
    self.namings = namings.sorted { $0.author.digest < $1.author.digest }
    assumed = Set(namings.map { holes[$0.hole].sequence })
  }

  /// Who may give orders, round by round: what counts in any of them allows a removed block for now.
  func judges(_ isWithin: @escaping Membership.IsWithin) throws -> [SoundRemovals.Judge.Answer] {
    var rounds = self
    var judges: [SoundRemovals.Judge.Answer] = []
    while try !rounds.advance(isWithin, { judges.append($0) }) {}
    return judges
  }

  /// Goes on to the end.
  mutating func finish() throws {
    while try !advance(roster.isWithin) {}
  }

  /// One round.
  /// - Returns: whether that was the last: nothing is taken as sound that was not before, or the other way round.
  mutating func advance(
    _ isWithin: @escaping Membership.IsWithin, _ note: (@escaping SoundRemovals.Judge.Answer) -> Void = { _ in }
  ) throws -> Bool {
    let gaps = try Gaps(
      holes.filter { sound[$0.sequence] == nil && !assumed.contains($0.sequence) }, store.branches)
    let mayOrder = try roster.mayOrder(without: gaps, isWithin)
    note(mayOrder)
    var found: [Int64: Int] = [:]
    var counts: [Int64: Bool] = [:]
    for (at, naming) in namings.enumerated() where !aside.contains(at) {
      let row = holes[naming.hole]
      guard found[row.sequence] == nil, rounds < SoundRemovals.freeRounds || sound[row.sequence] == at else { continue }
      let known = try counts[naming.sequence] ?? couldCount(naming.sequence)
      counts[naming.sequence] = known
      if known, mayOrder(naming.author, row.instance) { found[row.sequence] = at }
    }
    var isLast = false
    if assumed.isEmpty, found == sound {
      let stands = try roster.mayOrder(without: gaps, roster.isWithin(without: gaps))
      let fallen = found.values.filter {
        gaps.isBehind(namings[$0].author) || !stands(namings[$0].author, holes[namings[$0].hole].instance)
      }
      aside.formUnion(fallen)
      isLast = fallen.isEmpty
    }
    (sound, assumed, rounds) = (found, [], rounds + 1)
    return isLast || namings.isEmpty
  }

  /// Whether a block can be read and its clock is not wrong.
  private func couldCount(_ sequence: Int64) throws -> Bool {
    let state = try store.blocks.block(sequence: sequence)?.state
    return state == .applied || state == .held || state == .heldBack
  }

  /// What is to be kept of an order.
  func remains(_ naming: Int) throws -> [UInt8] {
    let one = namings[naming]
    guard let order = try store.control.order(one.sequence, one.item) else { throw StoreError.damaged("control") }
    return Remains.encoded(order, in: one.author)
  }
}
