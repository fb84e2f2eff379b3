import SeaContainer
import SeaCore
import SeaStore

extension Database {
  /// A block that lies here and not in a container, or there and not here.
  package struct Missing: Sendable {
    package struct Change: Sendable {
      package var id: String
      package var revision: RevisionID
      package var kind: RevisionKind
    }
    package var isHere: Bool
    package var chain: BranchID
    package var index: UInt32
    package var instance: UUID { chain.instance }
    package var place: String { "\(chain)/\(index)" }
    /// None if the block cannot be read.
    package var changes: [Change] = []
  }

  /// The blocks that a container lacks, then those that only it has, until `body` returns false.
  ///
  /// What lies in the container has not been verified: `pull` does that.
  package func forEachMissing(in name: String, _ body: (Missing) throws -> Bool) throws {
    let container = try open(containerSetting(name))
    let forked = Set(try store.blocks.siblings().map { $0.instance })
    for chain in try store.blocks.chains() {
      if forked.contains(chain.instance) {
        guard try forEachMissing(of: chain.instance, in: name, body) else { return }
        continue
      }
      let last = try container.lastIndex(of: BranchID(chain.instance))
      guard last.map({ $0 < chain.head.index }) ?? true else { continue }
      var goesOn = true
      try store.blocks.forEachBlock(of: BranchID(chain.instance), from: last.map { $0 + 1 } ?? 0) { row, bytes in
        goesOn = try bytes.withUnsafeBytes {
          try body(
            Missing(isHere: true, chain: row.branch, index: row.index, changes: changes(in: $0, of: row.instance)))
        }
        return goesOn
      }
      guard goesOn else { return }
    }
    for chain in try container.chains().chains {
      let known = try lastKnown(of: chain, in: container, named: name)
      var goesOn = true
      _ = try container.readBlocks(of: chain, from: UInt32(known + 1)) { index, bytes in
        goesOn = try body(
          Missing(isHere: false, chain: chain, index: index, changes: changes(in: bytes, of: chain.instance)))
        return goesOn
      }
      guard goesOn else { return }
    }
  }

  /// Of a chain with several branches.
  private func forEachMissing(of instance: UUID, in name: String, _ body: (Missing) throws -> Bool) throws -> Bool {
    let (tree, first) = try unpushed(instance, name)
    for at in tree.branches.indices {
      let branch = tree.branches[at]
      var index = first[at]
      while let row = try store.blocks.block(branch.chain, index), index <= branch.last {
        let bytes = try store.blocks.bytes(of: row)
        let goesOn = try bytes.withUnsafeBytes {
          try body(Missing(isHere: true, chain: branch.chain, index: index, changes: changes(in: $0, of: instance)))
        }
        guard goesOn else { return false }
        index += 1
      }
    }
    return true
  }

  func changes(in block: UnsafeRawBufferPointer, of instance: UUID) -> [Missing.Change] {
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
