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
    guard try !store.contested(since: triedBefore(settings)).isEmpty else { return [] }
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
    return try store.metaInt(Store.mergedUpTo) ?? 0
  }

  private func mergeInTransaction(_ settings: MergeSettings) throws -> [Merged] {
    let rows = try store.contested(since: triedBefore(settings))
    let last = try store.lastSequence()
    var merged: [Merged] = []
    var builder = try builder(label: Database.mergeLabel)
    for row in rows where row.conflict == .live {
      guard let conflict = try mergeable(row, settings) else { continue }
      guard try makeRoom(conflict.merged, &builder) else { continue }
      var settled = Settled(conflict.merged, leaves: conflict.leaves, how: .clean)
      if !conflict.policies.isEmpty { settled.how = .policies(conflict.policies) }
      let end = try end(conflict, settled, &builder)
      guard let revision = end.revision else { continue }
      merged.append(
        Merged(
          id: row.id, type: conflict.merged.type, revision: revision, leaves: conflict.leaves, how: settled.how,
          paths: conflict.paths.map { ($0.path, conflict.author(of: $0)) }))
    }
    if !builder.isEmpty { _ = try write(&builder, label: Database.mergeLabel) }
    try store.setMeta("mergeSettings", .blob(settings.digest.bytes))
    try store.setMeta(Store.mergedUpTo, .int(last))
    return merged
  }

  /// Writes what there is if a merge with this content would be too much on top of it.
  /// - Returns: false if the content is too much for any block.
  func makeRoom(_ content: Content, _ builder: inout BlockBuilder) throws -> Bool {
    let size = content.body?.encoding.count ?? 0
    guard size <= Database.largestMerge else { return false }
    let isFull = builder.count + size > Database.mergeBytes || builder.changes.count > Database.mergeItems
    if isFull, !builder.isEmpty {
      _ = try write(&builder, label: Database.mergeLabel)
      builder = try self.builder(label: Database.mergeLabel)
    }
    return true
  }

  /// The conflict of a record if it merges without asking.
  private func mergeable(_ row: RecordRow, _ settings: MergeSettings) throws -> Conflict? {
    guard let conflict = try conflict(of: row, settings), conflict.isClean else { return nil }
    let history = RecordHistory(store, row)
    if try conflict.sides.contains(where: { try history.repeatsParent($0.leaf) }) { return nil }
    return conflict.merged.fits ? conflict : nil
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
  /// Whether it can be stored. What each side may say, both together may not: a key with a dollar makes a dictionary
  /// deeper.
  var fits: Bool {
    var writer = ByteWriter()
    return (try? body?.encodeBody(into: &writer)) != nil || body == nil
  }
}
