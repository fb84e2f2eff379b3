import SeaContainer
import SeaCore
import SeaStore

/// The beginning of an export.
package enum ExportStart {
  /// The first block of every chain.
  case everything
  /// After the given heads.
  case heads([BlockRef])
  /// After the blocks that had arrived here by a point in time, in milliseconds since 1970.
  case time(Int64)
  /// After the blocks that an instance has seen, as its own blocks say.
  case instance(UUID)
}

extension Bundles {
  /// Returns the frontier of the blocks that an export leaves out.
  package func frontier(of start: ExportStart) throws -> Frontier {
    var frontier = Frontier()
    switch start {
    case .everything: break
    case .heads(let heads): for head in heads { try store.branches.extend(&frontier, to: head) }
    case .time(let time): try extend(&frontier, arrivedBy: time)
    case .instance(let instance): try extend(&frontier, seenBy: instance)
    }
    return frontier
  }

  /// Adds the blocks of each branch that had arrived by a time, together with all earlier ones.
  private func extend(_ frontier: inout Frontier, arrivedBy time: Int64) throws {
    let last = try store.blocks.sequence(arrivedBy: time)
    for run in try store.branches.runs() {
      // Blocks of a branch arrive in order.
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

  /// Adds the blocks of an instance, and the blocks that they name.
  private func extend(_ frontier: inout Frontier, seenBy instance: UUID) throws {
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
