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

  /// By the sequences of the removed blocks that are sound the orders that hold.
  /// - Parameter known: what was sound before and stays so.
  func sound(from known: [Int64: Int] = [:]) throws -> [Int64: Int] {
    try run(from: known, roster.isWithin) { _ in }
  }

  /// Who may give orders, round by round from the beginning: what counts in any of them allows a removed block.
  func judges(_ isWithin: @escaping Membership.IsWithin) throws -> [(_ author: BlockRef, _ subject: UUID) -> Bool] {
    var judges: [(_ author: BlockRef, _ subject: UUID) -> Bool] = []
    _ = try run(from: [:], isWithin) { judges.append($0) }
    return judges
  }

  private func run(
    from known: [Int64: Int], _ isWithin: @escaping Membership.IsWithin,
    _ round: (@escaping (_ author: BlockRef, _ subject: UUID) -> Bool) -> Void
  ) throws -> [Int64: Int] {
    var sound = known
    var counts: [Int64: Bool] = [:]
    let open = try namings.map { one in
      guard let place = one.place else { return true }
      if let known = counts[place.sequence] { return known }
      let state = try store.blocks.block(sequence: place.sequence)?.state
      counts[place.sequence] = state == .applied || state == .held || state == .heldBack
      return counts[place.sequence]!
    }
    while true {
      let gaps = try Gaps(holes.filter { sound[$0.sequence] == nil }, store)
      let back = try roster.holdBackOfOrders(without: gaps, isWithin)
      let judge = roster.mayOrder(try roster.membership(without: gaps), isWithin)
      let mayOrder = { (author: BlockRef, subject: UUID) in back?.holds(author) != true && judge(author, subject) }
      round(mayOrder)
      var grew = false
      for (at, naming) in namings.enumerated() where open[at] {
        let row = holes[naming.hole]
        if let better = sound[row.sequence], better <= at { continue }
        guard mayOrder(naming.author, row.instance) else { continue }
        if sound[row.sequence] == nil { grew = true }
        sound[row.sequence] = at
      }
      if !grew { return sound }
    }
  }

  /// What is sound and was not; nil if there is more to do than to add that.
  func additions(_ sound: [Int64: Int]) throws -> [(row: BlockRow, naming: Int)]? {
    var more: [(row: BlockRow, naming: Int)] = []
    for row in holes {
      guard let now = try store.blocks.block(sequence: row.sequence) else { continue }
      switch (try store.blocks.source(of: now), sound[row.sequence]) {
      case (nil, nil): break
      case (nil, let naming?): more.append((now, naming))
      case (let source?, let naming?) where namings[naming].author.isSame(source): break
      default: return nil
      }
    }
    return more
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
