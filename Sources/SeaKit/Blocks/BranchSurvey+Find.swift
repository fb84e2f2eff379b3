import SeaContainer

extension BranchSurvey {
  func hasSingles(_ leaf: Layout.Leaf) -> Bool {
    let at = place(of: leaf.first)
    return at < singles.count && singles[at].index <= leaf.last
  }

  func hasSingle(_ index: UInt32) -> Bool { single(index) != nil }

  func single(_ index: UInt32) -> Single? {
    let at = place(of: index)
    return at < singles.count && singles[at].index == index ? singles[at] : nil
  }

  func singles(from index: UInt32) -> ArraySlice<Single> { singles[place(of: index)...] }

  /// Where the first stands that is not before an index.
  private func place(of index: UInt32) -> Int {
    var (low, high) = (0, singles.count)
    while low < high {
      let middle = (low + high) / 2
      if singles[middle].index < index { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func folded(containing index: UInt32) -> Folded? {
    let first = Layout.Leaf(containing: index).first
    return folded.first { $0.first == first }
  }
}
