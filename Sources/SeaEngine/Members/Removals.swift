import SeaCore
import SeaStore

/// The blocks named in purge orders that are valid or unreadable. Computed once, when first needed.
final class OrderedBlocks {
  private let members: Roster
  private lazy var counted = Result { try Set(members.orders().keys) }
  private lazy var hidden = Result { try members.hiddenOrders() }

  init(_ members: Roster) { self.members = members }

  /// Whether a purged block must not be replaced by a complete copy.
  func contains(_ block: BlockRef) throws -> Bool {
    let key = BlockKey(block)
    return try counted.get().contains(key) || hidden.get().contains(key)
  }
}

/// Finds purged blocks and the purge orders that allow them (sea-format(5), Removed block).
extension Roster {
  struct Order {
    var author: BlockRef
    var block: BlockKey
    var sequence: Int64
    var item: Int
  }

  /// Returns the valid purge orders. The keys are the blocks to purge.
  func orders(for only: Set<BlockKey>? = nil, _ judge: BlockValidity? = nil) throws -> [BlockKey: Order] {
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

  /// Returns the data in a purge order that replaces the content of the purged block.
  func remains(_ order: Order) throws -> [UInt8] {
    guard let said = try store.control.order(order.sequence, order.item) else { throw StoreError.damaged("control") }
    return PurgedBlockData.encoded(said, in: order.author)
  }

  /// Returns the blocks that undecryptable blocks list in clear text as purged. It is unknown whether these purge
  /// orders are valid.
  /// - Parameter mayCount: whether to include purge orders by `author` for blocks of `subject`.
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

  /// Returns the blocks named in unreadable purge orders whose authors may have the right to purge them.
  fileprivate func hiddenOrders() throws -> Set<BlockKey> {
    let membership = try membership()
    let mayLetIn = try membership != nil && mayAuthorizeInUnreadBlocks()
    let successors = try Successors(store.control.chainCreations())
    return try namedUnread { author, subject in
      successors.isSameOrSuccessor(author, for: subject)
        || membership.map { mayLetIn || ($0[author]?.authority ?? .nothing) != .nothing } ?? false
    }
  }

  /// Returns problems for blocks purged without a valid order, naming the block with the invalid order, if any. Omits a
  /// block if an unreadable order names it, or if unreadable entries may authorize the author of its order.
  func problems(_ removed: [BlockRef], place: String) throws -> [Problem] {
    if removed.isEmpty { return [] }
    let unread = try namedUnread()
    var orders: [BlockKey: BlockRef] = [:]
    try store.control.forEachOrder { row in
      let key = BlockKey(row.order.block)
      orders[key] = orders[key].map { $0.digest < row.author.digest ? $0 : row.author } ?? row.author
    }
    let mayLetIn = try !orders.isEmpty && mayAuthorizeInUnreadBlocks()
    return removed.map { block in
      let order = orders[BlockKey(block)]
      if unread.contains(BlockKey(block)) || order != nil && mayLetIn {
        return Problem(unreadRemoval: block.branch, block.index, place: place)
      }
      return Problem(
        .badRemoval, place: place, branch: block.branch, index: block.index, detail: order.map { "\($0)" } ?? "")
    }
  }

  package func badRemovals() throws -> [Problem] {
    try problems(store.blocks.unauthorizedPurges().map(\.ref), place: "")
  }

  /// Determines again, in the current transaction, which purges are valid. If a purge becomes valid, its block is held
  /// until `applyValidBlocks` applies it.
  /// - Parameter isForced: whether to check even if no blocks have been added since the last time.
  /// - Returns: whether the local index still contains blocks that are no longer applied.
  func judgeRemovals(_ removed: [BlockRow], _ judge: BlockValidity, isForced: Bool) throws -> Bool {
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

extension Roster {
  func mayAuthorizeInUnreadBlocks() throws -> Bool {
    try judge().all.map { try mayLetIn($0) } ?? false
  }

  func mayHaveUnreadEntries() throws -> Bool {
    try store.blocks.blocks(.unread).contains { try store.content.header(of: $0).mode.contains(.control) }
  }

  /// Whether an author with the right to authorize others has written a block with unreadable entries.
  private func mayLetIn(_ membership: Membership) throws -> Bool {
    try store.blocks.blocks(.unread).contains { row in
      try store.content.header(of: row).mode.contains(.control) && membership.hasAuthority(row.ref, isWithin)
    }
  }
}
