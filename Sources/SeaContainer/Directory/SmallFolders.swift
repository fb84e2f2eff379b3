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
