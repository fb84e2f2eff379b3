import SeaCore
import SeaSystem

// A file is on the disk before it gets its name; its name is when the folder is synced. Where somebody was stopped between the
// two, only the folders can be at fault.

extension DirectoryContainer {
  /// The same for every writer, of which so many have one at a time, and temporary files for everybody else.
  static let marks = (0..<64).map { number in
    let name = number == 0 ? "sea writing" : "sea writing \(number)"
    return AtomicFile.temporaryPrefix + SHA256.hash(Array(name.utf8)).description.prefix(32)
  }
  private static let known = Set(marks)

  static func isMark(_ name: String) -> Bool { known.contains(name) }

  package func mark() throws(ContainerError) -> WritingMark? {
    let top = try folders.root()
    return try system { () throws(SystemError) in try WritingMark(DirectoryContainer.marks, in: top) }
  }

  package func makeDurable(deep: Bool) throws(ContainerError) {
    let top = try folders.root()
    try system { () throws(SystemError) in
      try Path.synchronizeIfAllowed(Path.parent(try Path.real(location)))
      deep ? try ContainerFolders.synchronize(top, depth: 0) : try top.synchronize()
    }
  }

}
