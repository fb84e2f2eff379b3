import SeaSystem

/// Makes folders whose own names survive a loss of power, and remembers for which it has seen to that.
struct DurableFolders {
  private var known: Set<[String]> = []

  /// The folder at a path below `top`; what is missing of it is made.
  mutating func create(_ components: [String], in top: Directory) throws(ContainerError) -> Directory {
    var folder = top
    for (depth, name) in components.enumerated() {
      let parent = folder
      do throws(SystemError) {
        try parent.createDirectory(name)
        folder = try parent.directory(name)
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
}
