import SeaContainer
import SeaCore
import SeaSystem
import SeaStore

/// What was written.
package struct Exported: Sendable {
  /// Which bundle it is: SHA-256 of its manifest.
  package var digest: Digest
  /// Bytes of all its files.
  package var size: Int64
  /// The names of the files; none for what went to a stream.
  package var files: [String] = []
  /// Whether it was read back from the medium and is as it was written.
  package var isVerified = false

  package init(digest: Digest, size: Int64, files: [String] = [], isVerified: Bool = false) {
    self.digest = digest
    self.size = size
    self.files = files
    self.isVerified = isVerified
  }
}

extension ExportPlan {
  /// The least room that it takes on a medium.
  package func leastSize(_ compression: BundleCompression) -> Int64 {
    let blocks = blockBytes + Int64(front.count + back.count) * 1024
    guard compression != .none, !manifest.isSealed else {
      return assets.reduce(blocks) { $0 + $1.size }
    }
    return assets.reduce(blocks / 20) { $0 + ($1.shrinks ? $1.size / 20 : $1.size) }
  }

  /// Files of assets that go along, and their bytes.
  package var assetCount: Int { assets.count }
  package var assetBytes: Int64 { assets.reduce(0) { $0 + $1.size } }
}

extension Bundles {
  /// Hands a bundle to `sink`, as its bytes arise.
  /// - Returns: which bundle it is.
  package func export(
    _ plan: ExportPlan, _ compression: BundleCompression, named name: String,
    to sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Digest {
    let meter = WorkMeter(folder.settings.report, .packing, name, of: plan.blockBytes + plan.assetBytes)
    return try BundleFault.named(name) {
      // What leaves is on our own disk first.
      try store.disk.makeDurable()
      return try store.snapshot {
        let content = ExportContent(assets, plan, meter)
        let writer = try BundleWriter(compression, temporary: folder.path, sink: sink)
        return try writer.write(plan.manifest, members: content.forEachMember, content: content.content)
      }
    }
  }

  /// Writes a bundle as a file, or as several. It has its name when all of it is on the medium, and before that nothing
  /// is there.
  /// - Parameters:
  ///   - volumeSize: where to cut.
  ///   - replace: whether a file of that name may go.
  ///   - verifies: whether it is read back from the medium first.
  package func export(
    _ plan: ExportPlan, _ compression: BundleCompression, to path: String, volumeSize: Int64?, replace: Bool,
    verifies: Bool
  ) throws -> Exported {
    let name = Path.name(path)
    return try BundleFault.named(name) {
      try BundleFile.checkSpace(plan.leastSize(compression), in: Path.parent(path))
      let file = try BundleFile(path, volumeSize: volumeSize, followsLinks: replace)
      let digest = try export(plan, compression, named: name) {
        try self.folder.settings.checkStop()
        try file.write($0)
      }
      try file.finish()
      if verifies {
        folder.settings.report?(Work(.verifying, name, done: 0, of: file.size))
        try file.verify(digest, temporary: folder.path)
      }
      let files = file.names
      try file.commit(replace: replace)
      return Exported(digest: digest, size: file.size, files: files, isVerified: verifies)
    }
  }
}
