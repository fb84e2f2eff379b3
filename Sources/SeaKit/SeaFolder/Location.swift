import SeaSystem

/// Finding `.sea`.
package enum Location {
  package static let folderName = ".sea"
  package static let hooksName = "hooks"

  package struct Rules: Sendable {
    /// Folders that the search does not go above.
    package var ceilings: [String] = []
    package var acrossFileSystems = false
    /// Folders of others that may be used all the same; `*` for any.
    package var safe: [String] = []

    package init() {}
  }

  /// Walks up from `start`, and stops at the ceilings, at a border between file systems, and at the root.
  package static func find(from start: String, _ rules: Rules = Rules()) throws -> String {
    var folder = try Path.absolute(start)
    let device = try Path.statusFollowing(folder)?.device
    while true {
      let candidate = Path.join(folder, folderName)
      if let status = try seen({ () throws(SystemError) in try Path.statusFollowing(candidate) }),
        status.kind == .directory
      {
        try check(candidate, status, rules)
        return candidate
      }
      let parent = Path.parent(folder)
      guard parent != folder, folder != "/", !rules.ceilings.contains(folder) else { break }
      guard let above = try? Path.statusFollowing(parent), rules.acrossFileSystems || above.device == device else {
        break
      }
      folder = parent
    }
    throw KitError.noDatabase(path: start)
  }

  /// A `.sea` that was named outright.
  package static func use(_ path: String, _ rules: Rules = Rules()) throws -> String {
    guard let status = try seen({ () throws(SystemError) in try Path.statusFollowing(path) }),
      status.kind == .directory
    else { throw KitError.noDatabase(path: path) }
    try check(path, status, rules)
    return path
  }

  /// What cannot be looked at is not there, but for a disk that fails.
  private static func seen(_ look: () throws(SystemError) -> FileStatus?) throws(SystemError) -> FileStatus? {
    do throws(SystemError) { return try look() } catch {
      if error.isDiskFailure { throw error }
      return nil
    }
  }

  /// What belongs to somebody else could make us run what they chose: the folder, its settings and its hooks.
  private static func check(_ path: String, _ status: FileStatus, _ rules: Rules) throws {
    let own = ThisProcess.userID()
    var foreign = status.owner == own ? nil : (path, status.owner)
    for name in [SeaFolder.configName, hooksName] where foreign == nil {
      let inside = Path.join(path, name)
      // Root could make us run anything.
      guard let status = try seen({ () throws(SystemError) in try Path.status(inside) }), status.owner != own,
        status.owner != 0
      else { continue }
      foreign = (inside, status.owner)
    }
    guard let (what, owner) = foreign else { return }
    let parent = Path.parent(path)
    guard rules.safe.contains(where: { $0 == "*" || $0 == parent || $0 == path }) else {
      throw KitError.unsafeDirectory(path: path, what: what, owner: owner)
    }
  }
}
