import SeaCore
import SeaSystem

/// A container in a folder: of a disk, a stick, a network share, or one that a cloud client carries about.
///
/// The folder is held open from its first use: a stick that is pulled out fails, and is not mistaken for the empty
/// folder that it was mounted on. No link is followed below it.
package final class DirectoryContainer: Container {
  package let location: String
  private var opened: Directory?
  private var durable = DurableFolders()
  private var openedAssets: AssetTree?

  package init(_ path: String) { location = path }

  func root() throws(ContainerError) -> Directory {
    if let opened { return opened }
    do throws(SystemError) {
      let folder = try Directory(location)
      opened = folder
      return folder
    } catch {
      if error.isMissing { throw .notThere(path: location) }
      if error.isWrongKind { throw .notAContainer(path: location) }
      throw .system(error)
    }
  }

  func assets() throws(ContainerError) -> AssetTree {
    if let openedAssets { return openedAssets }
    let tree = AssetTree(try root())
    openedAssets = tree
    return tree
  }

  /// Nil if it is not there, or if something that is no folder is.
  func folder(_ components: [String]) throws(ContainerError) -> Directory? {
    var folder = try root()
    for name in components {
      do throws(SystemError) {
        folder = try folder.directory(name)
      } catch {
        if error.isMissing || error.isWrongKind { return nil }
        throw .system(error)
      }
    }
    return folder
  }

  /// The folder, made if it is missing, its own name durable.
  func createFolder(_ components: [String]) throws(ContainerError) -> Directory {
    try durable.create(components, in: root())
  }

  func chainFolder(_ chain: BranchID) throws(ContainerError) -> Directory? {
    try folder([Layout.transactions, chain.description])
  }

  func components(_ chain: BranchID, _ rest: [String]) -> [String] {
    [Layout.transactions, chain.description] + rest
  }

  func entries(_ folder: Directory) throws(ContainerError) -> Directory.Listing {
    try system { () throws(SystemError) in try folder.list() }
  }

  package func info() throws(ContainerError) -> ContainerInfo {
    let folder = try root()
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
    let folder = try root()
    if try system({ () throws(SystemError) in try folder.status(Layout.info) }) != nil { throw .exists(path: location) }
    removeOldTemporaries(in: folder)
    _ = try createFolder([Layout.transactions])
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
    guard let folder = try folder([Layout.transactions]) else { return result }
    let listing = try entries(folder)
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

  package func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32? { try index(at: .last, of: chain) }

  package func firstIndex(of chain: BranchID) throws(ContainerError) -> UInt32? { try index(at: .first, of: chain) }

  private enum End { case first, last }

  private func index(at end: End, of chain: BranchID) throws(ContainerError) -> UInt32? {
    guard let folder = try chainFolder(chain) else { return nil }
    let listing = try entries(folder)
    for digits in end == .first ? [1, 2, 3, 4] : [4, 3, 2, 1] {
      guard let top = Layout.Folder(digits: digits) else { continue }
      if digits == 1, listing.entries.contains(.init(name: "1" + Layout.foldedSuffix, kind: .file)) {
        return end == .first ? 0 : Layout.leafSize - 1
      }
      guard listing.entries.contains(.init(name: String(digits), kind: .directory)) else { continue }
      if let found = try index(at: end, in: folder, String(digits), top) { return found }
    }
    return nil
  }

  /// Looks into the entry at the end, and into the one beside it only if that is empty.
  private func index(
    at end: End, in parent: Directory, _ name: String, _ place: Layout.Folder
  ) throws(ContainerError) -> UInt32? {
    let folder = try subfolder(name, of: parent)
    var found: [(digit: Int, kind: FileKind)] = []
    let listing = try folder.map { folder throws(ContainerError) in try entries(folder) }
    func edge(_ leaf: Layout.Leaf) -> UInt32 { end == .first ? leaf.first : leaf.last }
    if place.isLeaf {
      // Looked at after the folder, which may have been emptied into it meanwhile.
      let folded = try system { () throws(SystemError) in try parent.status(name + Layout.foldedSuffix) }
      if folded?.kind == .file { return edge(Layout.Leaf(containing: UInt32(place.first))) }
    }
    for entry in listing?.entries ?? [] {
      if let digit = Layout.digit(entry.name), entry.kind == (place.isLeaf ? .file : .directory) {
        found.append((digit, entry.kind))
      } else if place.depth == place.digits - 2, entry.kind == .file, let digit = Layout.foldedDigit(entry.name) {
        found.append((digit, .file))
      }
    }
    // Of a folder and the file it was folded into the file is looked at: it has all of it.
    let sign = end == .first ? 1 : -1
    found.sort { (sign * $0.digit, $0.kind == .file ? 0 : 1) < (sign * $1.digit, $1.kind == .file ? 0 : 1) }
    for (digit, kind) in found {
      guard let below = place.entry(digit) else { continue }
      if let index = below.index { return index }
      if kind == .file { return edge(Layout.Leaf(containing: UInt32(below.first))) }
      if let folder, let index = try index(at: end, in: folder, String(digit), below) { return index }
    }
    return nil
  }

  func subfolder(_ name: String, of parent: Directory) throws(ContainerError) -> Directory? {
    do throws(SystemError) {
      return try parent.directory(name)
    } catch {
      if error.isMissing || error.isWrongKind { return nil }
      throw .system(error)
    }
  }

  package func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool {
    let leaf = Layout.Leaf(containing: index)
    guard let parent = try folder(components(chain, leaf.parent)) else { return false }
    func isFile(_ folder: Directory, _ name: String) throws(ContainerError) -> Bool {
      try system { () throws(SystemError) in try folder.status(name)?.kind == .file }
    }
    if let folder = try subfolder(leaf.name, of: parent), try isFile(folder, leaf.name(of: index)) { return true }
    // Last: a folder is emptied only after its folded file is there.
    return try isFile(parent, leaf.foldedName)
  }
}
