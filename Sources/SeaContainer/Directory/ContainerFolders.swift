import SeaCore
import SeaSystem

/// The folders of a container, relative to its top.
///
/// The top folder is kept open after its first use, so that access fails if a USB drive is removed, instead of using
/// the empty mount point. Links within the top folder are not followed.
package final class ContainerFolders {
  let location: String
  private var opened: Directory?
  private var durable = DurableFolders()
  /// The folders, keyed by path, that contain names that are not durable yet.
  private var touched: [String: Directory] = [:]

  init(_ location: String) { self.location = location }

  func root() throws(ContainerError) -> Directory {
    if let opened { return opened }
    do throws(SystemError) {
      let folder = try Directory(location)
      opened = folder
      return folder
    } catch {
      if error.isMissing { throw .missing(path: location) }
      if error.isWrongKind {
        // If there is a file at the location, it may be a bundle.
        let met = try? Path.statusFollowing(location)?.kind
        throw met == .pipe || met == .other ? .system(.wrongKind(location, met!)) : .notAContainer(path: location)
      }
      throw .system(error)
    }
  }

  /// Returns nil if the folder is missing or is some other kind of entry.
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

  /// Returns a folder. If the folder is missing, it is created with a durable name.
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

  func subfolder(_ name: String, of parent: Directory) throws(ContainerError) -> Directory? {
    do throws(SystemError) {
      return try parent.directory(name)
    } catch {
      if error.isMissing || error.isWrongKind { return nil }
      throw .system(error)
    }
  }

  // MARK: - Files by their paths

  /// Visits the entries of a folder and of all its subfolders, in any order. `body` receives a folder only if the
  /// layout has a file of that name.
  /// - Parameters:
  /// - path: the path of the folder, relative to the top; empty for the top. If the folder is missing, nothing happens.
  ///   - most: the maximum depth.
  /// - names: the maximum number of entries to visit per folder.
  /// - enters: returns whether to enter the folder with a given path.
  /// - Returns: the skipped entries, which are folders nested too deeply and names that are not valid text.
  @discardableResult
  func walk(
    _ path: String, most: Int, names: Int = .max, entering enters: (String) -> Bool = { _ in true },
    _ body: (String, FileStatus) throws -> Void
  ) throws -> [String] {
    guard let folder = try folder(path.split(separator: "/").map(String.init)) else { return [] }
    var unseen: [String] = []
    func visit(_ folder: Directory, _ path: String, _ left: Int) throws {
      let listing = try system { () throws(SystemError) in try folder.list(most: names) }
      for name in listing.unreadable where unseen.count < Layout.mostStrays { unseen.append(Path.join(path, name)) }
      for entry in listing.entries {
        let below = Path.join(path, entry.name)
        if entry.kind != .directory || !FilePlace(below).isOther {
          // If the entry is missing, it was removed in the meantime.
          guard let status = try system({ () throws(SystemError) in try folder.status(entry.name) }) else { continue }
          try body(below, status)
        }
        if entry.kind != .directory { continue }
        if left == 0 {
          if unseen.count < Layout.mostStrays { unseen.append(below) }
        } else if enters(below), let next = try subfolder(entry.name, of: folder) {
          try visit(next, below, left - 1)
        }
      }
    }
    try visit(folder, path, most)
    return unseen
  }

  func forEachName(
    _ path: String = "", names: Int = .max, entering enters: (String) -> Bool = { _ in true },
    _ body: (FilePlace, ContainerNames.Entry) throws(ContainerError) -> Void
  ) throws(ContainerError) -> [String] {
    var paths = PathReader()
    do {
      return try walk(path, most: 16, names: names, entering: enters) { path, status in
        let size = status.kind == .file ? status.size : -1
        try body(paths.parse(path), .init(size: size, time: status.modified, changed: status.changed))
      }
    } catch let error as ContainerError { throw error } catch { return [] }
  }

  func home(_ path: String) throws(ContainerError) -> (folder: Directory, name: String)? {
    var parts = path.split(separator: "/").map(String.init)
    guard let name = parts.popLast(), !parts.contains(".."), let folder = try folder(parts) else { return nil }
    return (folder, name)
  }

  func file(_ path: String) throws(ContainerError) -> File? {
    guard let (folder, name) = try home(path) else { return nil }
    return try ContainerFolders.file(name, in: folder)
  }

  static func file(_ name: String, in folder: Directory) throws(ContainerError) -> File? {
    do throws(SystemError) {
      let file = try folder.file(name, [.read, .nonBlocking])
      return try file.status().kind == .file ? file : nil
    } catch {
      if error.isMissing || error.isWrongKind { return nil }
      throw .system(error)
    }
  }

  /// Starts writing a file, creating the folders on its path. If another kind of entry has the name, it is quarantined.
  /// - Returns: nil if the name already exists and must not be replaced. Even then, `flush` makes the name durable.
  func draft(_ path: String, replaces: Bool) throws(ContainerError) -> FolderDraft? {
    for attempt in 1... {
      do throws(ContainerError) {
        let (folder, name) = (try writable(Path.parent(path)), Path.name(path))
        return try system { () throws(SystemError) in
          try ContainerFolders.clear(name, in: folder)
          if !replaces, try folder.status(name) != nil { return nil }
          return FolderDraft(try AtomicFile(name, in: folder), replaces: replaces)
        }
      } catch {
        // Another writer may have removed the folder by packing it.
        guard case .system(let fault) = error, fault.isMissing, attempt < 5 else { throw error }
        touched[Path.parent(path)] = nil
        durable = DurableFolders()
      }
    }
    return nil
  }

  /// Returns a folder for writing, creating it if necessary. The names in the folder become durable with the next
  /// `flush`.
  private func writable(_ path: String) throws(ContainerError) -> Directory {
    if let known = touched[path] { return known }
    let folder = try createFolder(path == "." ? [] : path.split(separator: "/").map(String.init))
    touched[path] = folder
    return folder
  }

  func adopt(_ paths: [String]) throws(ContainerError) {
    for path in paths {
      guard let (folder, name) = try home(path) else { continue }
      try system { () throws(SystemError) in
        do throws(SystemError) { try folder.file(name, [.read, .nonBlocking]).synchronize() } catch {
          // The file was packed in the meantime.
          guard error.isMissing else { throw error }
        }
      }
      touched[Path.parent(path)] = folder
    }
  }

  /// Removes files, along with the folders that become empty. Missing files are ignored.
  /// - Throws: `nameTaken` if an entry is not a file.
  func remove(_ paths: [String]) throws(ContainerError) {
    var homes: [String: Directory] = [:]
    for path in paths {
      let (parent, name) = (Path.parent(path), Path.name(path))
      guard let folder = if let known = homes[parent] { known } else { try home(path)?.folder } else { continue }
      homes[parent] = folder
      let there = try system { () throws(SystemError) in try folder.status(name) }
      guard there == nil || there?.kind == .file else { throw .nameTaken(path: folder.path(of: name)) }
      try system { () throws(SystemError) in _ = try folder.remove(name) }
      touched[parent] = folder
    }
    for path in homes.keys { removeIfEmpty(path) }
  }

  private func removeIfEmpty(_ path: String) {
    var path = path
    while path.contains("/"), let (folder, name) = try? home(path), (try? folder.removeDirectory(name)) == true {
      touched[path] = nil
      durable = DurableFolders()
      path = Path.parent(path)
      touched[path] = folder
    }
  }

  func move(_ path: String, to other: String) throws(ContainerError) {
    guard let (folder, name) = try home(path) else {
      throw .system(SystemError(call: "rename", errno: SystemError.missing, path: path))
    }
    try system { () throws(SystemError) in try folder.renameNoReplace(name, to: Path.name(other)) }
    touched[Path.parent(path)] = folder
  }

  func flush() throws(ContainerError) {
    try system { () throws(SystemError) in for folder in touched.values { try folder.synchronize() } }
    touched = [:]
  }

  // MARK: - Quarantine

  /// Renames a damaged entry. The new name is derived from the content, so that several processes create the same file,
  /// unless the file is larger than any file of a container. An empty file is removed instead.
  func setAside(_ name: String, in folder: Directory) throws(ContainerError) {
    let digest = digest(of: name, in: folder)
    let mark = try system { () throws(SystemError) in
      if let digest { Array(digest.bytes.prefix(4)) } else { try Random.bytes(4) }
    }
    let other = Layout.aside(name, Hex.text(mark))
    try system { () throws(SystemError) in
      do throws(SystemError) {
        try folder.renameNoReplace(name, to: other)
        if let there = try folder.status(other), there.kind == .file, there.size == 0 { _ = try folder.remove(other) }
      } catch  where error.isExisting {
        if digest != nil, digest == self.digest(of: other, in: folder) {
          _ = try folder.remove(name)
        } else {
          try folder.renameNoReplace(name, to: Layout.aside(name, Hex.text(Random.bytes(4))))
        }
      } catch {
        guard error.isMissing else { throw error }
      }
      try folder.synchronize()
    }
  }

  private func digest(of name: String, in folder: Directory) -> Digest? {
    guard let file = try? folder.file(name, [.read, .nonBlocking]), let status = try? file.status(),
      status.kind == .file,
      status.size <= AssetFile.largest
    else { return nil }
    var hash = SHA256()
    do {
      try file.forEachPiece(0..<status.size) { bytes in
        hash.update(bytes)
        return true
      }
    } catch { return nil }
    return hash.digest()
  }

  /// Renames an entry that is not a file, because the entry would prevent every writer from creating the file.
  static func clear(_ name: String, in folder: Directory) throws(SystemError) {
    guard let there = try folder.status(name), there.kind != .file else { return }
    do throws(SystemError) {
      try folder.renameNoReplace(name, to: Layout.aside(name, Hex.text(Random.bytes(4))))
    } catch {
      guard error.isMissing else { throw error }
    }
    try folder.synchronize()
  }

  /// Removes old temporary files. Files that cannot be removed now are removed by a later call.
  func removeOldTemporaries(in folder: Directory) {
    guard let listing = try? folder.list(most: SmallFile.mostNames) else { return }
    for entry in listing.entries where entry.kind == .file && Layout.isTemporary(entry.name) {
      if isOldTemporary(entry.name, in: folder) { _ = try? folder.remove(entry.name) }
    }
  }

  func isOldTemporary(_ name: String, in folder: Directory) -> Bool {
    guard let status = try? folder.status(name) else { return false }
    return status.modified < Clock.now() - Layout.oldTemporary
  }

  // MARK: - Durability

  private static let mostDepth = 8

  static func synchronize(_ folder: Directory, depth: Int) throws(SystemError) {
    if depth < mostDepth {
      for entry in try folder.list().entries where entry.kind == .directory {
        do throws(SystemError) { try synchronize(try folder.directory(entry.name), depth: depth + 1) } catch {
          // If the folder is missing, it was packed, and thus removed, in the meantime.
          guard error.isMissing || error.isWrongKind else { throw error }
        }
      }
    }
    try folder.synchronize()
  }
}

extension File {
  /// Passes the bytes of a range to `body` in order, as long as it returns true. Each piece has 1 to
  /// `AssetFile.pieceSize` bytes and is valid only during the call. The range can be longer than the file.
  package func forEachPiece(_ range: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    var offset = range.lowerBound
    while offset < range.upperBound {
      let room = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<Int(min(Int64(buffer.count), range.upperBound - offset))])
      let count = try system { () throws(SystemError) in try read(into: room, at: offset) }
      guard count > 0, try body(UnsafeRawBufferPointer(rebasing: room[..<count])) else { return }
      offset += Int64(count)
    }
  }
}

package final class FolderDraft: FileDraft {
  let file: AtomicFile
  private let replaces: Bool

  init(_ file: AtomicFile, replaces: Bool) { (self.file, self.replaces) = (file, replaces) }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
    try system { () throws(SystemError) in try file.write(bytes) }
  }

  package func commit() throws(ContainerError) -> Bool {
    do throws(SystemError) {
      try file.commit(replace: replaces, synchronizingFolder: false)
      return true
    } catch {
      if error.isExisting { return false }
      throw .system(error)
    }
  }
}
