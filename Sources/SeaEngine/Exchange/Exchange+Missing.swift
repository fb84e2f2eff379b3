import SeaContainer
import SeaCore
import SeaStore

/// A block that lies here and not in a container, or there and not here.
package struct MissingBlock: Sendable {
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

extension Exchange {
  /// The blocks that a container lacks, then those that only it has, until `body` returns false.
  ///
  /// What lies in the container has not been verified: `pull` does that.
  package func forEachMissing(in name: String, _ body: (MissingBlock) throws -> Bool) throws {
    let setting = try containers.setting(name)
    let container = try containers.open(setting)
    let plan = try containers.plan(setting)
    for run in plan.push { guard try forEachMissing(of: run, body) else { return } }
    for run in plan.pull {
      var goesOn = true
      _ = try container.readBlocks(of: run.branch, from: run.first) { index, bytes in
        goesOn = try body(
          MissingBlock(
            isHere: false, chain: run.branch, index: index, changes: changes(in: bytes, of: run.branch.instance)))
        return goesOn
      }
      guard goesOn else { return }
    }
  }

  /// Those of one run of ours.
  func forEachMissing(of run: BlockRun, _ body: (MissingBlock) throws -> Bool) throws -> Bool {
    var goesOn = true
    try store.blocks.forEachBlock(of: run.branch, from: run.first) { row, bytes in
      goesOn = try bytes.withUnsafeBytes {
        try body(
          MissingBlock(isHere: true, chain: row.branch, index: row.index, changes: changes(in: $0, of: row.instance)))
      }
      return goesOn && row.index < run.last
    }
    return goesOn
  }

  func changes(in block: UnsafeRawBufferPointer, of instance: UUID) -> [MissingBlock.Change] {
    guard let opened = try? BlockReader.open(block, of: instance, keys: keychain.ringAtHand()) else { return [] }
    func list(_ block: UnsafeRawBufferPointer) -> [MissingBlock.Change] {
      let bytes = UnsafeBufferPointer(rebasing: block.assumingMemoryBound(to: UInt8.self)[BlockHeader.size...])
      return opened.payload.changes.map {
        MissingBlock.Change(id: String(decoding: bytes[$0.id], as: UTF8.self), revision: $0.revision, kind: $0.kind)
      }
    }
    return opened.clear?.withUnsafeBytes { list($0) } ?? list(block)
  }
}
