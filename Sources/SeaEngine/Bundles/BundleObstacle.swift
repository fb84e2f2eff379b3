import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// A reason to ask for confirmation before a bundle replaces a file.
package enum BundleObstacle: Sendable, Equatable {
  case other
  case foreign(UUID)
  /// The existing bundle contains blocks that are missing locally.
  case ahead
  /// The existing file is a full bundle, and the new bundle is an increment.
  case whole
}

extension BundleObstacle {
  /// Returns nil if no confirmation is needed: if the existing file is empty, or if it is a bundle of this database
  /// whose blocks are all stored locally.
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
