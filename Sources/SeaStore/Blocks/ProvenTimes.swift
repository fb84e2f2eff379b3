import SeaCore

/// The proven times of blocks (sea-format(5), Lamport time): what the rule of the clock gives from what is here, whatever the headers
/// claim. Each block is looked at once.
struct ProvenTimes {
  private let branches: BranchTable
  private var blocks: BlockTable { branches.blocks }
  /// By sequence.
  private var known: [Int64: UInt32] = [:]
  /// What is behind a removed block that nothing allows is not here.
  private let gaps: Gaps

  init(_ branches: BranchTable, _ gaps: Gaps?) throws(StoreError) {
    self.branches = branches
    if let gaps {
      self.gaps = gaps
    } else {
      self.gaps = try Gaps(branches.blocks.unsoundRemovals(), branches)
    }
  }

  private struct Step {
    var row: BlockRow
    /// The block before it, and those that it names, as far as they are here.
    var before: [BlockRow]
    var position = 0
    var greatest: UInt32 = 0
  }

  mutating func time(of row: BlockRow) throws(StoreError) -> UInt32 {
    if row.isEarned { return row.lamport }
    var stack: [Step] = []
    if known[row.sequence] == nil { stack.append(Step(row: row, before: try before(row))) }
    // Digests lead back only, so that none waits for itself.
    while var step = stack.popLast() {
      var next: BlockRow?
      while next == nil, step.position < step.before.count {
        let one = step.before[step.position]
        if let time = one.isEarned ? one.lamport : known[one.sequence] {
          step.greatest = max(step.greatest, time)
          step.position += 1
        } else {
          next = one
        }
      }
      if let next {
        stack.append(step)
        stack.append(Step(row: next, before: try before(next)))
      } else {
        known[step.row.sequence] = LamportClock.next(after: step.greatest)
      }
    }
    return known[row.sequence]!
  }

  private func before(_ row: BlockRow) throws(StoreError) -> [BlockRow] {
    var found: [BlockRow] = []
    if row.index > 0, let previous = try branches.ancestor(of: row, at: row.index - 1) { found.append(previous) }
    // Heads that cannot be read are not here.
    guard row.state != .unread else { return found }
    for head in try blocks.content.heads(of: row) {
      if let one = try blocks.block(head), !gaps.isBehind(one.ref) { found.append(one) }
    }
    return found
  }
}
