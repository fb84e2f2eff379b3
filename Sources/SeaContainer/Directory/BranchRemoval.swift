import SeaCore
import SeaSystem

/// Taking a branch away from an index on, for good.
struct BranchRemoval {
  let folders: ContainerFolders

  func drop(_ chain: BranchID, from index: UInt32) throws -> Int {
    let survey = try FolderSurvey(folders: folders).branch(chain)
    let count = survey.count(from: index)
    guard survey.first.map({ $0 < index }) ?? false else {
      try removeTree(chain.description, in: folders.folder([Layout.transactions]), depth: 0)
      return count
    }
    for file in survey.folded where Layout.Leaf(containing: file.first).last >= index {
      let leaf = Layout.Leaf(containing: file.first)
      guard let parent = try folders.folder(folders.components(chain, leaf.parent)) else { continue }
      if file.first < index { try unfold(chain, leaf, before: index) }
      try system { () throws(SystemError) in
        try parent.remove(leaf.foldedName)
        try parent.synchronize()
      }
    }
    var last: Directory?
    for single in survey.singles where single.index >= index {
      let leaf = Layout.Leaf(containing: single.index)
      guard let folder = try folders.folder(folders.components(chain, leaf.parent + [leaf.name])) else { continue }
      if let last, last.path != folder.path { try system { () throws(SystemError) in try last.synchronize() } }
      try system { () throws(SystemError) in _ = try folder.remove(leaf.name(of: single.index)) }
      last = folder
    }
    if let last { try system { () throws(SystemError) in try last.synchronize() } }
    return count
  }

  /// Gives the blocks of a folded file that stay files of their own.
  private func unfold(_ chain: BranchID, _ leaf: Layout.Leaf, before index: UInt32) throws {
    let folder = try folders.createFolder(folders.components(chain, leaf.parent + [leaf.name]))
    _ = try LeafFiles.read(chain, in: folders, from: leaf.first) { at, bytes in
      guard at < index else { return false }
      do throws(SystemError) {
        let file = try AtomicFile(leaf.name(of: at), in: folder)
        try file.write(bytes)
        try file.commit(replace: false, synchronizingFolder: false)
      } catch {
        guard error.isExisting else { throw ContainerError.system(error) }
      }
      return true
    }
    try system { () throws(SystemError) in try folder.synchronize() }
  }

  /// No link is followed.
  private func removeTree(_ name: String, in parent: Directory?, depth: Int) throws(ContainerError) {
    guard let parent, depth < 12, let folder = try folders.subfolder(name, of: parent) else { return }
    let listing = try folders.entries(folder)
    for entry in listing.entries {
      if entry.kind == .directory {
        try removeTree(entry.name, in: folder, depth: depth + 1)
      } else {
        try system { () throws(SystemError) in _ = try folder.remove(entry.name) }
      }
    }
    do throws(SystemError) {
      try parent.removeDirectory(name)
      try parent.synchronize()
    } catch {
      // Something came meanwhile, or a name is no text.
      if error.isNotEmpty { return }
      throw .system(error)
    }
  }
}
