import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The reason why a bundle does not replace a file without confirmation.
package enum BundleObstacle: Sendable, Equatable {
  /// The file is not a readable bundle.
  case other
  /// The bundle is of another database.
  case foreign(UUID)
  /// The bundle has blocks that are missing here.
  case ahead
  /// The file is a full bundle, and the new one is an increment.
  case whole
}

extension BundleObstacle {
  /// Returns the obstacle at a path; nil if a bundle may be written. A bundle may replace an empty file, or a bundle of
  /// this database whose blocks are all here.
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
