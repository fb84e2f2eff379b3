import SeaCore
import SeaStore

/// The blocks that somebody who may has ordered to be purged, as it is when it is asked first.
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
    let judges = try RemovalRounds(members, members.store.blocks.removed()).judges(members.isWithin)
    var found: Set<SoundRemovals.Key> = []
    try members.store.control.forEachOrder { row in
      let block = row.order.block
      if judges.contains(where: { $0(row.author, block.instance) }) { found.insert(SoundRemovals.Key(block)) }
    }
    return found
  }
}

/// Which of the removed blocks that are here are sound: those that an order names which counts (sea-format(5), Removed block).
struct RemovalRounds {
  /// An order that names one of them.
  private struct Naming {
    var author: BlockRef
    /// Where the order stands here; nil if only what was kept of it is.
    var place: (sequence: Int64, item: Int)?
    /// What was kept of it then.
    var kept: [UInt8]?
    /// Which removed block it names.
    var hole: Int
  }

  let holes: [BlockRow]
  private let roster: Roster
  /// By the hashes of the blocks that they stand in: of several that count the first one holds.
  private let namings: [Naming]
  private var store: Store { roster.store }

  init(_ roster: Roster, _ holes: [BlockRow]) throws {
    self.roster = roster
    self.holes = holes
    let store = roster.store
    let places = Dictionary(holes.enumerated().map { (SoundRemovals.Key($1.ref), $0) }) { first, _ in first }
    let headers = try holes.map { row in try store.blocks.bytes(of: row).withUnsafeBytes { try BlockHeader($0) } }
    var namings: [Naming] = []
    try store.control.forEachOrder { row in
      guard let hole = places[SoundRemovals.Key(row.order.block)], row.order.names(holes[hole].ref, headers[hole])
      else {
        return
      }
      namings.append(Naming(author: row.author, place: (row.sequence, row.item), hole: hole))
    }
    // A pull finds orders also behind what it does not take in.
    let known = Set(namings.map { SoundRemovals.Key($0.author) })
    for (hole, row) in holes.enumerated() {
      guard let source = try store.blocks.source(of: row), !known.contains(SoundRemovals.Key(source)),
        try store.blocks.block(source) == nil
      else { continue }
      namings.append(
        Naming(author: source, kept: Array(try store.blocks.remains(of: row)[Remains.blockSize...]), hole: hole))
    }
    self.namings = namings.sorted { $0.author.digest < $1.author.digest }
  }

  /// One round: by the sequences of the removed blocks that are sound the orders that hold.
  /// - Parameter known: what was sound before, as the store has it too, and stays so.
  func sound(from known: [Int64: Int]) throws -> [Int64: Int] {
    var sound = known
    _ = try round(&sound, roster.isWithin)
    return sound
  }

  /// Who may give orders, round by round from the beginning: what counts in any of them allows a removed block.
  func judges(_ isWithin: @escaping Membership.IsWithin) throws -> [(_ author: BlockRef, _ subject: UUID) -> Bool] {
    var judges: [(_ author: BlockRef, _ subject: UUID) -> Bool] = []
    var sound: [Int64: Int] = [:]
    while true {
      let before = sound.count
      judges.append(try round(&sound, isWithin))
      if sound.count == before { return judges }
    }
  }

  /// - Returns: who may give orders by what is sound before.
  private func round(
    _ sound: inout [Int64: Int], _ isWithin: @escaping Membership.IsWithin
  ) throws -> (_ author: BlockRef, _ subject: UUID) -> Bool {
    let gaps = try Gaps(holes.filter { sound[$0.sequence] == nil }, store.blocks)
    let back = try roster.holdBackOfOrders(without: gaps, isWithin)
    let judge = roster.mayOrder(try roster.membership(without: gaps), isWithin)
    let mayOrder = { (author: BlockRef, subject: UUID) in back?.holds(author) != true && judge(author, subject) }
    var counts: [Int64: Bool] = [:]
    for (at, naming) in namings.enumerated() {
      let row = holes[naming.hole]
      if let better = sound[row.sequence], better <= at { continue }
      if let sequence = naming.place?.sequence {
        let known = try counts[sequence] ?? couldCount(sequence)
        counts[sequence] = known
        if !known { continue }
      }
      if mayOrder(naming.author, row.instance) { sound[row.sequence] = at }
    }
    return mayOrder
  }

  /// Whether a block can be read and its clock is not wrong.
  private func couldCount(_ sequence: Int64) throws -> Bool {
    let state = try store.blocks.block(sequence: sequence)?.state
    return state == .applied || state == .held || state == .heldBack
  }

  /// What is to be kept of an order.
  func remains(_ naming: Int) throws -> [UInt8] {
    let one = namings[naming]
    if let kept = one.kept { return kept }
    guard let place = one.place, let order = try store.control.order(place.sequence, place.item) else {
      throw StoreError.damaged("control")
    }
    return Remains.encoded(order, in: one.author)
  }
}
