import SeaEngine
import SeaSystem

/// What an operand names, where it may be a bundle, a folder of bundles, or something else.
enum BundleOperand {
  case file(path: String)
  case folder(BundleDirectory, [BundleDirectory.Bundle])

  /// Nil if it is neither. A container is none, whatever else lies in it.
  static func of(_ path: String) throws -> BundleOperand? {
    guard let status = try Path.statusFollowing(path) else {
      // It may be in several volumes.
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
