import SeaCore
import SeaSystem

// Purged blocks: the only ones that others are put in the place of.

extension DirectoryContainer {
  package func empty(_ chain: BranchID, _ blocks: [UInt32: [UInt8]]) throws(ContainerError) {
    for (index, bytes) in blocks { try checkBlock(bytes, of: chain, index: index) }
    let leaves = Set(blocks.keys.map { Layout.Leaf(containing: $0) }).sorted()
    for leaf in leaves {
      guard let parent = try folder(components(chain, leaf.parent)) else { continue }
      let range = leaf.first...leaf.last
      try emptyFolded(leaf, of: parent, blocks)
      guard let folder = try subfolder(leaf.name, of: parent) else { continue }
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
      removeOldTemporaries(in: folder)
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

  /// Nil if no such folder is there.
  private func home(ofStray path: String) throws(ContainerError) -> (folder: Directory, name: String)? {
    var parts = path.split(separator: "/").map(String.init)
    guard let name = parts.popLast(), !parts.contains(".."), let folder = try folder(parts) else { return nil }
    return (folder, name)
  }

  package func strayRest(_ path: String) throws(ContainerError) -> [UInt8] {
    guard let (folder, name) = try home(ofStray: path),
      var file = try BlockFile(name, in: folder, window: BlockWindow())
    else { return [] }
    while try file.nextWhole() != nil {}
    return try file.rest(BlockHeader.size)
  }

  package func strayDigest(_ path: String) throws(ContainerError) -> Digest? {
    guard let (folder, name) = try home(ofStray: path) else { return nil }
    do throws(SystemError) {
      let file = try folder.file(name, [.read, .nonBlocking])
      guard try file.status().kind == .file else { return nil }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
      defer { buffer.deallocate() }
      var hash = SHA256()
      var offset: Int64 = 0
      while true {
        let count = try file.read(into: buffer, at: offset)
        guard count > 0 else { return hash.digest() }
        hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        offset += Int64(count)
      }
    } catch {
      if error.isMissing || error.isWrongKind { return nil }
      throw .system(error)
    }
  }

  package func removeStray(_ path: String) throws(ContainerError) {
    guard let (folder, name) = try home(ofStray: path) else { return }
    try system { () throws(SystemError) in
      _ = try folder.remove(name)
      try folder.synchronize()
    }
  }

  package func hasTraces(_ place: AssetPlace) throws(ContainerError) -> Bool { try assets().has(place) }

  package func purge(_ place: AssetPlace) throws(ContainerError) { try assets().purge(place) }
}
