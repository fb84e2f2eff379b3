import SeaContainer
import SeaCore

extension BranchSurvey {
  func hasSingles(_ leaf: Layout.Leaf) -> Bool {
    let at = lowerBound(of: leaf.first)
    return at < singles.count && singles[at].index <= leaf.last
  }

  func hasSingle(_ index: UInt32) -> Bool { single(index) != nil }

  func single(_ index: UInt32) -> Single? {
    let at = lowerBound(of: index)
    return at < singles.count && singles[at].index == index ? singles[at] : nil
  }

  func singles(from index: UInt32) -> ArraySlice<Single> { singles[lowerBound(of: index)...] }

  private func lowerBound(of index: UInt32) -> Int {
    var (low, high) = (0, singles.count)
    while low < high {
      let middle = (low + high) / 2
      if singles[middle].index < index { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func folded(containing index: UInt32) -> Pack? {
    let first = Layout.Leaf(containing: index).first
    return folded.first { $0.first == first }
  }

  /// Whether a misplaced pack file contains no further blocks. True if single files contain its blocks up to the known
  /// tip, or if the pack file is too small to hold a thousand blocks.
  func hasNothing(at index: UInt32, behind tip: UInt32) -> Bool {
    guard !hasSingle(index), let file = folded(containing: index) else { return false }
    guard file.first <= tip else { return file.size < Int64(Layout.leafSize) * Int64(BlockHeader.size) }
    return singles.count { (file.first...tip).contains($0.index) && $0.size >= Int64(BlockHeader.size) }
      == Int(tip - file.first) + 1
  }
}
