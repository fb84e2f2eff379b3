import SeaContainer
import SeaCore
import SeaStore

extension Database {
  /// A revision's content, in which sets name the revisions that added to them; nil for a deleted one.
  package func content(of leaf: Leaf) throws -> (type: String?, body: Value?) {
    let change = try store.change(of: leaf)
    let body = try change.body.map { bytes in
      try bytes.withUnsafeBufferPointer { try Value.decode(body: $0) }.settled(parentDigest: leaf.revision.digest)
    }
    return (change.type, body)
  }

  /// What changed from one revision to another; nil stands for what was before the first. A type counts as the
  /// property `_type`.
  package func difference(from old: Leaf?, to new: Leaf) throws -> Difference {
    let (before, after) = (try old.map { try content(of: $0) }, try content(of: new))
    return try Difference(from: withType(before), to: withType(after))
  }

  private func withType(_ content: (type: String?, body: Value?)?) -> Value? {
    guard let content, var members = content.body?.members else { return nil }
    if let type = content.type { members["_type"] = .string(type) }
    return .dictionary(members)
  }

  /// A block that lies here and not in a container, or there and not here.
  package struct Missing: Sendable {
    package struct Change: Sendable {
      package var id: String
      package var revision: RevisionID
      package var kind: RevisionKind
    }
    package var isHere: Bool
    package var instance: UUID
    package var index: UInt32
    /// None if the block cannot be read.
    package var changes: [Change] = []
  }

  /// The blocks that a container lacks, then those that only it has, until `body` returns false.
  ///
  /// What lies in the container has not been verified: `pull` does that.
  package func forEachMissing(in name: String, _ body: (Missing) throws -> Bool) throws {
    let container = try open(containerSetting(name))
    for chain in try store.chains() {
      let last = try container.lastIndex(of: ChainName(chain.instance))
      guard last.map({ $0 < chain.head.index }) ?? true else { continue }
      var goesOn = true
      try store.forEachBlock(of: chain.instance, from: last.map { $0 + 1 } ?? 0) { row, bytes in
        goesOn = try bytes.withUnsafeBytes {
          try body(
            Missing(isHere: true, instance: row.instance, index: row.index, changes: changes(in: $0, of: row.instance)))
        }
        return goesOn
      }
      guard goesOn else { return }
    }
    for chain in try container.chains().chains where chain.fork == nil {
      let known = try store.chain(chain.instance)?.head.index
      var goesOn = true
      _ = try container.readBlocks(of: chain, from: known.map { $0 + 1 } ?? 0) { index, bytes in
        goesOn = try body(
          Missing(
            isHere: false, instance: chain.instance, index: index, changes: changes(in: bytes, of: chain.instance)))
        return goesOn
      }
      guard goesOn else { return }
    }
  }

  private func changes(in block: UnsafeRawBufferPointer, of instance: UUID) -> [Missing.Change] {
    guard let opened = try? BlockReader.open(block, of: instance, keys: keysAtHand()) else { return [] }
    func list(_ block: UnsafeRawBufferPointer) -> [Missing.Change] {
      let bytes = UnsafeBufferPointer(rebasing: block.assumingMemoryBound(to: UInt8.self)[BlockHeader.size...])
      return opened.payload.changes.map {
        Missing.Change(id: String(decoding: bytes[$0.id], as: UTF8.self), revision: $0.revision, kind: $0.kind)
      }
    }
    return opened.clear?.withUnsafeBytes { list($0) } ?? list(block)
  }
}
