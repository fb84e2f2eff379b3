import SeaCore
import SeaSystem

/// The folder `assets` of a container, or the folder in `.sea` that has the same layout.
///
/// Unfinished files are directly in the folder and have `.sea-tmp-` names. Each writer holds a kernel lock on its file,
/// which distinguishes files in use from those that killed writers left behind.
package final class AssetTree {
  private let top: Directory
  private var durable = DurableFolders()

  /// - Parameter top: the parent folder of `assets`.
  package init(_ top: Directory) { self.top = top }

  // MARK: - Folders

  /// Returns nil if the folder is missing or is some other kind of entry.
  func folder(named components: [String]) throws(ContainerError) -> Directory? {
    var folder = top
    for name in components {
      do throws(SystemError) { folder = try folder.directory(name) } catch {
        if error.isMissing || error.isWrongKind { return nil }
        throw .system(error)
      }
    }
    return folder
  }

  private func createFolder(_ components: [String]) throws(ContainerError) -> Directory {
    try durable.create(components, in: top)
  }

  private static func split(_ place: AssetPlace) -> (folder: [String], name: String) {
    let all = [Layout.assets, place.instance.description] + Layout.components(of: place.index)
    return (all.dropLast(), all.last!)
  }

  // MARK: - Files

  package func size(_ place: AssetPlace) throws(ContainerError) -> Int64? { try status(place)?.size }

  package func status(_ place: AssetPlace) throws(ContainerError) -> FileStatus? {
    let (path, name) = AssetTree.split(place)
    guard let folder = try folder(named: path) else { return nil }
    let status = try system { () throws(SystemError) in try folder.status(name) }
    return status?.kind == .file ? status : nil
  }

  package func entry(_ place: AssetPlace) throws(ContainerError) -> AssetEntry? {
    guard let (folder, name) = try home(of: place) else { return try isFolderPromised(place) ? .promised : nil }
    if let status = try system({ () throws(SystemError) in try folder.status(name) }) {
      return status.kind == .file ? .file(size: status.size, changed: status.changed) : .other
    }
    let names = try system { () throws(SystemError) in try folder.list() }.entries
    return names.contains { Layout.promised(by: $0.name) == name } ? .promised : nil
  }

  /// Whether there is a placeholder for a folder that contains the file.
  private func isFolderPromised(_ place: AssetPlace) throws(ContainerError) -> Bool {
    let path = AssetTree.split(place).folder
    for depth in path.indices {
      guard let above = try folder(named: Array(path[..<depth])) else { return false }
      guard try system({ () throws(SystemError) in try above.status(path[depth]) }) == nil else { continue }
      let names = try system { () throws(SystemError) in try above.list() }.entries
      return names.contains { Layout.promised(by: $0.name) == path[depth] }
    }
    return false
  }

  func home(of place: AssetPlace) throws(ContainerError) -> (folder: Directory, name: String)? {
    let (path, name) = AssetTree.split(place)
    return try folder(named: path).map { ($0, name) }
  }

  package func open(_ place: AssetPlace) throws(ContainerError) -> File? {
    guard let (folder, name) = try home(of: place) else { return nil }
    return try ContainerFolders.file(name, in: folder)
  }

  package func read(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    try open(place)?.forEachPiece(offset..<(.max), body) != nil
  }

  package func sizes(of instance: UUID, in leaf: Layout.Leaf) throws(ContainerError) -> [UInt32: Int64] {
    let path = AssetTree.split(AssetPlace(instance: instance, index: leaf.first)).folder
    guard let folder = try folder(named: path) else { return [:] }
    var sizes: [UInt32: Int64] = [:]
    for entry in try system({ () throws(SystemError) in try folder.list() }).entries where entry.kind == .file {
      guard let digit = Layout.digit(entry.name), digit <= Int(leaf.last - leaf.first),
        let status = try system({ () throws(SystemError) in try folder.status(entry.name) }), status.kind == .file
      else { continue }
      sizes[leaf.first + UInt32(digit)] = status.size
    }
    return sizes
  }

  /// - Returns: the total size of the files in bytes; nil if all of them were missing.
  @discardableResult
  package func remove(_ places: [AssetPlace]) throws(ContainerError) -> Int64? {
    var bytes: Int64?
    for some in Dictionary(grouping: places, by: { AssetTree.split($0).folder }).values {
      guard let first = some.first, let (folder, _) = try home(of: first) else { continue }
      var isChanged = false
      for place in some {
        let name = AssetTree.split(place).name
        guard let status = try system({ () throws(SystemError) in try folder.status(name) }), status.kind == .file
        else {
          continue
        }
        try system { () throws(SystemError) in _ = try folder.remove(name) }
        bytes = (bytes ?? 0) + status.size
        isChanged = true
      }
      if isChanged { try system { () throws(SystemError) in try folder.synchronize() } }
    }
    return bytes
  }

  // MARK: - Unfinished files

  /// Returns the unfinished file for an asset. A later writer of the same asset gets the existing file.
  /// - Returns: nil if another process is writing the file, or may be.
  package func draft(for place: AssetPlace) throws(ContainerError) -> AssetDraft? {
    try AssetDraft(AssetTree.draftName(of: place), in: createFolder([Layout.assets]), isNew: false)
  }

  static func draftName(of place: AssetPlace) -> String {
    var hash = SHA256()
    hash.update("asset" + place.path)
    return AtomicFile.temporaryPrefix + hash.digest().description.prefix(32)
  }

  /// Makes a file the unfinished file for its place again, instead of an earlier one.
  /// - Returns: nil if another process is writing the unfinished file, or the file may belong to another program.
  package func reopen(_ place: AssetPlace) throws(ContainerError) -> AssetDraft? {
    guard let (folder, name) = try home(of: place), try status(place)?.links == 1, let old = try draft(for: place)
    else {
      return nil
    }
    old.discard()
    do throws(SystemError) {
      try folder.renameNoReplace(name, to: old.name, in: old.folder)
      try folder.synchronize()
      try old.folder.synchronize()
    } catch {
      if error.isExisting { return nil }
      throw .system(error)
    }
    return try draft(for: place)
  }

  package func draft() throws(ContainerError) -> AssetDraft {
    let folder = try createFolder([Layout.assets])
    var name = ""
    // Another process that is checking locks can briefly hold the lock of a new file.
    for _ in 0..<1000 {
      name = try system { () throws(SystemError) in try AtomicFile.temporaryName() }
      if let draft = try AssetDraft(name, in: folder, isNew: true) { return draft }
    }
    throw .nameTaken(path: name)
  }

  /// Moves a complete file to its final location. The change is durable when this method returns. An existing file of
  /// the same size is kept.
  /// - Throws: `badAsset(.differs)` if there is a file of a different size.
  package func install(_ draft: AssetDraft, as place: AssetPlace) throws(ContainerError) {
    let (path, name) = AssetTree.split(place)
    let target = try createFolder(path)
    let size = try system { () throws(SystemError) in try draft.finish() }
    do throws(SystemError) {
      try draft.folder.renameNoReplace(draft.name, to: name, in: target)
      draft.isGone()
    } catch {
      guard error.isExisting else { throw .system(error) }
      draft.discard()
      return try keep(place, size)
    }
    try system { () throws(SystemError) in
      try target.synchronize()
      try draft.folder.synchronize()
    }
  }

  /// Moves a complete file from another folder on this file system to its final location.
  package func install(_ name: String, in folder: Directory, as place: AssetPlace) throws(ContainerError) {
    let (path, newName) = AssetTree.split(place)
    let target = try createFolder(path)
    let file = try system { () throws(SystemError) in try folder.file(name, [.read, .nonBlocking]) }
    let size = try system { () throws(SystemError) in
      try file.synchronize()
      return try file.status().size
    }
    do throws(SystemError) { try folder.renameNoReplace(name, to: newName, in: target) } catch {
      guard error.isExisting else { throw .system(error) }
      return try keep(place, size)
    }
    try system { () throws(SystemError) in try target.synchronize() }
  }

  package func makeDurable() throws(ContainerError) {
    guard let folder = try folder(named: [Layout.assets]) else { return }
    try system { () throws(SystemError) in
      try ContainerFolders.synchronize(folder, depth: 0)
      try top.synchronize()
    }
  }

  package func keep(_ place: AssetPlace, _ size: Int64) throws(ContainerError) {
    let (path, name) = AssetTree.split(place)
    guard let folder = try folder(named: path), let file = try open(place) else {
      throw .nameTaken(path: Path.join(path.joined(separator: "/"), name))
    }
    let there = try system { () throws(SystemError) in try file.status().size }
    guard there == size else { throw .badAsset(.differs, path: file.path) }
    try system { () throws(SystemError) in
      try file.synchronize()
      try folder.synchronize()
    }
  }

  /// Visits the unfinished files, passing the name, the status, and whether a process is writing the file.
  /// - Parameter body: returns whether to remove the file. The file is removed only if no process is writing it.
  package func forEachDraft(_ body: (String, FileStatus, _ isAlive: Bool) throws -> Bool) throws {
    guard let folder = try folder(named: [Layout.assets]) else { return }
    for entry in try system({ () throws(SystemError) in try folder.list() }).entries
    where entry.kind == .file && Layout.isTemporary(entry.name) {
      guard let file = try? folder.file(entry.name, [.read, .nonBlocking]), let status = try? file.status() else {
        continue
      }
      let claim = try file.claim()
      if try body(entry.name, status, claim == .others), claim != .others {
        _ = try system { () throws(SystemError) in try folder.remove(entry.name) }
      }
    }
  }
}

extension AssetTree {
  /// The age in milliseconds after which an unfinished file without a writer is no longer continued.
  private static let oldDraft: Int64 = 7 * 86_400_000

  package func write(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    guard (0...AssetFile.largest).contains(size) else {
      throw ContainerError.badAsset(.tooLarge, path: place.path)
    }
    if try self.size(place) != nil { return try keep(place, size) }
    let oldest = Clock.now() - AssetTree.oldDraft
    let known = try draft(for: place)
    try? forEachDraft { _, status, _ in status.modified < oldest }
    // If another process may be writing the file, a second file is written. The file that is completed first is kept.
    let draft = try known ?? self.draft()
    do {
      try draft.fill(size, source)
      try install(draft, as: place)
    } catch {
      // An unfinished file that fills the disk or cannot be found again is useless.
      if known == nil || error is InvalidAssetContent { draft.discard() }
      if case ContainerError.system(let error) = error, error.isNoSpace { draft.discard() }
      throw error
    }
  }

  package func forEach(_ body: (AssetPlace, Int64) throws -> Void) throws {
    guard let top = try folder(named: [Layout.assets]) else { return }
    var instances: [UUID] = []
    for entry in try list(top) where entry.kind == .directory { UUID(entry.name).map { instances.append($0) } }
    for instance in instances.sorted() {
      for digits in 1...4 {
        guard let place = Layout.Folder(digits: digits),
          let folder = try folder(named: [Layout.assets, instance.description, String(digits)])
        else { continue }
        try walk(folder, place, instance, body)
      }
    }
  }

  private func list(_ folder: Directory) throws(ContainerError) -> [Directory.Entry] {
    try system { () throws(SystemError) in try folder.list().entries }
  }

  private func walk(
    _ folder: Directory, _ place: Layout.Folder, _ instance: UUID, _ body: (AssetPlace, Int64) throws -> Void
  ) throws {
    let digits = try list(folder).compactMap { entry in
      entry.kind == (place.isLeaf ? .file : .directory) ? Layout.digit(entry.name) : nil
    }
    for digit in digits.sorted() {
      guard let below = place.entry(digit) else { continue }
      if let index = below.index {
        // If this fails, the file was removed in the meantime.
        guard let status = try folder.status(String(digit)), status.kind == .file else { continue }
        try body(AssetPlace(instance: instance, index: index), status.size)
      } else if let inner = try? folder.directory(String(digit)) {
        try walk(inner, below, instance, body)
      }
    }
  }
}
