import SeaCore
import SeaStore

extension Access {
  /// What counts no more once these entries stand in a block of an author, who may say so.
  /// - Parameter line: who is revoked.
  func loss(_ line: [UUID], by author: UUID, _ entries: [ControlEntry]) throws -> RevocationLoss {
    try store.snapshot {
      let before = try members.grounds()
      return try members.assuming(entries, by: author) {
        var rounds = try RemovalRounds(members, store.blocks.removed())
        try rounds.finish()
        let unsound = rounds.holes.filter { rounds.sound[$0.sequence] == nil }
        let gaps = try Gaps(unsound, store.branches)
        let now = try members.membership(without: gaps)
        let isWithin = members.isWithin(without: gaps)
        var loss = RevocationLoss()
        loss.removed = unsound.filter { !before.unsound.isBehind($0.ref) }.count
        for chain in try store.branches.chains() {
          let cut = members.cut(of: chain.instance, now)
          func counts(_ row: BlockRow) -> Bool {
            cut.covers(BlockRef(instance: row.instance, index: row.index, digest: row.digest), isWithin)
          }
          let isCut = cut != members.cut(of: chain.instance, before.membership)
          guard isCut || gaps.first(of: chain.instance) != nil else { continue }
          var end: BranchID?
          if case .last(let last) = cut { end = try store.blocks.block(last)?.branch }
          for row in try store.blocks.appliedBlocks(of: chain.instance, after: -1) {
            if gaps.isBehind(row.ref) {
              if !row.isRemoved { loss.behindRemoved += 1 }
            } else if isCut, !counts(row) {
              if !line.contains(row.instance) {
                loss.others += 1
              } else if end == nil || row.branch == end {
                loss.behind += 1
              } else {
                loss.branches[row.branch, default: 0] += 1
              }
            }
          }
        }
        return loss
      }
    }
  }
}
