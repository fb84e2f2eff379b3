import SeaCore
import SeaSystem

/// A container in a folder: of a disk, a stick, a network share, or one that a cloud client carries about.
package final class DirectoryContainer: Container {
  package var location: String { folders.location }
  package let folders: ContainerFolders
  package var isFar: Bool { false }
  private var openedAssets: AssetTree?

  package init(_ path: String) { folders = ContainerFolders(path) }

  func assets() throws(ContainerError) -> AssetTree {
    if let openedAssets { return openedAssets }
    let tree = AssetTree(try folders.root())
    openedAssets = tree
    return tree
  }

  package func info() throws(ContainerError) -> ContainerInfo {
    let folder = try folders.root()
    let bytes: [UInt8]?
    do throws(SystemError) {
      let file = try folder.file(Layout.info, [.read, .nonBlocking])
      guard try file.status().kind == .file else { throw .init(call: "open", errno: 0, path: file.path) }
      bytes = try file.readAll(limit: ContainerInfo.largestFile)
    } catch {
      if error.isMissing || error.isWrongKind || error.errno == 0 { throw .notAContainer(path: location) }
      throw .system(error)
    }
    guard let bytes else { throw .badInfo(.tooLong, path: folder.path(of: Layout.info)) }
    return try ContainerInfo(bytes, path: folder.path(of: Layout.info))
  }

  package func create(_ info: ContainerInfo) throws(ContainerError) {
    try system { () throws(SystemError) in try Path.createDirectories(location) }
    let folder = try folders.root()
    if try system({ () throws(SystemError) in try folder.status(Layout.info) }) != nil { throw .exists(path: location) }
    folders.removeOldTemporaries(in: folder)
    _ = try folders.createFolder([Layout.transactions])
    do throws(SystemError) {
      // Last: with it the folder is a container.
      let file = try AtomicFile(Layout.info, in: folder)
      try file.write(Array(info.text.utf8))
      try file.commit(replace: false)
    } catch {
      throw error.isExisting ? .exists(path: location) : .system(error)
    }
  }

  package func chains() throws(ContainerError) -> ChainListing {
    var result = ChainListing()
    let top = try folders.entries(folders.root()).entries.map(\.name)
    let promised = Set(top.lazy.compactMap { Layout.promised(by: $0) })
    result.isPromised = promised.contains(Layout.transactions)
    result.areAssetsPromised = promised.contains(Layout.assets) && !top.contains(Layout.assets)
    guard let folder = try folders.folder([Layout.transactions]) else { return result }
    let listing = try folders.entries(folder)
    result.foreign = listing.unreadable
    for entry in listing.entries {
      if entry.kind == .directory, let chain = BranchID(entry.name) {
        result.chains.append(chain)
      } else {
        result.foreign.append(entry.name)
      }
    }
    result.chains.sort()
    result.foreign.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return result
  }

  package func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32? {
    try FolderSurvey(folders: folders).index(at: .last, of: chain)
  }

  package func firstIndex(of chain: BranchID) throws(ContainerError) -> UInt32? {
    try FolderSurvey(folders: folders).index(at: .first, of: chain)
  }

  package func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool {
    let leaf = Layout.Leaf(containing: index)
    guard let parent = try folders.folder(folders.components(chain, leaf.parent)) else { return false }
    func isFile(_ folder: Directory, _ name: String) throws(ContainerError) -> Bool {
      try system { () throws(SystemError) in try folder.status(name)?.kind == .file }
    }
    if let folder = try folders.subfolder(leaf.name, of: parent), try isFile(folder, leaf.name(of: index)) {
      return true
    }
    // Last: a folder is emptied only after its folded file is there.
    return try isFile(parent, leaf.foldedName)
  }

  // MARK: - Blocks

  package func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd { try LeafFiles.read(chain, in: folders, from: index, body) }

  package func writeBlocks(of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?) throws -> Int {
    try LeafWriting(folders: folders).write(of: chain, from: index, next)
  }

  @discardableResult
  package func fold(_ chain: BranchID) throws(ContainerError) -> Int { try LeafFolding(folders: folders).fold(chain) }

  package func drop(_ chain: BranchID, from index: UInt32) throws -> Int {
    try BranchRemoval(folders: folders).drop(chain, from: index)
  }

  package func empty(
    _ chain: BranchID, _ blocks: [UInt32: [RemovedBlock]], dryRun: Bool
  ) throws(ContainerError) -> EmptiedBlocks {
    var purged = PurgedBlocks(folders: folders, dryRun: dryRun)
    try purged.empty(chain, blocks)
    return purged.result
  }

  package func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey {
    try FolderSurvey(folders: folders).branch(chain)
  }

  package func strays() throws(ContainerError) -> [Stray] { try FolderSurvey(folders: folders).strays() }
  package func forEachFile(_ body: (Stray) throws -> Void) throws -> [String] {
    try FolderSurvey(folders: folders).forEachFile(body)
  }
  package func foreignFiles() throws(ContainerError) -> ForeignFiles { try LayoutWalk(folders: folders).foreignFiles() }

  // MARK: - Small files

  package func names(in small: SmallFolder) throws(ContainerError) -> [String] {
    try SmallFolders(folders: folders).names(in: small)
  }

  package func read(_ name: String, in small: SmallFolder) throws(ContainerError) -> [UInt8]? {
    try SmallFolders(folders: folders).read(name, in: small)
  }

  package func write(_ name: String, _ bytes: [UInt8], in small: SmallFolder) throws(ContainerError) {
    try SmallFolders(folders: folders).write(name, bytes, in: small)
  }

  package func remove(_ name: String, in small: SmallFolder) throws(ContainerError) {
    try SmallFolders(folders: folders).remove(name, in: small)
  }
}
