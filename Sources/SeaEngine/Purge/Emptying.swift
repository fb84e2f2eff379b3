import SeaCore
import SeaStore

/// Takes out of this device what somebody who may has ordered to be purged: of the store, and of the assets.
///
/// Only what would be sound as a removed block is taken out: so nothing that counts is lost by an order that does not.
package final class Emptying {
  let author: Author
  let assets: Assets
  private var members: Roster { author.members }
  private var store: Store { author.store }

  package init(_ assets: Assets) {
    author = assets.author
    self.assets = assets
  }

  /// Takes out what is ordered by now. Whatever was begun before is brought to its end.
  /// - Returns: how many blocks were emptied, how many assets went, and what became of the bytes.
  @discardableResult
  package func run() throws -> (blocks: Int, assets: Int, scrubbed: PurgedBytes.Scrubbed) {
    guard try store.control.hasOrders() else { return (0, 0, .done) }
    let (blocks, assets) = try store.locked {
      let blocks = try empty()
      return (blocks, try removeAssets(hasEmptied: blocks > 0))
    }
    return (blocks, assets, try store.purged.scrub())
  }

  /// Thrown where what was taken out would be damage: then nothing is.
  private struct Unsound: Error {}

  private func empty() throws -> Int {
    do {
      return try store.write {
        let due = try due()
        guard !due.isEmpty else { return 0 }
        try store.purged.empty(due)
        _ = try members.applyWhatCounts()
        // What is gone is gone: it is looked once more, now by what is there, before it is.
        for (row, _) in due {
          guard let now = try store.blocks.block(sequence: row.sequence), now.state != .unread else { throw Unsound() }
        }
        return due.count
      }
    } catch is Unsound {
      return 0
    }
  }

  /// The whole blocks here that an order names which counts, with what is to be kept of it.
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

  /// Tells the others that what they have ordered is done here: by a block that says nothing but which heads it has seen. Whoever
  /// may not write tells nobody.
  func acknowledge() throws {
    guard try !store.purged.mustScrub(), try store.branches.chain(author.folder.instance) != nil, try isOwed() else {
      return
    }
    do { try members.requireWriter() } catch KitError.unauthorised { return }
    try author.write { transaction in
      guard try isOwed(), try !transaction.current().unannounced.isEmpty else { return }
      try transaction.append(controls: [], label: Purge.label)
    }
  }

  /// Whether somebody has ordered something and can know that we know by no block of ours.
  private func isOwed() throws -> Bool {
    guard try store.control.hasOrders() else { return false }
    let point = try store.branches.appendPoint(of: author.folder.instance)
    let news = Dictionary(point.unannounced.map { ($0.instance, $0) }) { first, _ in first }
    var isOwed = false
    try store.control.forEachOrder { row in
      guard !isOwed, row.author.instance != author.folder.instance, row.author.branch.isTrunk,
        let head = news[row.author.instance], head.index >= row.author.index
      else { return }
      let announced = try store.branches.announced(row.author.instance)
      isOwed = announced < Int64(row.author.index)
    }
    return isOwed
  }

  /// The files of assets here that only purged revisions have named, and what was being fetched.
  private func removeAssets(hasEmptied: Bool) throws -> Int {
    let due = try PurgedAssets(assets).judge(in: assets.files).due
    let files = PurgedAssets.files(of: due)
    try assets.remove(files.others)
    try assets.remove(files.first)
    if hasEmptied { try assets.files.forEachDraft { _, _, isAlive in !isAlive } }
    return due.count
  }
}
