import SeaCore
import SeaSystem

extension DirectoryContainer {
  /// Nil if no such folder is there.
  private func home(ofStray path: String) throws(ContainerError) -> (folder: Directory, name: String)? {
    var parts = path.split(separator: "/").map(String.init)
    guard let name = parts.popLast(), !parts.contains(".."), let folder = try folders.folder(parts) else { return nil }
    return (folder, name)
  }

  package func readFile(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    guard let (folder, name) = try home(ofStray: path), let file = try file(name, in: folder) else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while true {
      let count = try system { () throws(SystemError) in try file.read(into: buffer, at: offset) }
      guard count > 0, try body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
      offset += Int64(count)
    }
  }

  /// Nil if no regular file has that name.
  private func file(_ name: String, in folder: Directory) throws(ContainerError) -> File? {
    do throws(SystemError) {
      let file = try folder.file(name, [.read, .nonBlocking])
      return try file.status().kind == .file ? file : nil
    } catch {
      if error.isMissing || error.isWrongKind { return nil }
      throw .system(error)
    }
  }

  package func removeStray(_ path: String) throws(ContainerError) {
    guard let (folder, name) = try home(ofStray: path) else { return }
    try system { () throws(SystemError) in
      _ = try folder.remove(name)
      try folder.synchronize()
    }
  }

  package func hasTraces(_ place: AssetPlace) throws(ContainerError) -> Bool { try assets().has(place) }

  package func purge(_ place: AssetPlace) throws(ContainerError) { try assets().purge(place) }

  package func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    var parts = path.split(separator: "/").map(String.init)
    guard let name = parts.popLast(), !parts.contains(".."), let folder = try folders.folder(parts),
      var file = try BlockFile(name, in: folder, window: BlockWindow())
    else { return }
    while let bytes = try file.nextWhole() { guard try body(bytes) else { return } }
  }
}
