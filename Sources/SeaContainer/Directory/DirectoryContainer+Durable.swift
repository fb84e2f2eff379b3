import SeaCore
import SeaSystem

// A file is on the disk before it gets its name; its name is when the folder is synced. Where somebody was stopped between the
// two, only the folders can be at fault.

extension DirectoryContainer {
  /// The same for every writer, and a temporary file for everybody else.
  static let mark =
    AtomicFile.temporaryPrefix + SHA256.hash(Array("sea writing".utf8)).description.prefix(32)

  package func mark() throws(ContainerError) -> WritingMark? {
    let top = try root()
    return try system { () throws(SystemError) in try WritingMark(DirectoryContainer.mark, in: top) }
  }

  package func makeDurable(deep: Bool) throws(ContainerError) {
    let top = try root()
    try system { () throws(SystemError) in
      try Path.synchronizeIfAllowed(Path.parent(try Path.real(location)))
      deep ? try DirectoryContainer.synchronize(top, depth: 0) : try top.synchronize()
    }
  }

  /// Deeper than the layout nothing of ours lies.
  private static let mostDepth = 8

  static func synchronize(_ folder: Directory, depth: Int) throws(SystemError) {
    if depth < mostDepth {
      for entry in try folder.list().entries where entry.kind == .directory {
        do throws(SystemError) { try synchronize(try folder.directory(entry.name), depth: depth + 1) } catch {
          // Folded, and so gone, meanwhile.
          guard error.isMissing || error.isWrongKind else { throw error }
        }
      }
    }
    try folder.synchronize()
  }
}
