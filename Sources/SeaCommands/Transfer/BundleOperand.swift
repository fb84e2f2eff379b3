import SeaEngine
import SeaSystem

enum BundleOperand {
  case file(path: String)
  case folder(BundleDirectory, [BundleDirectory.Bundle])

  /// Returns nil if the path leads to neither a bundle nor a folder of bundles. A container never counts as a folder of
  /// bundles.
  static func of(_ path: String) throws -> BundleOperand? {
    guard let status = try Path.statusFollowing(path) else {
      // The bundle may be split into several volumes.
      return BundleProbe.kind(of: path) == nil ? nil : .file(path: path)
    }
    switch status.kind {
    case .file: return .file(path: path)
    case .directory:
      if try Path.exists(Path.join(path, "info.json")) { return nil }
      let folder = try BundleDirectory(path)
      let bundles = try folder.bundles()
      return bundles.isEmpty ? nil : .folder(folder, bundles)
    default: return nil
    }
  }
}
