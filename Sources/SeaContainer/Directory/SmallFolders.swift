import SeaCore
import SeaSystem

/// The small files of a container.
struct SmallFolders {
  let folders: ContainerFolders

  func names(in small: SmallFolder) throws(ContainerError) -> [String] {
    guard let folder = try folders.folder([small.rawValue]) else { return [] }
    let listing = try system { () throws(SystemError) in try folder.list(most: SmallFile.mostNames) }
    return listing.entries.filter { $0.kind == .file && small.allows($0.name) }.map(\.name).sorted()
  }

  func read(_ name: String, in small: SmallFolder) throws(ContainerError) -> [UInt8]? {
    try SmallFile.check(name, 0, in: small)
    guard let folder = try folders.folder([small.rawValue]) else { return nil }
    return try file(name, in: folder)?.bytes
  }

  func write(_ name: String, _ bytes: [UInt8], in small: SmallFolder) throws(ContainerError) {
    try SmallFile.check(name, bytes.count, in: small)
    let top = try folders.root()
    guard try system({ () throws(SystemError) in try top.status(Layout.info) }) != nil else {
      throw .notAContainer(path: folders.location)
    }
    // What is no folder, and no file, holds nothing, and would keep everybody from writing.
    if let there = try system({ () throws(SystemError) in try top.status(small.rawValue) }), there.kind != .directory {
      try folders.setAside(small.rawValue, in: top)
    }
    let folder = try folders.createFolder([small.rawValue])
    try system { () throws(SystemError) in try ContainerFolders.clear(name, in: folder) }
    if !small.isHint, try holds(folder, name, bytes) { return }
    folders.removeOldTemporariesOnce(of: small, in: folder)
    do throws(SystemError) {
      let file = try AtomicFile(name, in: folder)
      try file.write(bytes)
      try file.commit(replace: small.isHint)
    } catch {
      guard error.isExisting else { throw .system(error) }
      // Another writer was faster.
      guard try holds(folder, name, bytes) else { throw .inTheWay(path: folder.path(of: name)) }
    }
  }

  func remove(_ name: String, in small: SmallFolder) throws(ContainerError) {
    try SmallFile.check(name, 0, in: small)
    guard let folder = try folders.folder([small.rawValue]) else { return }
    let status = try system { () throws(SystemError) in try folder.status(name) }
    guard status == nil || status?.kind == .file else { throw .inTheWay(path: folder.path(of: name)) }
    try system { () throws(SystemError) in
      try folder.remove(name)
      // Even if nothing was there: an earlier removal may not be on the disk yet.
      try folder.synchronize()
    }
  }

  /// Whether the file is there, with these bytes, and durable. Throws `badFile` if it has others.
  private func holds(_ folder: Directory, _ name: String, _ bytes: [UInt8]) throws(ContainerError) -> Bool {
    guard let (file, there) = try file(name, in: folder) else { return false }
    guard there == bytes else { throw .badFile(.differs, path: folder.path(of: name)) }
    try system { () throws(SystemError) in
      try file.synchronize()
      try folder.synchronize()
    }
    return true
  }

  /// Nil if no regular file has that name.
  private func file(_ name: String, in folder: Directory) throws(ContainerError) -> (File, bytes: [UInt8])? {
    let bytes: [UInt8]?
    let file: File
    do throws(SystemError) {
      file = try folder.file(name, [.read, .nonBlocking])
      guard try file.status().kind == .file else { return nil }
      bytes = try file.readAll(limit: SmallFile.largest)
    } catch {
      if error.isMissing || error.isWrongKind { return nil }
      throw .system(error)
    }
    guard let bytes else { throw .badFile(.tooLarge, path: file.path) }
    return (file, bytes)
  }
}
