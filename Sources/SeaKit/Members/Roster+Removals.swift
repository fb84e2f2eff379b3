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
    _ membership: Membership?, _ isWithin: @escaping Membership.IsWithin
  ) -> (_ author: BlockRef, _ subject: UUID) -> Bool {
    guard let membership else { return { $0.instance == $1 } }
    return { membership.mayOrder($0, about: $1, isWithin) }
  }

  /// The removed blocks that are here, and the blocks that order each.
  func removedBlocks() throws -> [(row: BlockRow, authors: [BlockRef])] {
    let removed = try store.blocks.removed()
    guard !removed.isEmpty else { return [] }
    let orders = Dictionary(grouping: try orders()) { SoundRemovals.Key($0.order.block) }
    return try removed.map { row in
      let header = try store.blocks.bytes(of: row).withUnsafeBytes { try BlockHeader($0) }
      let naming = (orders[SoundRemovals.Key(row.ref)] ?? []).filter { $0.order.names(row.ref, header) }
      return (row, naming.map(\.author))
    }
  }

  /// The removed blocks that are here and that no order allows which counts.
  package func badRemovals() throws -> [Problem] {
    try standing().unsound.map { Problem(.badRemoval, place: "", branch: $0.branch, index: $0.index) }
  }
}
