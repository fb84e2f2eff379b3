import SeaCore
import SeaSystem

extension HelperContainer {
  package func writeBlocks(
    of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?
  ) throws -> Int {
    try needContainer()
    var writing = HelperWriting(self, chain, from: index)
    while let block = try next() { try writing.add(block) }
    try writing.finish()
    return writing.count
  }

  /// A file that is made of a leaf has no more bytes than can be held here.
  private static let largestFold: Int64 = 1 << 28

  @discardableResult
  package func fold(_ chain: BranchID) throws(ContainerError) -> Int {
    let leaves = Set((try names().chains[chain]?.singles ?? [:]).keys.map { Layout.Leaf(containing: $0) })
    var count = 0
    for leaf in leaves.sorted() where try fold(leaf, of: chain) { count += 1 }
    return count
  }

  /// Makes one file of the files of a leaf if all of them are there, or goes on where an earlier call was stopped.
  func fold(_ leaf: Layout.Leaf, of chain: BranchID) throws(ContainerError) -> Bool {
    guard try !line().words.contains(FolderServer.appendOnly), let there = try names().chains[chain] else {
      return false
    }
    let singles = (leaf.first...leaf.last).filter { there.singles[$0] != nil }
    let size = singles.reduce(Int64(0)) { $0 + (there.singles[$1]?.size ?? 0) }
    guard !singles.isEmpty, size <= HelperContainer.largestFold, leaf.last < UInt32.max else { return false }
    if there.folded[leaf.first] == nil {
      guard singles.count == Layout.leafSize, let bytes = try bytes(of: leaf, chain, folded: false) else {
        return false
      }
      guard try put(.folded(chain, leaf.first), bytes.flatMap(\.self)) else {
        forget()
        return false
      }
    } else {
      guard let bytes = try bytes(of: leaf, chain, folded: true) else { return false }
      for index in singles {
        let single = try get(.block(chain, index), most: Int(HelperContainer.largestFold))
        guard single == bytes[Int(index - leaf.first)] else { return false }
      }
    }
    // With the folded file for good.
    try flush()
    try delete(singles.map { .block(chain, $0) })
    try flush()
    return true
  }

  /// The blocks of a leaf, if all of them are there and whole.
  private func bytes(of leaf: Layout.Leaf, _ chain: BranchID, folded: Bool) throws(ContainerError) -> [[UInt8]]? {
    var blocks: [[UInt8]] = []
    let reading = reading(of: chain, folded: folded, singles: !folded)
    do {
      _ = try reading.run(from: leaf.first) { index, bytes in
        guard index <= leaf.last else { return false }
        blocks.append(Array(bytes))
        return index < leaf.last
      }
    } catch let error as ContainerError {
      throw error
    } catch {
      return nil
    }
    return blocks.count == Layout.leafSize ? blocks : nil
  }

  func delete(_ places: [HelperNames.Meaning]) throws(ContainerError) {
    let line = try line()
    var sent: [HelperTicket] = []
    for place in places { sent.append(line.ask(.delete(place.path))) }
    for (place, ticket) in zip(places, sent) {
      _ = try found(ticket)
      note(place, nil)
    }
  }

  package func empty(_ chain: BranchID, _ blocks: [UInt32: [UInt8]]) throws(ContainerError) {
    for (index, bytes) in blocks { try checkBlock(bytes, of: chain, index: index) }
    guard let there = try names().chains[chain] else { return }
    for first in Set(blocks.keys.map { Layout.Leaf(containing: $0).first }).sorted() {
      let leaf = Layout.Leaf(containing: first)
      if there.folded[first] != nil, var all = try bytes(of: leaf, chain, folded: true) {
        for (index, bytes) in blocks where (leaf.first...leaf.last).contains(index) {
          all[Int(index - leaf.first)] = bytes
        }
        try replace(.folded(chain, first), all.flatMap(\.self))
      }
    }
    for (index, bytes) in blocks.sorted(by: { $0.key < $1.key }) where there.singles[index] != nil {
      try replace(.block(chain, index), bytes)
    }
    try flush()
  }

  package func drop(_ chain: BranchID, from index: UInt32) throws -> Int {
    let survey = try survey(chain)
    let count = survey.count(from: index)
    guard let there = try names().chains[chain] else { return 0 }
    for first in there.folded.keys.sorted() where Layout.Leaf(containing: first).last >= index {
      let leaf = Layout.Leaf(containing: first)
      if first < index {
        var kept: [[UInt8]] = []
        _ = try reading(of: chain, singles: false).run(from: first) { at, bytes in
          guard at < index else { return false }
          kept.append(Array(bytes))
          return true
        }
        for (offset, bytes) in kept.enumerated() { _ = try put(.block(chain, first + UInt32(offset)), bytes) }
        try flush()
      }
      try delete(.folded(chain, leaf.first))
    }
    var gone: [HelperNames.Meaning] = there.singles.keys.filter { $0 >= index }.sorted().map { .block(chain, $0) }
    if survey.first.map({ $0 >= index }) ?? true {
      gone += (survey.strays.map(\.path) + survey.temporaries).map { .other($0) }
    }
    try delete(gone)
    try flush()
    return count
  }
}
