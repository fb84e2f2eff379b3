import SeaCore
import SeaSystem

extension DirectoryContainer {
  package func setAside(_ chain: BranchID, _ index: UInt32, folded: Bool) throws(ContainerError) {
    let leaf = Layout.Leaf(containing: index)
    guard let parent = try folders.folder(folders.components(chain, leaf.parent)) else { return }
    guard !folded else { return try folders.setAside(leaf.foldedName, in: parent) }
    guard let folder = try folders.subfolder(leaf.name, of: parent) else { return }
    try folders.setAside(leaf.name(of: index), in: folder)
  }

  package func setAside(_ place: AssetPlace) throws(ContainerError) {
    if let (folder, name) = try assets().home(of: place) { try folders.setAside(name, in: folder) }
  }

  package func infoCopies() throws(ContainerError) -> [ContainerInfo] {
    let top = try folders.root()
    var found: [ContainerInfo] = []
    for entry in try folders.entries(top).entries where entry.kind == .file && entry.name != Layout.info {
      guard entry.name.holds("info"), found.count < 100,
        let bytes = try? top.file(entry.name, [.read, .nonBlocking]).readAll(limit: ContainerInfo.largestFile)
      else { continue }
      if let info = try? ContainerInfo(bytes, path: entry.name) { found.append(info) }
    }
    return found
  }

  /// Whether a placeholder stands for what has that name at the top.
  func isPromised(_ name: String) throws(ContainerError) -> Bool {
    try folders.entries(folders.root()).entries.contains { Layout.promised(by: $0.name) == name }
  }

  package func isArriving(since time: Int64) throws(ContainerError) -> Bool {
    let top = try folders.root()
    if try isPromised(Layout.info) { return true }
    let there = try system { () throws(SystemError) in try top.status(Layout.info) }
    if let there { return there.kind == .file && there.modified >= time }
    // What it is about may have come before it.
    guard let blocks = try folders.folder([Layout.transactions]), try !folders.entries(blocks).entries.isEmpty else {
      return false
    }
    let status = try system { () throws(SystemError) in try Path.statusFollowing(location) }
    return status.map { $0.modified >= time } ?? false
  }

  package func removeOldTemporaries() throws(ContainerError) {
    folders.removeOldTemporaries(in: try folders.root())
    for small in SmallFolder.allCases {
      if let folder = try folders.folder([small.rawValue]) { folders.removeOldTemporaries(in: folder) }
    }
    let oldest = Clock.now() - Layout.oldTemporary
    try? assets().forEachDraft { _, status, _ in status.modified < oldest }
  }

  package func restore(_ info: ContainerInfo) throws(ContainerError) -> Bool {
    let top = try folders.root()
    guard try folders.folder([Layout.transactions]) != nil else { return false }
    try folders.setAside(Layout.info, in: top)
    do throws(SystemError) {
      let file = try AtomicFile(Layout.info, in: top)
      try file.write(Array(info.text.utf8))
      try file.commit(replace: false)
    } catch {
      guard error.isExisting else { throw .system(error) }
    }
    return true
  }
}
