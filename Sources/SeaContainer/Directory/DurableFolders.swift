import SeaCore
import SeaSystem

/// Makes folders whose own names survive a loss of power, and remembers for which it has seen to that.
///
/// What stands in the place of a folder and is none would keep everybody from writing: it gets a name that says that it was
/// set aside.
struct DurableFolders {
  private var known: Set<[String]> = []

  /// The folder at a path below `top`; what is missing of it is made.
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
        if error.isExisting || error.isWrongKind { throw .inTheWay(path: parent.path(of: name)) }
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
    // A folder that somebody else has made just now is one.
    guard kind != .directory else { return }
    try parent.renameNoReplace(name, to: Layout.aside(name, Hex.text(Random.bytes(4))))
  }
}
