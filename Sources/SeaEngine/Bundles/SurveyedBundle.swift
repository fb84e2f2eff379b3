import SeaContainer
import SeaCore
import SeaSystem

/// A bundle of an exchange folder, as it was read or as it says.
package struct SurveyedBundle {
  package var bundle: BundleDirectory.Bundle
  package var manifest: BundleManifest
  /// When its file was written, as its file system says, and its bytes.
  package var time: Int64
  package var size: Int64 = 0
  /// Those of which it has blocks, and how far: heads are believed of blocks that it has, or a bundle of nothing would keep
  /// all others from being written.
  var branches: Set<BranchID>
  var held: [BundleHead] = []
  /// Files of assets in it, and what they are.
  package var assets: [AssetPlace: Digest] = [:]
  /// Whether what it has was read, and not believed.
  var isRead = false
  /// Settings and hooks in it, and what they are.
  var backup: [BundlePath: Digest] = [:]
}

extension SurveyedBundle {
  /// - Parameters:
  ///   - reader: of the bundle, behind its manifest.
  ///   - content: what it has, if it was read; else what it says is believed.
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
