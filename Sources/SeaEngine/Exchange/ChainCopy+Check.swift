import SeaContainer
import SeaCore
import SeaSystem

// What is known to have been there: whether it is there still, and whether it is still what it was.

extension ChainCopy {
  /// Goes through a branch of the container up to its tip: names and sizes of everything, and contents of what is due.
  mutating func check(_ at: Int) throws {
    guard let tip = theres[at].tip else { return }
    let first = try first(of: theres[at])
    var leaf: Layout.Leaf? = Layout.Leaf(containing: first)
    while let now = leaf, now.first <= tip.index, let end = theres[at].tip, max(now.first, first) <= end.index {
      try check(now, max(now.first, first)...min(now.last, end.index), at)
      leaf = now.next
    }
    memory?.isWhole(theres[at].branch, upTo: tip.index)
    if theres[at].isOther { try noteOthers(at) }
  }

  /// Where something else stands than before, more of it may stand behind: what follows on another branch.
  private mutating func noteOthers(_ at: Int) throws {
    let there = theres[at]
    let start = there.tip.map { $0.index + 1 } ?? 0
    for single in there.survey.singles(from: start) where single.size >= Int64(BlockHeader.size) {
      if case .other(let other) = try look(there.branch, single.index, nil) { try note(other, in: there.branch) }
    }
  }

  private mutating func check(_ leaf: Layout.Leaf, _ range: ClosedRange<UInt32>, _ at: Int) throws {
    let there = theres[at]
    guard let tip = there.tip else { return }
    let file = there.survey.folded(containing: leaf.first)
    let isAlone = !there.survey.hasSingles(leaf)
    let isWhole = range == leaf.first...leaf.last
    if let file, isAlone, isWhole {
      let isDue = isDue(there, leaf.last, size: file.size, changed: file.changed)
      if !isDue, memory?.isRight(there.branch, file) == true { return }
      let outlines = try source.outlines(range, to: tip)
      let size = outlines.reduce(0) { $0 + Int64($1.size) }
      if !isDue, size == file.size {
        memory?.noteRight(there.branch, file)
        return
      }
      if try contents(outlines[...], at) {
        if outlines.count == range.count { memory?.noteRight(there.branch, file) }
        return
      }
      return try heal(leaf, range, at)
    }
    var bad: [UInt32] = []
    let all = try source.outlines(range, to: tip)
    // A folded file of which not all is known here; it has no fewer blocks than a whole one.
    if file != nil, isAlone, try contents(all[...], at) {
      if range.upperBound < leaf.last, try isCutOff(there.branch, behind: tip) { try heal(leaf, range, at) }
      return
    }
    for outline in all {
      guard let single = there.survey.single(outline.index) else {
        // A folded file beside single ones is looked into.
        if file != nil, try contents([outline], at) { continue }
        bad.append(outline.index)
        continue
      }
      var isDue = isDue(there, outline.index, size: single.size, changed: single.changed)
      // Somebody else may write in our name, and what stands behind it may follow another block than ours.
      if outline.index == tip.index, isOwn || there.hasMore { isDue = true }
      if !isDue, single.size == Int64(outline.size) { continue }
      switch try look(there.branch, outline.index, outline) {
      case .same: continue
      case .other(let other):
        // What was ours is another's now: from here on it is another branch.
        try note(other, in: there.branch)
        try heal(bad.filter { $0 < other.index }, at)
        theres[at].tip = try before(other.index, tip)
        theres[at].isOther = true
        return
      default: bad.append(outline.index)
      }
    }
    try heal(bad, at)
  }

  private func isDue(_ there: There, _ index: UInt32, size: Int64, changed: Int64) -> Bool {
    let isFirst = there.looked.map { index > $0 } ?? true
    return memory?.isDue(there.branch, index, size: size, changed: changed, isFirst: isFirst) ?? true
  }

  /// Whether all of a folded file is what it should be.
  private func contents(_ outlines: ArraySlice<BlockOutline>, _ at: Int) throws -> Bool {
    guard let first = outlines.first else { return true }
    var next = outlines.startIndex
    let end = try ifReadable {
      next = outlines.startIndex
      return try container.readBlocks(of: theres[at].branch, from: first.index) { index, bytes in
        guard next < outlines.endIndex, outlines[next].index == index, let header = try? BlockHeader(bytes),
          let hash = header.hash(ofIntact: bytes), hash == outlines[next].digest,
          try isGood(BlockRef(instance: instance, index: index, digest: hash), header, outlines[next])
        else { return false }
        next += 1
        return next < outlines.endIndex
      }
    }
    return end != nil && next == outlines.endIndex
  }

  /// Whether a file ends behind a block, or has something there that is none.
  private func isCutOff(_ branch: BranchID, behind tip: BlockRef) throws -> Bool {
    switch try look(branch, tip.index + 1, nil) {
    case .absent, .incomplete, .damaged: true
    case .same, .removed, .other: false
    }
  }

  /// Writes single blocks again. What has to be waited for is waited for from now on, all of it together.
  private mutating func heal(_ bad: [UInt32], _ at: Int) throws {
    var indices: ArraySlice<UInt32> = []
    for index in bad {
      if mayHeal(theres[at], index) { indices.append(index) } else { waits(at, index, .absent) }
    }
    while let index = indices.first, let tip = theres[at].tip {
      var last = index
      indices = indices.dropFirst()
      guard try clear(index, at) else { continue }
      while let next = indices.first, next == last + 1 {
        indices = indices.dropFirst()
        guard try clear(next, at) else { break }
        last = next
      }
      guard try put(index...last, to: tip, into: at) else { continue }
      mended += (index...last).map { BlockPosition(branch: theres[at].branch, index: $0) }
    }
  }

  /// Whether nothing stands in the place of a block any more.
  private mutating func clear(_ index: UInt32, _ at: Int) throws -> Bool {
    guard theres[at].names(index), try setAside(index, in: at, from: index) == nil else { return true }
    problem(.inTheWay, theres[at].branch, index, detail: held)
    return false
  }

  /// Writes a folded file again.
  private mutating func heal(_ leaf: Layout.Leaf, _ range: ClosedRange<UInt32>, _ at: Int) throws {
    guard let tip = theres[at].tip else { return }
    guard mayHeal(theres[at], range.lowerBound) else { return waits(at, range.lowerBound, .absent) }
    guard try clear(range.lowerBound, at) else { return }
    guard try put(range, to: tip, into: at) else { return }
    mended += range.map { BlockPosition(branch: theres[at].branch, index: $0) }
  }

  /// The last block of a branch of the container that is known here, by a few looks at what is there.
  func search(_ there: There, _ end: UInt32?) throws -> BlockRef? {
    guard let first = there.survey.first, let last = there.survey.last, let end, first <= end else { return nil }
    func known(_ index: UInt32) throws -> BlockRef? {
      guard let link = try? place.link(there.branch, index) else { return nil }
      return try source.find(BlockRef(there.branch, index: index, digest: link.digest))
    }
    var high = min(last, end)
    if let found = try known(high) { return found }
    guard var found = try known(first) else { return nil }
    var low = first
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if let at = try known(middle) { (low, found) = (middle, at) } else { high = middle }
    }
    return found
  }

  /// Where a branch of the container begins, of which something may be missing.
  mutating func first(of there: There) throws -> UInt32 {
    if there.branch.isTrunk { return 0 }
    guard let tip = there.tip else { return there.survey.first ?? 0 }
    for index in try [there.survey.first].compactMap({ $0 }) + starts.of(there.branch)
    where index > 0 && index <= tip.index {
      if let at = try source.ancestor(of: tip, at: index), BranchID(instance, forkedAt: at.digest) == there.branch {
        return index
      }
    }
    return there.survey.first ?? tip.index
  }
}
