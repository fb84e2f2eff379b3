import SeaContainer
import SeaCore
import SeaSystem

/// Determines the kind of a file from its first bytes.
package enum BundleProbe {
  package enum Kind { case bundle, other }

  /// Returns nil if the file is missing or is a folder.
  package static func kind(of path: String) -> Kind? {
    let paths: [String]
    do throws(BundleError) {
      paths = try BundleVolumes.paths(of: path).paths
    } catch {
      // The error that names the missing volume comes later, when the bundle is read.
      if case .missingVolume = error { return .bundle }
      return nil
    }
    guard let first = paths.first, let file = try? File(first, [.read, .nonBlocking]),
      (try? file.status().kind) == .file
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = (try? bytes.withMutableBytes { (bytes) throws(SystemError) in try file.read(into: bytes) }) ?? 0
    let start = bytes.prefix(count)
    let isTar = start.starts(with: Array(BundlePath.manifest.utf8) + [0])
    return isTar || Array(start).withUnsafeBytes { BundleCompression(magic: $0) } != .none ? .bundle : .other
  }

  /// - Throws: `TransferError.bundle`.
  package static func heads(of path: String, named name: String, temporary: String) throws -> [BlockRef] {
    let manifest = try BundleFault.named(name) {
      try BundleReader(.file(path: path), temporary: temporary).manifest()
    }
    return manifest.reached.map(\.block)
  }
}

extension BundleManifest {
  /// The last block of each branch after an import of the bundle.
  package var reached: [BundleHead] {
    let before = base.filter { base in !heads.contains { $0.branch == base.branch } }
    return (before + heads).sorted { $0.branch < $1.branch }
  }
}
