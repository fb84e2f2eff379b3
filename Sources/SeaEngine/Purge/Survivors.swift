import SeaCore
import SeaStore

/// What stays of blocks that are purged: the revisions in them that are not meant, written again as they were. Whoever
/// reads one of the new blocks finds them under their old names.
struct Survivors {
  private let store: Store
  private let plan: PurgePlan
  private let going: Set<Int64>
  private var written: Set<Digest> = []
  private(set) var count = 0

  init(_ store: Store, _ plan: PurgePlan) {
    self.store = store
    self.plan = plan
    going = Set(plan.going.map(\.sequence))
  }

  /// - Parameter add: gets the block, or its clear form, and a change in it, whose ranges count from the end of the header.
  mutating func forEach(_ add: (UnsafeBufferPointer<UInt8>, Change) throws -> Void) throws {
    for row in plan.going where row.state == .applied && !row.isHidden {
      guard let clear = try store.content.clearBytes(of: row) else { throw KitError.damaged("block \(row.ref)") }
      try clear.withUnsafeBytes { bytes in
        let payload = try BlockReader.payload(ofKept: bytes)
        let content = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[BlockHeader.size...])
        for change in payload.changes where change.body != nil {
          let digest = change.revision.digest
          guard plan.targets[digest] == nil, try !isElsewhere(change, content), written.insert(digest).inserted
          else { continue }
          count += 1
          try add(content, change)
        }
      }
    }
  }

  /// Whether a block that stays has it too.
  private func isElsewhere(_ change: Change, _ content: UnsafeBufferPointer<UInt8>) throws -> Bool {
    guard let record = try store.records.record(id: UnsafeBufferPointer(rebasing: content[change.id])),
      let leaf = try store.records.revision(change.revision, of: record)
    else { return false }
    return try store.records.blocks(with: leaf, of: record).contains { sequence in
      guard !going.contains(sequence) else { return false }
      return try store.blocks.block(sequence: sequence)?.state == .applied
    }
  }
}
