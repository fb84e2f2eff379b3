import SeaCore
import SeaSystem

/// Puts removed blocks in the place of the whole ones that they are left of: as `Container.empty` promises.
struct PurgedBlocks {
  let folders: ContainerFolders
  let dryRun: Bool
  private let window = BlockWindow()
  private(set) var result = EmptiedBlocks()

  init(folders: ContainerFolders, dryRun: Bool) { (self.folders, self.dryRun) = (folders, dryRun) }

  mutating func empty(_ chain: BranchID, _ blocks: [UInt32: [RemovedBlock]]) throws(ContainerError) {
    for leaf in Set(blocks.keys.map { Layout.Leaf(containing: $0) }).sorted() {
      guard let parent = try folders.folder(folders.components(chain, leaf.parent)) else { continue }
      let inside = blocks.filter { leaf.first <= $0.key && $0.key <= leaf.last }
      try emptyPack(leaf, of: parent, inside)
      guard let folder = try folders.subfolder(leaf.name, of: parent) else { continue }
      var isChanged = false
      for (index, all) in inside.sorted(by: { $0.key < $1.key }) {
        let name = leaf.name(of: index)
        guard var file = try BlockFile(name, in: folder, window: window),
          case .block(let bytes) = try file.next(index), file.isAtEnd,
          let left = all.first(where: { $0.isLeft(of: bytes) })
        else { continue }
        guard !dryRun else {
          result.kept[index] = ""
          continue
        }
        try system { () throws(SystemError) in
          let file = try AtomicFile(name, in: folder)
          try file.write(left.bytes)
          try file.commit(replace: true, synchronizingFolder: false)
        }
        isChanged = true
        result.emptied.insert(index)
      }
      if isChanged { try system { () throws(SystemError) in try folder.synchronize() } }
    }
  }

  private mutating func emptyPack(
    _ leaf: Layout.Leaf, of parent: Directory, _ blocks: [UInt32: [RemovedBlock]]
  ) throws(ContainerError) {
    guard var old = try BlockFile(leaf.foldedName, in: parent, window: window) else { return }
    var found: [UInt32: RemovedBlock] = [:]
    var isWhole = true
    for index in leaf.first...leaf.last where isWhole {
      guard let all = blocks[index] else {
        if case .block = try old.skip(index) {} else { isWhole = false }
        continue
      }
      guard case .block(let bytes) = try old.next(index) else {
        isWhole = false
        continue
      }
      if let left = all.first(where: { $0.isLeft(of: bytes) }) { found[index] = left }
    }
    guard !found.isEmpty else { return }
    guard isWhole, old.isAtEnd else { return keep(found.keys, EmptiedBlocks.unreadable) }
    if dryRun { return keep(found.keys, "") }
    guard var again = try BlockFile(leaf.foldedName, in: parent, window: window) else { return }
    let new = try system { () throws(SystemError) in try AtomicFile(leaf.foldedName, in: parent) }
    for index in leaf.first...leaf.last {
      guard case .block(let bytes) = try again.next(index) else {
        new.discard()
        return keep(found.keys, EmptiedBlocks.unreadable)
      }
      try system { () throws(SystemError) in
        if let left = found[index], left.isLeft(of: bytes) { try new.write(left.bytes) } else { try new.write(bytes) }
      }
    }
    try system { () throws(SystemError) in try new.commit(replace: true) }
    result.emptied.formUnion(found.keys)
  }

  private mutating func keep(_ indices: some Sequence<UInt32>, _ reason: String) {
    for index in indices { result.kept[index] = reason }
  }
}
