import SeaCore
import SeaStore

/// Carries out valid purge orders on this device, in the store and in the assets.
///
/// A block is purged only if it would be valid as a purged block, so an invalid purge order cannot destroy data.
package final class PurgeExecutor {
  let author: Author
  let assets: Assets
  private var members: Roster { author.members }
  private var store: Store { author.store }

  package init(_ assets: Assets) {
    author = assets.author
    self.assets = assets
  }

  /// Carries out all purge orders, and completes purges that were interrupted.
  @discardableResult
  package func run() throws -> (blocks: Int, assets: Int, scrubbed: PurgedBytes.Scrubbed) {
    guard try store.control.hasOrders() else { return (0, 0, .done) }
    let (blocks, assets) = try store.locked {
      let blocks = try empty()
      return (blocks, try removeAssets(hasEmptied: blocks > 0))
    }
    return (blocks, assets, try store.purged.scrub())
  }

  /// Thrown to undo the transaction if a purged block would be invalid.
  private struct Unsound: Error {}

  private func empty() throws -> Int {
    do {
      return try store.write {
        let due = try due()
        guard !due.isEmpty else { return 0 }
        try store.purged.empty(due)
        _ = try members.applyValidBlocks()
        // A purge cannot be undone, so check the resulting state before the transaction ends.
        for (row, _) in due {
          guard let now = try store.blocks.block(sequence: row.sequence), now.state != .unread else { throw Unsound() }
        }
        return due.count
      }
    } catch is Unsound {
      return 0
    }
  }

  /// Returns the blocks named in valid purge orders that are still complete in this store, with the data to keep.
  func due() throws -> [(row: BlockRow, remains: [UInt8])] {
    try members.orders().values.compactMap { order in
      guard let row = try store.blocks.block(order.block.ref), !row.isRemoved, row.index > 0,
        try store.content.header(of: row).mode.isDisjoint(with: [.control, .orders]),
        let state = try store.blocks.block(sequence: order.sequence)?.state, state == .applied || state == .held
      else { return nil }
      return (row, try members.remains(order))
    }
    .sorted { $0.row.sequence < $1.row.sequence }
  }

  /// Appends an empty block that names the heads seen so far, so that other instances know that this instance has
  /// carried out their purge orders. A read-only member does not append a block.
  func acknowledge() throws {
    guard try !store.purged.mustScrub(), try store.branches.chain(author.folder.instance) != nil, try mustAcknowledge()
    else {
      return
    }
    do { try members.requireWriter() } catch KitError.unauthorized { return }
    try author.write { transaction in
      guard try mustAcknowledge(), try !transaction.current().unannounced.isEmpty else { return }
      try transaction.append(controls: [], label: Purge.label)
    }
  }

  /// Whether another instance has ordered a purge in a block that this instance's chain does not name yet.
  private func mustAcknowledge() throws -> Bool {
    guard try store.control.hasOrders() else { return false }
    let point = try store.branches.appendPoint(of: author.folder.instance)
    let news = Dictionary(point.unannounced.map { ($0.instance, $0) }) { first, _ in first }
    var isOwed = false
    try store.control.forEachOrder { row in
      guard !isOwed, row.author.instance != author.folder.instance, row.author.branch.isMainBranch,
        let head = news[row.author.instance], head.index >= row.author.index
      else { return }
      let announced = try store.branches.announced(row.author.instance)
      isOwed = announced < Int64(row.author.index)
    }
    return isOwed
  }

  /// Removes asset files from this device that only purged revisions reference. Also removes abandoned downloads.
  private func removeAssets(hasEmptied: Bool) throws -> Int {
    let due = try PurgedAssets(assets).judge(in: assets.files).due
    let files = PurgedAssets.files(of: due)
    try assets.remove(files.others)
    try assets.remove(files.first)
    if hasEmptied { try assets.files.forEachDraft { _, _, isAlive in !isAlive } }
    return due.count
  }
}
