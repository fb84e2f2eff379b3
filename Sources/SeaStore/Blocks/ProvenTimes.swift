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

  mutating func time(of row: BlockRow) throws(StoreError) -> UInt32 {
    if row.isEarned { return row.lamport }
    if known[row.sequence] == nil { try timeAll(from: row) }
    return known[row.sequence]!
  }

  /// The times of all that a block leads to. Digests lead back only; what an order claims may lead in a circle.
  private mutating func timeAll(from row: BlockRow) throws(StoreError) {
    var rows = [row]
    var places = [row.sequence: 0]
    var (real, claimed, greatest): ([[Int]], [[Int]], [UInt32]) = ([], [], [])
    while real.count < rows.count {
      let row = rows[real.count]
      var (toReal, toClaimed, known): ([Int], [Int], UInt32) = ([], [], 0)
      for one in try before(row) {
        if let time = one.isEarned ? one.lamport : self.known[one.sequence] {
          known = max(known, time)
          continue
        }
        let place = places[one.sequence] ?? rows.count
        if place == rows.count {
          places[one.sequence] = place
          rows.append(one)
        }
        let isBefore = row.index > 0 && one.index == row.index - 1 && one.instance == row.instance
        if row.isRemoved, !isBefore { toClaimed.append(place) } else { toReal.append(place) }
      }
      real.append(toReal)
      claimed.append(toClaimed)
      greatest.append(known)
    }
    let times = ProvenTime.times(before: real, claimed: claimed, greatest: greatest)
    for (place, row) in rows.enumerated() { known[row.sequence] = times[place] }
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
