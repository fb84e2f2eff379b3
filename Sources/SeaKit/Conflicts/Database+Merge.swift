import SeaCore
import SeaStore

/// A conflict that ended without anybody being asked.
package struct Merged: Sendable {
  package var id: String
  package var type: String?
  package var revision: RevisionID
  /// What was merged, the winner first.
  package var leaves: [RevisionID]
  package var how: Settled.How
  /// The places that were not the same everywhere, and whose value each has now; nil if it is nobody's alone.
  package var paths: [(path: PropertyPath, author: UUID?)]
}

extension Database {
  static let mergeLabel = "merge"
  /// At most about so many bytes of merges become one block, and so many changes.
  private static let mergeBytes = 8 << 20
  private static let mergeItems = 50_000
  /// A merge with a larger body might not fit a block.
  private static let largestMerge = BlockHeader.largestBlock - (1 << 16)

  /// Merges the records that are in conflict without a clash, as far as anything about them is new: blocks that have
  /// arrived since it was last tried, or other settings. Of each one it is all or nothing.
  ///
  /// Every instance with the same leaves and the same shared settings writes the same revisions.
  package func mergeConflicts() throws -> [Merged] {
    guard try mayMerge() else { return [] }
    let settings = try mergeSettings()
    guard settings.automatic != .off else { return [] }
    guard try !store.records.contested(since: triedBefore(settings)).isEmpty else { return [] }
    defer { store.unlock() }
    return try writing { try mergeInTransaction(settings) }
  }

  /// Whether this instance can write, and what it writes counts.
  func mayMerge() throws -> Bool {
    if try isPending() { return false }
    if let membership = try membership() {
      guard let role = membership[instance]?.role, role != .read else { return false }
    }
    // Without its keys it passes blocks on unread.
    do { try prepareKeys() } catch KitError.noKey { return false }
    return true
  }

  private func triedBefore(_ settings: MergeSettings) throws -> Int64 {
    guard try store.metaBlob("mergeSettings") == settings.digest.bytes else { return 0 }
    return try store.metaInt(RecordTable.mergedUpTo) ?? 0
  }

  private func mergeInTransaction(_ settings: MergeSettings) throws -> [Merged] {
    let rows = try store.records.contested(since: triedBefore(settings))
    let last = try store.blocks.lastSequence()
    var merged: [Merged] = []
    var builder = try builder(label: Database.mergeLabel)
    for row in rows where row.conflict == .live {
      guard let conflict = try unasked(row, settings)?.conflict, conflict.isClean,
        let one = try end(unasked: conflict, Settled(merging: conflict), &builder)
      else { continue }
      merged.append(one)
    }
    if !builder.isEmpty { _ = try write(&builder, label: Database.mergeLabel) }
    try store.setMeta("mergeSettings", .blob(settings.digest.bytes))
    try store.setMeta(RecordTable.mergedUpTo, .int(last))
    return merged
  }

  /// The conflict of a record that may end unasked: nobody has deleted it, and no leaf was set apart.
  /// - Returns: also whether settings that only this instance has may settle something in it.
  func unasked(_ row: RecordRow, _ settings: MergeSettings) throws -> (conflict: Conflict, own: Bool)? {
    let leaves = try ending(row)
    let history = RecordHistory(store, row, leaves)
    guard leaves.count > 1, try leaves.allSatisfy({ try $0.kind == .put && !history.repeatsParent($0) }) else {
      return nil
    }
    let own = try canDecide(leaves, history)
    let rules = settings.rules(type: row.type, own: own)
    return try conflict(of: row, leaves, history, rules).map { ($0, own) }
  }

  /// Adds what ends a conflict that nobody was asked about; writes what there is before if it were too much together.
  /// - Returns: nil if the content is too much for any block, or cannot be stored.
  func end(unasked conflict: Conflict, _ settled: Settled, _ builder: inout BlockBuilder) throws -> Merged? {
    guard let size = settled.content.storedSize, size <= Database.largestMerge else { return nil }
    let isFull = builder.count + size > Database.mergeBytes || builder.changes.count > Database.mergeItems
    if isFull, !builder.isEmpty {
      _ = try write(&builder, label: Database.mergeLabel)
      builder = try self.builder(label: Database.mergeLabel)
    }
    guard let revision = try end(conflict, settled, &builder).revision else { return nil }
    let isProgram = if case .program = settled.how { true } else { false }
    return Merged(
      id: conflict.id, type: settled.content.type, revision: revision, leaves: conflict.leaves, how: settled.how,
      paths: conflict.paths.map { ($0.path, isProgram ? nil : conflict.author(of: $0)) })
  }
}

extension Conflict {
  /// Who wrote what a place comes to.
  fileprivate func author(of path: Path) -> UUID? {
    let sides = zip(sides, path.values).filter { $1 == path.merged && $1 != path.base }
    return sides.count == 1 ? sides[0].0.author?.instance : nil
  }
}

extension Content {
  /// The bytes of the body; nil if it cannot be stored. What each side may say, both together may not: a key with a
  /// dollar makes a dictionary deeper.
  fileprivate var storedSize: Int? {
    guard let body else { return 0 }
    var writer = ByteWriter()
    return (try? body.encodeBody(into: &writer)).map { _ in writer.count }
  }
}
