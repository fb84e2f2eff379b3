import SeaCore
import SeaSystem

extension DirectoryContainer {
  /// Nil if no such folder is there.
  private func home(ofStray path: String) throws(ContainerError) -> (folder: Directory, name: String)? {
    var parts = path.split(separator: "/").map(String.init)
    guard let name = parts.popLast(), !parts.contains(".."), let folder = try folders.folder(parts) else { return nil }
    return (folder, name)
  }

  package func strayRest(_ path: String) throws(ContainerError) -> [UInt8] {
    guard let (folder, name) = try home(ofStray: path),
      var file = try BlockFile(name, in: folder, window: BlockWindow())
    else { return [] }
    while try file.nextWhole() != nil {}
    return try file.rest(BlockHeader.size)
  }

  package func strayDigest(_ path: String) throws(ContainerError) -> Digest? {
    guard let (folder, name) = try home(ofStray: path) else { return nil }
    do throws(SystemError) {
      let file = try folder.file(name, [.read, .nonBlocking])
      guard try file.status().kind == .file else { return nil }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
      defer { buffer.deallocate() }
      var hash = SHA256()
      var offset: Int64 = 0
      while true {
        let count = try file.read(into: buffer, at: offset)
        guard count > 0 else { return hash.digest() }
        hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        offset += Int64(count)
      }
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
