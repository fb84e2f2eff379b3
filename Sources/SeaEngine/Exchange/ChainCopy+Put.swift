import SeaContainer
import SeaCore

extension ChainCopy {
  /// Writes blocks of the way to a head, and notes that they are there.
  /// - Returns: false if something else is there by now.
  @discardableResult
  mutating func put(
    _ range: ClosedRange<UInt32>, to head: BlockRef, into at: Int, isNew: Bool = false
  ) throws -> Bool {
    let allowance = isNew ? allowance : nil
    if !dryRun {
      var isCut = allowance?.isSpent ?? false
      if isCut { return try cut(range.lowerBound..<range.lowerBound, of: head, at) }
      try prepare()
      let runs = try source.way(to: head, from: range.lowerBound)
      var index = range.lowerBound
      do {
        _ = try container.writeBlocks(of: theres[at].branch, from: index) {
          guard index <= range.upperBound, let run = runs.first(where: { $0.first <= index && index <= $0.last }) else {
            return nil
          }
          let bytes = try source.bytes(run.branch, index)
          if let allowance, !allowance.takes(Int64(bytes.count)) {
            isCut = true
            return nil
          }
          self.allowance?.pass(bytes.count, isFar: !isPaced || container.isFar)
          index += 1
          meter?.add()
          return bytes
        }
        if isCut { return try cut(range.lowerBound..<index, of: head, at) }
      } catch ContainerError.differs(_, let other, _) {
        // Something has arrived there meanwhile: the next sync looks at it.
        waits(at, other, .absent)
        return false
      }
    }
    written.insert(theres[at].branch)
    let tip = theres[at].tip
    if tip.map({ $0.index < range.upperBound }) ?? true {
      try move(at, to: source.ancestor(of: head, at: range.upperBound))
    }
    place.note(theres[at].branch, first: range.lowerBound, last: range.upperBound)
    return true
  }

  /// No more may be written than this part of what leads to a head.
  private mutating func cut(_ range: Range<UInt32>, of head: BlockRef, _ at: Int) throws -> Bool {
    left += Int(head.index - range.upperBound) + 1
    guard let last = range.last else { return false }
    copied += range.count
    if theres[at].tip.map({ $0.index < last }) ?? true { try move(at, to: source.ancestor(of: head, at: last)) }
    place.note(theres[at].branch, first: range.lowerBound, last: last)
    return false
  }

  /// Something at an index is waited for; of several things the first is told.
  mutating func waits(_ at: Int, _ index: UInt32, _ found: Look) {
    guard !theres[at].waits else { return }
    theres[at].waits = true
    let isPromised = found == .absent && theres[at].survey.isPromised(index)
    problem(.incomplete, theres[at].branch, index, detail: isPromised ? Problem.placeholder : found.words)
  }
}
