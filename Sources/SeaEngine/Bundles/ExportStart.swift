import SeaContainer
import SeaCore
import SeaStore

/// Where an export begins.
package enum ExportStart {
  case everything
  case heads([BlockRef])
  /// Begins after the blocks that this instance had received by the given time, in milliseconds since 1970.
  case time(Int64)
  /// Begins after the blocks that an instance has seen, according to its chain.
  case instance(UUID)
}

extension Bundles {
  /// Returns the version vector of the blocks to leave out.
  package func frontier(of start: ExportStart) throws -> VersionVector {
    var frontier = VersionVector()
    switch start {
    case .everything: break
    case .heads(let heads): for head in heads { try store.branches.extend(&frontier, to: head) }
    case .time(let time): try extend(&frontier, arrivedBy: time)
    case .instance(let instance): try extend(&frontier, seenBy: instance)
    }
    return frontier
  }

  /// Adds all blocks that had arrived by a certain time, and their ancestors.
  private func extend(_ frontier: inout VersionVector, arrivedBy time: Int64) throws {
    let last = try store.blocks.sequence(arrivedBy: time)
    for run in try store.branches.runs() {
      // The blocks of a branch always arrive in order, so use a binary search.
      var low = Int64(run.first) - 1
      var high = Int64(run.last) + 1
      while high - low > 1 {
        let middle = low + (high - low) / 2
        guard let row = try store.blocks.block(run.branch, UInt32(middle)) else { break }
        if row.sequence <= last { low = middle } else { high = middle }
      }
      guard low >= Int64(run.first), let row = try store.blocks.block(run.branch, UInt32(low)) else {
        continue
      }
      try store.branches.extend(&frontier, to: row)
    }
  }

  private func extend(_ frontier: inout VersionVector, seenBy instance: UUID) throws {
    for branch in try store.branches.branches(of: instance) {
      try store.branches.extend(&frontier, to: branch.head)
    }
    try store.branches.forEachTransaction(of: instance) { row in
      guard row.state == .applied, let clear = try store.content.clearBytes(of: row) else { return true }
      let payload = try clear.withUnsafeBytes { try BlockReader.payload(ofKept: $0) }
      for head in payload.heads {
        guard let row = try store.blocks.block(head) else { continue }
        try store.branches.extend(&frontier, to: row)
      }
      return true
    }
  }
}
