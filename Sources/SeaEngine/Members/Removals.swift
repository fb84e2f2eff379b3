import SeaCore
import SeaStore

/// The blocks that somebody who may has ordered to be purged, and those that orders name which cannot be read here. As it is when it is
/// asked first.
final class OrderedBlocks {
  private let members: Roster
  private lazy var counted = Result { try Set(members.orders().keys) }
  private lazy var hidden = Result { try members.hiddenOrders() }

  init(_ members: Roster) { self.members = members }

  /// Whether a whole block is not to be put back in the place of a removed one.
  func contains(_ block: BlockRef) throws -> Bool {
    let key = BlockKey(block)
    return try counted.get().contains(key) || hidden.get().contains(key)
  }
}

/// Removed blocks, and the orders to purge that allow them (sea-format(5), Removed block).
extension Roster {
  /// An order, the block that it stands in, and where that lies here.
  struct Order {
    var author: BlockRef
    var block: BlockKey
    var sequence: Int64
    var item: Int
  }

  /// The blocks that an order names which counts, with that order.
  /// - Parameter only: no others.
  func orders(for only: Set<BlockKey>? = nil, _ judge: Judge? = nil) throws -> [BlockKey: Order] {
    var orders: [Order] = []
    try store.control.forEachOrder { row in
      let key = BlockKey(row.order.block)
      guard only?.contains(key) != false, row.state == .applied || row.state == .held || row.state == .heldBack else {
        return
      }
      orders.append(Order(author: row.author, block: key, sequence: row.sequence, item: row.item))
    }
    if orders.isEmpty { return [:] }
    return try (judge ?? self.judge()).orders(orders.map { ($0.author, $0.block) }).mapValues { orders[$0] }
  }

  /// What is to be kept of an order.
  func remains(_ order: Order) throws -> [UInt8] {
    guard let said = try store.control.order(order.sequence, order.item) else { throw StoreError.damaged("control") }
    return Remains.encoded(said, in: order.author)
  }

  /// What orders name that are here and that no key opens, as anybody sees. Whether they count nobody knows here.
  /// - Parameter mayCount: whether what an author says of an instance is asked for.
  func namedUnread(
    _ mayCount: (_ author: UUID, _ subject: UUID) -> Bool = { _, _ in true }
  ) throws -> Set<BlockKey> {
    var named: Set<BlockKey> = []
    for row in try store.blocks.blocks(.unread) {
      guard row.unread == .noKey || row.unread == .badTag, try store.content.header(of: row).mode.contains(.orders)
      else {
        continue
      }
      let blocks = try store.content.bytes(of: row).withUnsafeBytes { try ClearList.blocks(of: $0) }
      named.formUnion(blocks.filter { mayCount(row.instance, $0.instance) }.map { BlockKey($0) })
    }
    return named
  }

  /// Those of them that the author may order, as far as anybody knows here.
  fileprivate func hiddenOrders() throws -> Set<BlockKey> {
    let membership = try membership()
    let mayLetIn = try membership != nil && mayLetInUnread()
    let successors = try Successors(store.control.births())
    return try namedUnread { author, subject in
      successors.speaks(author, for: subject)
        || membership.map { mayLetIn || ($0[author]?.authority ?? .nothing) != .nothing } ?? false
    }
  }

  /// What is wrong with some removed blocks that no order allows which counts: with the block that has an order which does not. Where that
  /// cannot be read, or what cannot be read may let its author in, nobody here knows.
  func problems(_ removed: [BlockRef], place: String) throws -> [Problem] {
    if removed.isEmpty { return [] }
    let unread = try namedUnread()
    var orders: [BlockKey: BlockRef] = [:]
    try store.control.forEachOrder { row in
      let key = BlockKey(row.order.block)
      orders[key] = orders[key].map { $0.digest < row.author.digest ? $0 : row.author } ?? row.author
    }
    let mayLetIn = try !orders.isEmpty && mayLetInUnread()
    return removed.map { block in
      let order = orders[BlockKey(block)]
      if unread.contains(BlockKey(block)) || order != nil && mayLetIn {
        return Problem(unreadRemoval: block.branch, block.index, place: place)
      }
      return Problem(
        .badRemoval, place: place, branch: block.branch, index: block.index, detail: order.map { "\($0)" } ?? "")
    }
  }

  /// The removed blocks that are here and that no order allows which counts.
  package func badRemovals() throws -> [Problem] {
    try problems(store.blocks.unsoundRemovals().map(\.ref), place: "")
  }

  /// Works out which removed blocks are sound by what counts now, in the current transaction. Those that are so now are held until somebody
  /// looks whether they count.
  /// - Parameter isForced: whether something has changed that does not show in the blocks.
  /// - Returns: whether anything is not applied any more that is still in the projection.
  func judgeRemovals(_ removed: [BlockRow], _ judge: Judge, isForced: Bool) throws -> Bool {
    let last = try store.blocks.lastSequence()
    guard !removed.isEmpty, try isForced || store.metaInt(Store.removalsUpTo) != last else { return false }
    let orders = try orders(for: Set(removed.map { BlockKey($0.ref) }), judge)
    var takenOut = false
    for row in removed {
      let order = orders[BlockKey(row.ref)]
      let source = try store.content.source(of: row)
      if source.map({ BlockKey($0) }) == order.map({ BlockKey($0.author) }) { continue }
      takenOut = takenOut || row.state == .purged
      try store.intake.setRemains(order.map { try remains($0) }, of: row)
    }
    try store.setMeta(Store.removalsUpTo, .int(last))
    return takenOut
  }
}

// Blocks that cannot be read and may let somebody in.

extension Roster {
  /// Whether a block cannot be read that may let somebody in.
  func mayLetInUnread() throws -> Bool {
    try judge().all.map { try mayLetIn($0) } ?? false
  }

  /// Whether there is a block that may have entries which cannot be read.
  func mayHaveUnreadEntries() throws -> Bool {
    try store.blocks.blocks(.unread).contains { try store.content.header(of: $0).mode.contains(.control) }
  }

  /// Whether there is a block of somebody with authority whose entries cannot be read.
  private func mayLetIn(_ membership: Membership) throws -> Bool {
    try store.blocks.blocks(.unread).contains { row in
      try store.content.header(of: row).mode.contains(.control) && membership.hasAuthority(row.ref, isWithin)
    }
  }
}
