import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Why what lies at a place is not replaced by a bundle unasked.
package enum BundleObstacle: Sendable, Equatable {
  /// No bundle, or one that cannot be read.
  case other
  /// Of another database.
  case foreign(UUID)
  /// It has blocks that are not here.
  case ahead
  /// It begins with nothing, and the new one is an increment.
  case whole
}

extension BundleObstacle {
  /// What would be lost with what lies at a path; nil where a bundle may be written: on nothing, on an empty file, and on a bundle of
  /// this database of which all blocks are here.
  package static func found(at path: String, for plan: ExportPlan, of bundles: Bundles) throws -> BundleObstacle? {
    let there = try Path.statusFollowing(path)
    if let there, there.kind != .file || there.size == 0 { return nil }
    guard BundleProbe.kind(of: path) == .bundle else { return there.map { _ in .other } }
    guard let old = try? BundleReader(.file(path: path), temporary: bundles.folder.path).manifest() else {
      return .other
    }
    guard old.database == bundles.folder.databaseID else { return .foreign(old.database) }
    guard try old.heads.allSatisfy({ try bundles.store.blocks.block($0.block) != nil }) else { return .ahead }
    return old.base.isEmpty && !plan.isFull ? .whole : nil
  }
}
