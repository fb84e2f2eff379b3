import SeaCore
import SeaSystem

/// A container in a local folder: on a disk, a USB drive or a network share, or synced by a cloud client.
package final class DirectoryContainer: Container, Files {
  package var location: String { folders.location }
  package var path: String? { folders.location }
  package let folders: ContainerFolders
  private var openedAssets: AssetTree?

  package init(_ path: String) { folders = ContainerFolders(path) }

  func assets() throws(ContainerError) -> AssetTree {
    if let openedAssets { return openedAssets }
    let tree = AssetTree(try folders.root())
    openedAssets = tree
    return tree
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
    // The pack file is checked last because the folder is emptied only once its pack file exists.
    return try isFile(parent, leaf.foldedName)
  }

  // MARK: - Blocks

  package func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey {
    var survey = BranchSurvey()
    _ = try folders.forEachName("\(Layout.transactions)/\(chain)") { survey.add($0, $1) }
    survey.sort()
    return survey
  }

  package func strays() throws(ContainerError) -> [UnknownFile] {
    var strays: [UnknownFile] = []
    // A folder is entered only if it could contain files outside of the layout and the limit has not been reached.
    let file = ContainerNames.Entry(size: 0, time: 0)
    func enters(_ path: String) -> Bool {
      strays.count < Layout.mostStrays
        && (!path.contains("/") || UnknownFile(outsideBranches: Path.join(path, "x"), file) != nil)
    }
    _ = try folders.forEachName(names: SmallFile.mostNames, entering: enters) { place, entry in
      guard place.isOther, strays.count < Layout.mostStrays,
        let stray = UnknownFile(outsideBranches: place.path, entry)
      else { return }
      strays.append(stray)
    }
    return strays.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  package func forEachFile(_ body: (UnknownFile) throws -> Void) throws -> [String] {
    // Each folder on the path is kept open, so the depth must be limited.
    try folders.walk("", most: 100) { path, status in
      guard status.kind == .file else { return }
      try body(UnknownFile(path: path, size: status.size, modified: status.modified, changed: status.changed))
    }
  }

  package func foreignFiles() throws(ContainerError) -> ForeignFiles {
    var found = ForeignFiles()
    let unseen = try folders.forEachName { (place, entry) throws(ContainerError) in
      try found.add(place, entry, at: location)
    }
    found.unknown += unseen
    found.sort()
    return found
  }

  // MARK: - Files

  package func needContainer() throws(ContainerError) {
    let top = try folders.root()
    guard try system({ () throws(SystemError) in try top.status(Layout.info) }) != nil else {
      throw ContainerError.notAContainer(path: location)
    }
  }

  package func prepare() throws(ContainerError) {
    try system { () throws(SystemError) in try Path.createDirectories(location) }
    folders.removeOldTemporaries(in: try folders.root())
    _ = try folders.createFolder([Layout.transactions])
  }

  package func list(_ path: String) throws(ContainerError) -> [String: ContainerNames.Entry] {
    guard let folder = try folders.folder(path.split(separator: "/").map(String.init)) else { return [:] }
    return try system { () throws(SystemError) in
      var found: [String: ContainerNames.Entry] = [:]
      for entry in try folder.list(most: SmallFile.mostNames).entries {
        guard let status = try folder.status(entry.name) else { continue }
        found[entry.name] = .init(size: status.kind == .file ? status.size : -1, time: status.modified)
      }
      found[""] = try folder.status(".").map { .init(size: -1, time: $0.modified) }
      return found
    }
  }

  package func bytes(of place: FilePlace, most: Int) throws(ContainerError) -> [UInt8]? {
    _ = try folders.root()
    guard let file = try folders.file(place.path) else { return nil }
    guard let bytes = try system({ () throws(SystemError) in try file.readAll(limit: most) }) else {
      throw .badFile(.tooLarge, path: file.path)
    }
    return bytes
  }

  package func read(
    _ place: FilePlace, _ range: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    try folders.file(place.path)?.forEachPiece(range, body) != nil
  }

  package func blocks(in place: FilePlace) throws(ContainerError) -> BlockFile? {
    guard let (folder, name) = try folders.home(place.path) else { return nil }
    return try BlockFile(name, in: folder, window: BlockWindow())
  }

  package func setAside(_ place: FilePlace) throws(ContainerError) {
    if let (folder, name) = try folders.home(place.path) { try folders.setAside(name, in: folder) }
  }

  package func draft(_ place: FilePlace, replaces: Bool) throws(ContainerError) -> (any FileDraft)? {
    try folders.draft(place.path, replaces: replaces)
  }

  package func adopt(_ places: [FilePlace]) throws(ContainerError) { try folders.adopt(places.map(\.path)) }

  package func leaf(_ leaf: Layout.Leaf, of chain: BranchID, again: Bool) throws(ContainerError) -> LeafNames {
    var names = LeafNames()
    guard let parent = try folders.folder(folders.components(chain, leaf.parent)) else { return names }
    for entry in try folders.subfolder(leaf.name, of: parent).map(folders.entries)?.entries ?? [] {
      guard entry.kind == .file, let digit = Layout.digit(entry.name) else { continue }
      names.singles.insert(leaf.first + UInt32(digit))
    }
    // The pack file is checked last because the folder is emptied only once its pack file exists.
    names.isFolded = try system { () throws(SystemError) in try parent.status(leaf.foldedName)?.kind == .file }
    return names
  }

  package func delete(_ places: [FilePlace]) throws(ContainerError) {
    // The asset tree caches folders, which can be removed along with their last file.
    openedAssets = nil
    try folders.remove(places.map(\.path))
  }

  package func flush() throws(ContainerError) { try folders.flush() }

  package func reading(of chain: BranchID, folded: Bool, singles: Bool) -> ChainReading {
    var files = LeafFiles(folders, chain)
    return ChainReading(
      open: { leaf, index throws(ContainerError) in
        guard index == nil ? folded : singles else { return nil }
        return try files.open(leaf, index)
      }, last: { [self] () throws(ContainerError) in try lastIndex(of: chain) })
  }
}

// A file is durable before it gets its name, and its name is durable when the folder is synced. If a writer is stopped
// in between, only folders need to be synced.

extension DirectoryContainer {
  /// The names of the marks, which are the same for all writers. Each writer uses one mark. To other programs, marks
  /// look like temporary files.
  static let marks = (0..<64).map { number in
    let name = number == 0 ? "sea writing" : "sea writing \(number)"
    return AtomicFile.temporaryPrefix + SHA256.hash(Array(name.utf8)).description.prefix(32)
  }
  private static let known = Set(marks)

  static func isMark(_ name: String) -> Bool { known.contains(name) }

  package func mark() throws(ContainerError) -> WritingMark? {
    let top = try folders.root()
    return try system { () throws(SystemError) in try WritingMark(DirectoryContainer.marks, in: top) }
  }

  package func makeDurable(deep: Bool) throws(ContainerError) {
    let top = try folders.root()
    try system { () throws(SystemError) in
      try Path.synchronizeIfAllowed(Path.parent(try Path.real(location)))
      deep ? try ContainerFolders.synchronize(top, depth: 0) : try top.synchronize()
    }
  }

}

extension DirectoryContainer {
  package func assetSize(_ place: AssetPlace) throws(ContainerError) -> Int64? { try assets().size(place) }

  package func assetEntry(_ place: AssetPlace) throws(ContainerError) -> AssetEntry? { try assets().entry(place) }

  package func assetIdentity(_ place: AssetPlace) throws(ContainerError) -> FileIdentity? {
    try assets().status(place)?.identity
  }

  package func put(
    _ place: FilePlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Bool {
    guard case .asset(let place) = place else { return try putAnew(place, size: size, source) }
    try assets().write(place, size: size, source)
    return true
  }

  package func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws { try assets().forEach(body) }

  package func assetSizes(of instance: UUID, in leaf: Layout.Leaf) throws(ContainerError) -> [UInt32: Int64] {
    try assets().sizes(of: instance, in: leaf)
  }
}

extension DirectoryContainer {
  package func removeOldTemporaries() throws(ContainerError) {
    folders.removeOldTemporaries(in: try folders.root())
    for small in SmallFolder.allCases {
      if let folder = try folders.folder([small.rawValue]) { folders.removeOldTemporaries(in: folder) }
    }
    let oldest = Clock.now() - Layout.oldTemporary
    try? assets().forEachDraft { _, status, _ in status.modified < oldest }
  }
}

/// Opens the files of successive leaves. Existing folders are kept open. A missing folder is searched for each time,
/// because a writer may have created it.
package struct LeafFiles {
  private let folders: ContainerFolders
  private let chain: BranchID
  private let window = BlockWindow()
  private var leaf: Layout.Leaf?
  private var parent: Directory?
  private var folder: Directory?

  package init(_ folders: ContainerFolders, _ chain: BranchID) {
    self.folders = folders
    self.chain = chain
  }

  /// Opens the file of a block, or the pack file of the leaf if `index` is nil. Returns nil if the file is missing.
  package mutating func open(_ leaf: Layout.Leaf, _ index: UInt32?) throws(ContainerError) -> BlockFile? {
    if self.leaf != leaf { (self.leaf, parent, folder) = (leaf, nil, nil) }
    if parent == nil { parent = try folders.folder(folders.components(chain, leaf.parent)) }
    guard let parent else { return nil }
    guard let index else { return try BlockFile(leaf.foldedName, in: parent, window: window) }
    if folder == nil { folder = try folders.subfolder(leaf.name, of: parent) }
    guard let folder else { return nil }
    return try BlockFile(leaf.name(of: index), in: folder, window: window)
  }
}
