import SeaCore
import SeaSystem

/// Creates folders with durable names, and remembers which names are durable.
///
/// An entry that is not a folder would prevent every writer from creating the folder, so the entry is quarantined.
struct DurableFolders {
  private var known: Set<[String]> = []

  mutating func create(_ components: [String], in top: Directory) throws(ContainerError) -> Directory {
    var folder = top
    for (depth, name) in components.enumerated() {
      let parent = folder
      do throws(SystemError) {
        do throws(SystemError) { folder = try Self.made(name, in: parent) } catch {
          guard error.isExisting || error.isWrongKind else { throw error }
          try Self.setAside(name, in: parent)
          folder = try Self.made(name, in: parent)
        }
        let path = Array(components[...depth])
        if !known.contains(path) {
          try parent.synchronize()
          known.insert(path)
        }
      } catch {
        if error.isExisting || error.isWrongKind { throw .nameTaken(path: parent.path(of: name)) }
        throw .system(error)
      }
    }
    return folder
  }

  private static func made(_ name: String, in parent: Directory) throws(SystemError) -> Directory {
    try parent.createDirectory(name)
    return try parent.directory(name)
  }

  private static func setAside(_ name: String, in parent: Directory) throws(SystemError) {
    guard let kind = try parent.status(name)?.kind else { return }
    // Another process may have just created the folder.
    guard kind != .directory else { return }
    try parent.renameNoReplace(name, to: Layout.aside(name, Hex.text(Random.bytes(4))))
  }
}
