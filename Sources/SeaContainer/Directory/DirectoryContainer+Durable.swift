import SeaCore
import SeaSystem

// A file is on the disk before it gets its name; its name is when the folder is synced. Where somebody was stopped between the
// two, only the folders can be at fault.

extension DirectoryContainer {
  /// The same for every writer, and a temporary file for everybody else.
  static let mark =
    AtomicFile.temporaryPrefix + SHA256.hash(Array("sea writing".utf8)).description.prefix(32)

  package func mark() throws(ContainerError) -> WritingMark? {
    let top = try folders.root()
    return try system { () throws(SystemError) in try WritingMark(DirectoryContainer.mark, in: top) }
  }

  package func makeDurable(deep: Bool) throws(ContainerError) {
    let top = try folders.root()
    try system { () throws(SystemError) in
      try Path.synchronizeIfAllowed(Path.parent(try Path.real(location)))
      deep ? try ContainerFolders.synchronize(top, depth: 0) : try top.synchronize()
    }
  }

}
