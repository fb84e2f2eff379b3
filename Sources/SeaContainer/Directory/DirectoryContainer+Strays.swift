import SeaCore
import SeaSystem

extension DirectoryContainer {
  /// Nil if no such folder is there.
  private func home(ofStray path: String) throws(ContainerError) -> (folder: Directory, name: String)? {
    var parts = path.split(separator: "/").map(String.init)
    guard let name = parts.popLast(), !parts.contains(".."), let folder = try folders.folder(parts) else { return nil }
    return (folder, name)
  }

  package func removeStray(_ path: String) throws(ContainerError) {
    guard let (folder, name) = try home(ofStray: path) else { return }
    try system { () throws(SystemError) in
      _ = try folder.remove(name)
      try folder.synchronize()
    }
  }

  package func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    var parts = path.split(separator: "/").map(String.init)
    guard let name = parts.popLast(), !parts.contains(".."), let folder = try folders.folder(parts),
      var file = try BlockFile(name, in: folder, window: BlockWindow())
    else { return }
    while let bytes = try file.nextWhole() { guard try body(bytes) else { return } }
  }
}
