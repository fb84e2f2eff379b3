import SeaCore
import SeaSystem

/// Folding: the blocks of a full leaf folder become one file.
struct LeafFolding {
  let folders: ContainerFolders

  func fold(_ chain: BranchID) throws(ContainerError) -> Int {
    var count = 0
    for leaf in try leaves(of: chain) {
      guard let parent = try folders.folder(folders.components(chain, leaf.parent)) else { continue }
      if try fold(leaf, of: chain, in: parent) { count += 1 }
    }
    return count
  }

  /// The leaf folders that are there as folders.
  private func leaves(of chain: BranchID) throws(ContainerError) -> [Layout.Leaf] {
    guard let folder = try folders.chainFolder(chain) else { return [] }
    var result: [Layout.Leaf] = []
    for digits in 1...4 {
      guard let place = Layout.Folder(digits: digits) else { continue }
      try leaves(below: folder, String(digits), place, &result)
    }
    return result
  }

  private func leaves(
    below parent: Directory, _ name: String, _ place: Layout.Folder, _ result: inout [Layout.Leaf]
  ) throws(ContainerError) {
    guard let folder = try folders.subfolder(name, of: parent) else { return }
    if place.isLeaf { return result.append(Layout.Leaf(containing: UInt32(place.first))) }
    for entry in try folders.entries(folder).entries where entry.kind == .directory {
      guard let digit = Layout.digit(entry.name), let below = place.entry(digit) else { continue }
      try leaves(below: folder, entry.name, below, &result)
    }
  }

  private func fold(_ leaf: Layout.Leaf, of chain: BranchID, in parent: Directory) throws(ContainerError) -> Bool {
    guard let folder = try folders.subfolder(leaf.name, of: parent) else { return false }
    let window = BlockWindow()
    if let folded = try BlockFile(leaf.foldedName, in: parent, window: window) {
      // Folded before, and stopped before the folder was emptied.
      guard try agrees(folded, leaf, with: folder) else { return false }
      try folded.file.makeDurable()
      try system { () throws(SystemError) in try parent.synchronize() }
      try removeSingles(of: leaf, in: parent)
      return true
    }
    guard leaf.last < UInt32.max, try singles(in: folder).count == Int(Layout.leafSize) else { return false }
    try system { () throws(SystemError) in try ContainerFolders.clear(leaf.foldedName, in: parent) }
    let target = try system { () throws(SystemError) in try AtomicFile(leaf.foldedName, in: parent) }
    var room = Layout.largestFile
    guard try copySingles(leaf.first..<leaf.last + 1, from: folder, to: target, &room, window) else { return false }
    do throws(SystemError) {
      try target.commit(replace: false)
    } catch {
      // Another one did it, and empties the folder too.
      if error.isExisting { return false }
      throw .system(error)
    }
    try removeSingles(of: leaf, in: parent)
    return true
  }

  /// Whether a folded file is whole and has the bytes of every file in its folder.
  private func agrees(
    _ folded: BlockFile, _ leaf: Layout.Leaf, with folder: Directory
  ) throws(ContainerError) -> Bool {
    var folded = folded
    let there = try singles(in: folder)
    let window = BlockWindow()
    for index in leaf.first...leaf.last {
      guard case .block(let bytes) = try folded.next(index) else { return false }
      guard there.contains(Int(index - leaf.first)) else { continue }
      guard var single = try BlockFile(leaf.name(of: index), in: folder, window: window) else { continue }
      guard case .block(let other) = try single.next(index), single.isAtEnd, sameBytes(bytes, other) else {
        return false
      }
    }
    return folded.isAtEnd
  }

  /// The numbers of the blocks in a leaf folder.
  func singles(in folder: Directory) throws(ContainerError) -> Set<Int> {
    var result: Set<Int> = []
    for entry in try folders.entries(folder).entries where entry.kind == .file {
      if let digit = Layout.digit(entry.name) { result.insert(digit) }
    }
    return result
  }

  /// Appends blocks to a folded file in the making. False if one of them is not there as a whole block, or if there
  /// is no room for it.
  func copySingles(
    _ range: Range<UInt32>, from folder: Directory, to target: AtomicFile, _ room: inout Int, _ window: BlockWindow
  ) throws(ContainerError) -> Bool {
    for index in range {
      let name = Layout.Leaf(containing: index).name(of: index)
      guard var file = try BlockFile(name, in: folder, window: window) else { return false }
      guard case .block(let bytes) = try file.next(index), file.isAtEnd, bytes.count <= room else { return false }
      room -= bytes.count
      try system { () throws(SystemError) in try target.write(bytes) }
    }
    return true
  }

  /// Takes away the files whose bytes a durable folded file has. Anything else in the folder stays, and the folder
  /// with it.
  func removeSingles(of leaf: Layout.Leaf, in parent: Directory) throws(ContainerError) {
    guard let folder = try folders.subfolder(leaf.name, of: parent) else { return }
    for digit in try singles(in: folder) {
      _ = try system { () throws(SystemError) in try folder.remove(String(digit)) }
    }
    folders.removeOldTemporaries(in: folder)
    if try !folders.entries(folder).entries.isEmpty { return }
    do throws(SystemError) {
      try parent.removeDirectory(leaf.name)
      try parent.synchronize()
    } catch {
      // A writer put something in at this moment.
      if error.isNotEmpty { return }
      throw .system(error)
    }
  }
}
