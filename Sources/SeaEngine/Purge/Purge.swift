import SeaCore
import SeaStore

/// Orders the permanent removal of content.
///
/// A purge order is a control entry in this instance's chain. It names blocks and repeats the data from them that other
/// instances need. All other revisions in these blocks are written again first. A single transaction does all of this
/// and removes the payloads from the store.
package final class Purge {
  let records: Records
  package let emptying: PurgeExecutor
  private var author: Author { records.author }
  var store: Store { records.store }

  package init(_ records: Records, _ emptying: PurgeExecutor) {
    self.records = records
    self.emptying = emptying
  }

  package func plan(_ goal: PurgeGoal) throws -> PurgePlan {
    try store.snapshot {
      var plan = try search(goal)
      var survivors = Survivors(store, plan)
      try survivors.forEach { _, _ in }
      plan.kept = survivors.count
      return plan
    }
  }

  private func search(_ goal: PurgeGoal) throws -> PurgePlan {
    var search = PurgeSearch(goal, author.members)
    return try search.run()
  }

  /// Orders the purge and removes the payloads from the store.
  /// - Throws: `purgeConflicts` if unresolved conflicts still need the history that would be purged.
  package func run(_ goal: PurgeGoal) throws -> Purged {
    try author.members.requireWriter()
    let plan = try author.write { transaction in
      let before = try search(goal)
      guard before.conflicts.isEmpty else { throw KitError.purgeConflicts(before.conflicts) }
      guard !before.isEmpty else { return before }
      if before.endsNow { try end(goal, transaction) }
      var plan = try search(goal)
      (plan.endsNow, plan.unread) = (before.endsNow, before.unread)
      plan.kept = try writeAgain(plan, transaction)
      try order(&plan, transaction)
      plan.count()
      var wishes = try UnfinishedPurges(store)
      try wishes.add(plan)
      return plan
    }
    var purged = Purged(plan: plan)
    let foreign = try foreignAssets(plan)
    (purged.emptied, purged.assets, purged.scrubbed) = try emptying.run()
    let known = try Set(store.purged.assets().map(\.extent))
    purged.elsewhere = try foreign.filter { try !known.contains($0) && !store.assets.isNamed($0.start) }
    return purged
  }

  private func foreignAssets(_ plan: PurgePlan) throws -> [AssetExtent] {
    var found: Set<AssetExtent> = []
    for row in plan.purgeableBlocks {
      guard let clear = try store.content.clearBytes(of: row) else { continue }
      for asset in AssetTable.assets(in: clear) where asset.extent.instance != row.instance {
        found.insert(asset.extent)
      }
    }
    return found.sorted { ($0.instance, $0.first, $0.last) < ($1.instance, $1.first, $1.last) }
  }

  /// Replaces the current content with a new revision, so that all instances see the removal.
  private func end(_ goal: PurgeGoal, _ transaction: BlockTransaction) throws {
    let batch = WriteBatch(label: Purge.label)
    switch goal {
    case .record(let id, _): batch.addDeletion(id, .none)
    case .properties(let id, let paths, _):
      try batch.addEdit(id, type: nil, .none, mustExist: true) { old in
        var value = old ?? .empty
        for path in paths { _ = value.remove(at: path) }
        return value
      }
    case .before: return
    }
    _ = try records.write(batch, in: transaction)
  }

  package static let label = "purge"
  /// The approximate size in bytes at which a block is full.
  private static let fullBlock = 4 << 20
  private static let mostOrders = 4096

  private func writeAgain(_ plan: PurgePlan, _ transaction: BlockTransaction) throws -> Int {
    var builder = try transaction.builder(label: BlockTable.rewriteMessage)
    var survivors = Survivors(store, plan)
    func flush() throws {
      if builder.isEmpty { return }
      try transaction.append(&builder, label: BlockTable.rewriteMessage)
      builder = try transaction.builder(label: BlockTable.rewriteMessage)
    }
    try survivors.forEach { content, change in
      if builder.count > Purge.fullBlock || builder.changes.count >= 100_000 { try flush() }
      let again = try builder.add(again: change, of: content)
      guard again.revision == change.revision else { throw KitError.damaged("revision \(change.revision)") }
    }
    try flush()
    return survivors.count
  }

  private func order(_ plan: inout PurgePlan, _ transaction: BlockTransaction) throws {
    var entries: [ControlEntry] = []
    var size = 0
    func flush() throws {
      if !entries.isEmpty { try transaction.append(controls: entries, label: Purge.label) }
      (entries, size) = ([], 0)
    }
    for at in plan.blocks.indices where plan.blocks[at].obstacle == nil {
      let row = plan.blocks[at].row
      guard let clear = try store.content.clearBytes(of: row) else {
        throw KitError.damaged("block \(row.ref)")
      }
      let entry = ControlEntry.purge(try PurgeOrder(row.ref, clear: clear))
      var writer = ByteWriter()
      entry.write(into: &writer)
      guard writer.count < BlockHeader.largestBlock / 2 else {
        plan.blocks[at].obstacle = .large
        continue
      }
      if size + writer.count > Purge.fullBlock || entries.count >= Purge.mostOrders { try flush() }
      entries.append(entry)
      size += writer.count
    }
    try flush()
  }
}

extension BlockBuilder {
  mutating func add(again change: Change, of content: UnsafeBufferPointer<UInt8>) throws -> Change {
    var merged: [RevisionID] = []
    var cursor = CBORCursor(UnsafeBufferPointer(rebasing: content[change.merged]))
    while !cursor.atEnd { merged.append(try RevisionID(&cursor)) }
    return try add(
      id: UnsafeBufferPointer(rebasing: content[change.id]),
      type: change.type.map { UnsafeBufferPointer(rebasing: content[$0]) }, parent: change.parent, merged: merged,
      kind: change.kind, body: change.body.map { UnsafeBufferPointer(rebasing: content[$0]) },
      hasReferences: change.hasReferences)
  }
}

/// The revisions in purged blocks that must survive. They are written again unchanged, so that they keep their revision
/// IDs.
struct Survivors {
  private let store: Store
  private let plan: PurgePlan
  private let going: Set<Int64>
  private var written: Set<Digest> = []
  private(set) var count = 0

  init(_ store: Store, _ plan: PurgePlan) {
    self.store = store
    self.plan = plan
    going = Set(plan.purgeableBlocks.map(\.sequence))
  }

  /// - Parameter add: receives the decrypted block and a change. The change's ranges are relative to the end of the
  ///   header.
  mutating func forEach(_ add: (UnsafeBufferPointer<UInt8>, Change) throws -> Void) throws {
    for row in plan.purgeableBlocks where row.state == .applied && !row.isHidden {
      guard let clear = try store.content.clearBytes(of: row) else { throw KitError.damaged("block \(row.ref)") }
      try clear.withUnsafeBytes { bytes in
        let payload = try BlockReader.payload(ofKept: bytes)
        let content = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[BlockHeader.size...])
        for change in payload.changes where change.body != nil {
          let digest = change.revision.digest
          guard plan.targets[digest] == nil, try !isElsewhere(change, content), written.insert(digest).inserted
          else { continue }
          count += 1
          try add(content, change)
        }
      }
    }
  }

  private func isElsewhere(_ change: Change, _ content: UnsafeBufferPointer<UInt8>) throws -> Bool {
    guard let record = try store.records.record(id: UnsafeBufferPointer(rebasing: content[change.id])),
      let leaf = try store.records.revision(change.revision, of: record)
    else { return false }
    return try store.records.blocks(with: leaf, of: record).contains { sequence in
      guard !going.contains(sequence) else { return false }
      return try store.blocks.block(sequence: sequence)?.state == .applied
    }
  }
}
