import SeaContainer
import SeaCore

/// What an instance remembers of the hints in a container. All of it may be lost: then everything is looked at.
struct HintMemory: Equatable {
  /// A hint as it was before everything was looked at.
  struct Seen: Equatable {
    var size: Int64
    /// By the clock of the place, 0 where nobody knows.
    var changed: Int64
    /// When it was first met so, by our clock.
    var since: Int64
    /// Whether everything was looked at so long afterwards that what its writer has done since would show in the listing.
    var isSettled = false
    /// Of its content; nil if nobody has read it.
    var digest: Digest?

    func isSame(_ entry: HintEntry) -> Bool { size == entry.size && changed == entry.changed }
  }

  /// When everything was looked at last, and all was well; 0 for never.
  var looked: Int64 = 0
  /// What was here then that the container might lack.
  var state = Digest.zero
  var files: [UUID: Seen] = [:]
  /// The time in our own hint, and what it said.
  var written: Int64 = 0
  var heads: [BlockRef] = []

  static func key(_ container: String) -> String { "hints:" + container }
  private static let version: UInt8 = 1
}

extension HintMemory {
  /// - Returns: nil for what was written otherwise.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard reader.byte() == HintMemory.version, let looked = reader.int64(), let state = reader.digest(),
      let written = reader.int64(), let headCount = reader.uint32()
    else { return nil }
    (self.looked, self.state, self.written) = (looked, state, written)
    for _ in 0..<headCount {
      guard let branch = reader.branch(), let index = reader.uint32(), let digest = reader.digest() else { return nil }
      heads.append(BlockRef(branch, index: index, digest: digest))
    }
    guard let fileCount = reader.uint32() else { return nil }
    for _ in 0..<fileCount {
      guard let name = reader.uuid(), let size = reader.int64(), let changed = reader.int64(),
        let since = reader.int64(), let flags = reader.byte()
      else { return nil }
      var seen = Seen(size: size, changed: changed, since: since, isSettled: flags & 1 != 0)
      if flags & 2 != 0 {
        guard let digest = reader.digest() else { return nil }
        seen.digest = digest
      }
      files[name] = seen
    }
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.byte(HintMemory.version)
    writer.int64(looked)
    writer.append(state.bytes)
    writer.int64(written)
    writer.uint32(UInt32(heads.count))
    for head in heads {
      writer.branch(head.branch)
      writer.uint32(head.index)
      writer.append(head.digest.bytes)
    }
    writer.uint32(UInt32(files.count))
    for (name, seen) in files.sorted(by: { $0.key < $1.key }) {
      writer.append(name.bytes)
      writer.int64(seen.size)
      writer.int64(seen.changed)
      writer.int64(seen.since)
      writer.byte((seen.isSettled ? 1 : 0) | (seen.digest == nil ? 0 : 2))
      if let digest = seen.digest { writer.append(digest.bytes) }
    }
    return writer.array()
  }
}
