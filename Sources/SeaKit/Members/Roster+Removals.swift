import SeaCore
import SeaStore

/// Removed blocks, and the orders to purge that allow them.
extension Roster {
  /// The orders of all blocks that are here, with the blocks that they stand in.
  func orders() throws -> [(author: BlockRef, order: PurgeOrder)] {
    try store.control.controls(["purge"]).compactMap { row in
      guard case .purge(let order) = row.entry else { return nil }
      return (row.block, order)
    }
  }

  /// Who may order that a block of an instance be purged, by what is known here.
  func mayOrder(
    _ isWithin: @escaping Membership.IsWithin
  ) throws -> (_ author: BlockRef, _ subject: UUID) -> Bool {
    guard let membership = try membership() else { return { $0.instance == $1 } }
    return { membership.mayOrder($0, about: $1, isWithin) }
  }

  /// The removed blocks that are here and that no order allows which counts.
  package func badRemovals() throws -> [Problem] {
    let removed = try store.blocks.removed()
    guard !removed.isEmpty else { return [] }
    let orders = try orders()
    let mayOrder = try mayOrder(isWithin)
    var problems: [Problem] = []
    for row in removed {
      let header = try store.blocks.bytes(of: row).withUnsafeBytes { try BlockHeader($0) }
      let isSound = orders.contains { $0.order.names(row.ref, header) && mayOrder($0.author, row.instance) }
      if !isSound { problems.append(Problem(.badRemoval, place: "", branch: row.branch, index: row.index)) }
    }
    return problems
  }
}
