import SeaCore
import SeaSystem

/// Writing blocks: as files of their own, or a full leaf at once as one.
struct LeafWriting {
  let folders: ContainerFolders
  private var folding: LeafFolding { LeafFolding(folders: folders) }

  private enum FoldAttempt {
    case done
    /// Not all blocks of the folder are at hand, or together they are too large for a file.
    case notNow
  }

  func write(
    of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?
  ) throws -> Int {
    let start = index
    var index = index
    func pull() throws -> [UInt8]? {
      guard let block = try next() else { return nil }
      try checkBlock(block, of: chain, index: index)
      return block
    }
    let window = BlockWindow()
    var block = try pull()
    var leaf = Layout.Leaf(containing: index)
    while let first = block {
      leaf = Layout.Leaf(containing: index)
      let stage = BlockStage(leaf, from: index, in: try folders.createFolder(folders.components(chain, leaf.parent)))
      try stage.add(first)
      index += 1
      block = try pull()
      while let more = block, index <= leaf.last, stage.total + more.count <= Layout.largestFile {
        try stage.add(more)
        index += 1
        block = try pull()
      }
      try writeLeaf(of: chain, stage, window)
    }
    if index > start { folders.removeOldTemporaries(of: chain, leaf) }
    return Int(index - start)
  }

  /// Another writer may fold the folder and so remove it in between: then everything is looked at again.
  private func writeLeaf(of chain: BranchID, _ stage: BlockStage, _ window: BlockWindow) throws {
    for attempt in 1... {
      do {
        return try writeLeafOnce(of: chain, stage, window)
      } catch ContainerError.system(let error) where error.isMissing && attempt < 5 {}
    }
  }

  private func writeLeafOnce(of chain: BranchID, _ stage: BlockStage, _ window: BlockWindow) throws {
    let parent = try folders.createFolder(folders.components(chain, stage.leaf.parent))
    var rest = stage.first
    if stage.reachesEnd {
      try system { () throws(SystemError) in try ContainerFolders.clear(stage.leaf.foldedName, in: parent) }
    }
    if let folded = try BlockFile(stage.leaf.foldedName, in: parent, window: BlockWindow()) {
      rest = try compare(stage, with: folded, of: chain, window)
    } else if stage.reachesEnd, case .done = try fold(stage, of: chain, in: parent, window) {
      return
    } else if stage.reachesEnd,
      try system({ () throws(SystemError) in try parent.status(stage.leaf.foldedName) }) != nil
    {
      throw ContainerError.foldedMeanwhile
    }
    guard stage.contains(rest) else { return try system { () throws(SystemError) in try parent.synchronize() } }
    try writeSingles(stage, from: rest, of: chain, window)
  }

  /// Holds the stage against a folded file that is there; returns the first index that the file does not give.
  private func compare(
    _ stage: BlockStage, with folded: BlockFile, of chain: BranchID, _ window: BlockWindow
  ) throws -> UInt32 {
    var folded = folded
    for index in stage.leaf.first..<stage.first {
      guard case .block = try folded.skip(index) else { return stage.first }
    }
    var rest = stage.first
    try stage.forEach(from: rest, window) { index, bytes in
      guard case .block(let there) = try folded.next(index) else { return false }
      // A reader does not take the last block of a file with something behind it.
      guard index < stage.leaf.last || folded.isAtEnd else { return false }
      guard sameBytes(there, bytes) else { throw ContainerError.differs(chain, index: index, incomplete: false) }
      rest = index + 1
      return true
    }
    try folded.file.makeDurable()
    return rest
  }

  private func writeSingles(
    _ stage: BlockStage, from start: UInt32, of chain: BranchID, _ window: BlockWindow
  ) throws {
    let folder = try folders.createFolder(folders.components(chain, stage.leaf.parent + [stage.leaf.name]))
    let other = BlockWindow()
    try stage.forEach(from: start, window) { index, bytes in
      let name = stage.leaf.name(of: index)
      if try holds(folder, name, bytes, of: chain, index: index, other) { return true }
      do throws(SystemError) {
        let file = try AtomicFile(name, in: folder)
        try file.write(bytes)
        try file.commit(replace: false, synchronizingFolder: false)
      } catch {
        guard error.isExisting else { throw ContainerError.system(error) }
        if try holds(folder, name, bytes, of: chain, index: index, other) { return true }
        // Missing again if another writer has folded the folder meanwhile.
        let there = try system { () throws(SystemError) in try folder.status(name) }
        throw there == nil ? ContainerError.foldedMeanwhile : .inTheWay(path: folder.path(of: name))
      }
      return true
    }
    try system { () throws(SystemError) in try folder.synchronize() }
  }

  /// Whether the file is there, with these bytes, and durable. Throws `differs` if it has others.
  private func holds(
    _ folder: Directory, _ name: String, _ bytes: UnsafeRawBufferPointer, of chain: BranchID, index: UInt32,
    _ window: BlockWindow
  ) throws -> Bool {
    guard var file = try BlockFile(name, in: folder, window: window) else { return false }
    switch try file.next(index) {
    case .block(let there) where file.isAtEnd && sameBytes(there, bytes):
      try file.file.makeDurable()
      return true
    case .block, .damaged: throw ContainerError.differs(chain, index: index, incomplete: false)
    case .end, .incomplete: throw ContainerError.differs(chain, index: index, incomplete: true)
    }
  }

  /// Writes the whole leaf as one file: blocks that lie in its folder already, then the stage.
  private func fold(
    _ stage: BlockStage, of chain: BranchID, in parent: Directory, _ window: BlockWindow
  ) throws -> FoldAttempt {
    let leaf = stage.leaf
    let folder = try folders.subfolder(leaf.name, of: parent)
    var target: AtomicFile
    if stage.first == leaf.first {
      target = try system { () throws(SystemError) in try stage.asFile() }
    } else {
      guard let folder else { return .notNow }
      target = try system { () throws(SystemError) in try AtomicFile(leaf.foldedName, in: parent) }
      var room = Layout.largestFile - stage.total
      guard try folding.copySingles(leaf.first..<stage.first, from: folder, to: target, &room, window) else {
        return .notNow
      }
      try stage.forEach(from: stage.first, window) { _, bytes in
        try system { () throws(SystemError) in try target.write(bytes) }
        return true
      }
    }
    if let folder {
      let other = BlockWindow()
      let there = try folding.singles(in: folder)
      if there.contains(where: { stage.contains(leaf.first + UInt32($0)) }) {
        try stage.forEach(from: stage.first, window) { index, bytes in
          if there.contains(Int(index - leaf.first)) {
            _ = try holds(folder, leaf.name(of: index), bytes, of: chain, index: index, other)
          }
          return true
        }
      }
    }
    do throws(SystemError) {
      try target.commit(replace: false)
    } catch {
      guard error.isExisting else { throw ContainerError.system(error) }
      // Another writer was faster.
      guard let folded = try BlockFile(leaf.foldedName, in: parent, window: BlockWindow()) else {
        throw ContainerError.inTheWay(path: parent.path(of: leaf.foldedName))
      }
      let rest = try compare(stage, with: folded, of: chain, window)
      guard !stage.contains(rest) else { return .notNow }
      try system { () throws(SystemError) in try parent.synchronize() }
      return .done
    }
    try folding.removeSingles(of: leaf, in: parent)
    return .done
  }
}

extension ContainerError {
  /// As when a file vanishes: `writeLeaf` looks at everything again.
  fileprivate static let foldedMeanwhile = ContainerError.system(
    SystemError(call: "open", errno: SystemError.missing, path: ""))
}

extension BlockStage {
  fileprivate func add(_ block: [UInt8]) throws(ContainerError) {
    try system { () throws(SystemError) in try append(block) }
  }
}
