import SeaCore
import SeaSystem

/// Purged blocks: the only ones that others are put in the place of.
struct PurgedBlocks {
  let folders: ContainerFolders

  func write(_ chain: BranchID, _ blocks: [UInt32: [UInt8]]) throws(ContainerError) {
    for (index, bytes) in blocks { try checkBlock(bytes, of: chain, index: index) }
    let leaves = Set(blocks.keys.map { Layout.Leaf(containing: $0) }).sorted()
    for leaf in leaves {
      guard let parent = try folders.folder(folders.components(chain, leaf.parent)) else { continue }
      let range = leaf.first...leaf.last
      try emptyFolded(leaf, of: parent, blocks)
      guard let folder = try folders.subfolder(leaf.name, of: parent) else { continue }
      for (index, bytes) in blocks.sorted(by: { $0.key < $1.key }) where range.contains(index) {
        let name = leaf.name(of: index)
        guard try system({ () throws(SystemError) in try folder.status(name) })?.kind == .file else { continue }
        try system { () throws(SystemError) in
          let file = try AtomicFile(name, in: folder)
          try file.write(bytes)
          try file.commit(replace: true, synchronizingFolder: false)
        }
      }
      try system { () throws(SystemError) in try folder.synchronize() }
      folders.removeOldTemporaries(in: folder)
    }
  }

  private func emptyFolded(
    _ leaf: Layout.Leaf, of parent: Directory, _ blocks: [UInt32: [UInt8]]
  ) throws(ContainerError) {
    guard var old = try BlockFile(leaf.foldedName, in: parent, window: BlockWindow()) else { return }
    let new = try system { () throws(SystemError) in try AtomicFile(leaf.foldedName, in: parent) }
    for index in leaf.first...leaf.last {
      guard case .block(let bytes) = try old.next(index) else { return new.discard() }
      try system { () throws(SystemError) in
        if let left = blocks[index] { try new.write(left) } else { try new.write(bytes) }
      }
    }
    guard old.isAtEnd else { return new.discard() }
    try system { () throws(SystemError) in try new.commit(replace: true) }
  }
}
