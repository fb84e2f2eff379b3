import SeaContainer
import SeaCore
import SeaSystem

/// A bundle in an exchange folder, described by its content or by its manifest alone.
package struct SurveyedBundle {
  package var bundle: BundleDirectory.Bundle
  package var manifest: BundleManifest
  /// The modification time in seconds since 1970, and the size in bytes.
  package var time: Int64
  package var size: Int64 = 0
  /// The branches that have blocks in the bundle; `held` contains their heads. Other heads do not count, because
  /// otherwise a bundle without blocks could prevent all exports.
  var branches: Set<BranchID>
  var held: [BundleHead] = []
  package var assets: [AssetPlace: Digest] = [:]
  /// Whether the content has been read, and not just the manifest.
  var isRead = false
  var backup: [BundlePath: Digest] = [:]
}

extension SurveyedBundle {
  /// - Parameters:
  ///   - reader: the reader of the bundle, positioned after the manifest.
  ///   - content: the content, if it has been read; nil to trust the manifest.
  init(_ bundle: BundleDirectory.Bundle, _ reader: BundleReader, _ content: BundleContent? = nil) throws {
    var ends: [BranchID: UInt32] = [:]
    var assets: [AssetPlace: Digest] = [:]
    var backup: [BundlePath: Digest] = [:]
    try reader.forEachPromised { member in
      switch member.path {
      case .asset(let place): assets[place] = member.sha256
      case .backup: backup[member.path] = member.sha256
      default:
        if let (chain, _, last) = member.path.blocks { ends[chain] = max(ends[chain] ?? 0, last) }
      }
    }
    let manifest = try reader.manifest()
    self.init(
      bundle: bundle, manifest: manifest, time: (bundle.files.map(\.time).max() ?? 0) / 1000,
      size: bundle.files.reduce(0) { $0 + $1.size }, branches: Set(ends.keys),
      held: manifest.heads.filter { head in
        guard let content else { return ends[head.branch].map { $0 >= head.index } ?? false }
        return content.verified.contains(head.branch)
      }, assets: assets, isRead: content != nil, backup: backup)
  }
}
