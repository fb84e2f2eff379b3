import SeaCore
import SeaSystem

// How the blocks of a chain lie in files: what is done with them wherever the files are.

extension Container where Self: Files {
  package func drop(_ chain: BranchID, from index: UInt32) throws -> Int {
    let survey = try survey(chain)
    var gone: [FilePlace] = []
    for file in survey.folded {
      let leaf = Layout.Leaf(containing: file.first)
      guard leaf.last >= index else { continue }
      if file.first < index { try unfold(chain, leaf, before: index) }
      gone.append(.folded(chain, file.first))
    }
    gone += survey.singles.filter { $0.index >= index }.map { .block(chain, $0.index) }
    if survey.first.map({ $0 >= index }) ?? true {
      gone += (survey.strays + survey.standIns).map { .other($0.path) } + survey.temporaries.map { .other($0) }
    }
    try delete(gone)
    try flush()
    return survey.count(from: index)
  }

  /// Gives the blocks of a folded file that stay files of their own.
  private func unfold(_ chain: BranchID, _ leaf: Layout.Leaf, before index: UInt32) throws {
    _ = try reading(of: chain, folded: true, singles: false).run(from: leaf.first) { at, bytes in
      guard at < index else { return false }
      _ = try put(.block(chain, at), Array(bytes))
      return true
    }
    try flush()
  }

  package func empty(
    _ chain: BranchID, _ blocks: [UInt32: [RemovedBlock]], dryRun: Bool
  ) throws -> EmptiedBlocks {
    var result = EmptiedBlocks()
    for leaf in Set(blocks.keys.map { Layout.Leaf(containing: $0) }).sorted() {
      let inside = blocks.filter { leaf.first <= $0.key && $0.key <= leaf.last }
      try emptyFolded(chain, leaf, inside, dryRun: dryRun, &result)
      for (index, all) in inside.sorted(by: { $0.key < $1.key }) {
        var left: RemovedBlock?
        _ = try reading(of: chain, folded: false, singles: true).run(from: index) { at, bytes in
          if at == index { left = all.first { $0.isLeft(of: bytes) } }
          return false
        }
        guard let left else { continue }
        if dryRun {
          result.kept[index] = ""
        } else {
          _ = try put(.block(chain, index), left.bytes, replaces: true)
          result.emptied.insert(index)
        }
      }
    }
    if !result.emptied.isEmpty { try flush() }
    return result
  }

  private func emptyFolded(
    _ chain: BranchID, _ leaf: Layout.Leaf, _ blocks: [UInt32: [RemovedBlock]], dryRun: Bool,
    _ result: inout EmptiedBlocks
  ) throws {
    var found: [UInt32: RemovedBlock] = [:]
    let isWhole = try forEachFolded(chain, leaf) { index, bytes in
      if let left = blocks[index]?.first(where: { $0.isLeft(of: bytes) }) { found[index] = left }
    }
    if found.isEmpty { return }
    if isWhole, !dryRun, let file = try draft(.folded(chain, leaf.first), replaces: true) {
      let isWritten = try forEachFolded(chain, leaf) { index, bytes in
        if let left = found[index], left.isLeft(of: bytes) { try file.write(left.bytes) } else { try file.write(bytes) }
      }
      if isWritten, try file.commit() { return result.emptied.formUnion(found.keys) }
    }
    for index in found.keys { result.kept[index] = isWhole && dryRun ? "" : EmptiedBlocks.unreadable }
  }

  /// Hands over the blocks of a folded file.
  /// - Returns: whether all are there, and nothing else.
  private func forEachFolded(
    _ chain: BranchID, _ leaf: Layout.Leaf, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Void
  ) throws -> Bool {
    var next = leaf.first
    _ = try reading(of: chain, folded: true, singles: false).run(from: leaf.first) { index, bytes in
      try body(index, bytes)
      next = index + 1
      return index < leaf.last
    }
    return next > leaf.last
  }

  // MARK: Small files

  package func write(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws(ContainerError) {
    try SmallFile.check(name, bytes.count, in: folder)
    try needContainer()
    if try !put(.small(folder, name), bytes, replaces: folder.isHint) {
      guard let there = try read(name, in: folder) else {
        throw .inTheWay(path: Path.join(location, folder.path(of: name)))
      }
      guard there == bytes else { throw .badFile(.differs, path: folder.path(of: name)) }
    }
    try flush()
  }

  package func remove(_ name: String, in folder: SmallFolder) throws(ContainerError) {
    try SmallFile.check(name, 0, in: folder)
    try delete([.small(folder, name)])
    try flush()
  }
}
