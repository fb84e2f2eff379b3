import SeaContainer
import SeaCore
import SeaStore

/// What one side has and another lacks of a chain.
package struct Lack: Sendable, Equatable {
  package var head: BlockRef
  /// The first block that is lacked.
  package var from: UInt32
}

extension Database {
  /// The heads of all chains that this instance knows, and of their branches.
  package func heads() throws -> [BlockRef] {
    try store.blocks.branches().map(\.head).sorted { $0.branch < $1.branch }
  }

  /// The heads of all chains in a container: of each the last block that is whole. Nothing is verified.
  package static func heads(in container: Container) throws -> [BlockRef] {
    _ = try container.info()
    return try container.chains().chains.compactMap { chain in
      guard let first = try container.firstIndex(of: chain), let last = try container.lastIndex(of: chain) else {
        return nil
      }
      var index = last
      while true {
        var digest: Digest?
        _ = try container.readBlocks(of: chain, from: index) { _, bytes in
          digest = SHA256.hash(bytes)
          return false
        }
        if let digest { return BlockRef(chain, index: index, digest: digest) }
        guard index > first else { return nil }
        index -= 1
      }
    }
  }

  /// The heads of the container that is attached under a name, or that lies at a location.
  package static func heads(in name: String, at location: String, of database: Database?) throws -> [BlockRef] {
    if let setting = try? database?.containerSetting(name) { return try heads(in: database!.open(setting)) }
    return try heads(in: container(at: location))
  }
}

extension Lack {
  /// What a side with the heads `theirs` lacks of `ours`.
  package static func of(_ theirs: [BlockRef], in ours: [BlockRef]) -> [Lack] {
    ours.compactMap { head in
      // A branch of ours may have another name on the other side.
      if theirs.contains(where: { $0 == head }) { return nil }
      guard let known = theirs.last(where: { $0.branch == head.branch }) else { return Lack(head: head, from: 0) }
      return known.index < head.index ? Lack(head: head, from: known.index + 1) : nil
    }
  }

  /// The chains of which both sides have the same length and different blocks.
  package static func forks(_ theirs: [BlockRef], in ours: [BlockRef]) -> [BlockRef] {
    ours.filter { head in
      theirs.contains { $0.branch == head.branch && $0.index == head.index && $0.digest != head.digest }
        && !theirs.contains { $0 == head }
    }
  }
}
