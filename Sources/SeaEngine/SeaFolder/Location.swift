import SeaContainer
import SeaStore
import SeaSystem

/// Finds the `.sea` folder of a database, and refuses unsafe locations for databases and containers.
package enum Location {
  package static let folderName = ".sea"
  package static let hooksName = "hooks"

  package struct Rules: Sendable {
    package var ceilings: [String] = []
    package var acrossFileSystems = false
    /// Folders of other users that are trusted; `*` to trust all.
    package var safe: [String] = []

    package init() {}

    fileprivate func allow(_ path: String) -> Bool {
      let parent = Path.parent(path)
      return safe.contains { $0 == "*" || $0 == parent || $0 == path }
    }
  }

  /// Searches `start` and its parent folders, up to a ceiling, a file system boundary or the root.
  package static func find(from start: String, _ rules: Rules = Rules()) throws -> String {
    var folder = try Path.absolute(start)
    let device = try Path.statusFollowing(folder)?.device
    while true {
      if let found = try here(folder, rules) { return found }
      let parent = Path.parent(folder)
      guard parent != folder, folder != "/", !rules.ceilings.contains(folder) else { break }
      guard let above = try? Path.statusFollowing(parent), rules.acrossFileSystems || above.device == device else {
        break
      }
      folder = parent
    }
    guard try Path.exists(start) else { throw KitError.badPlace(.noFolder(path: start)) }
    throw KitError.noDatabase(path: start)
  }

  package static func here(_ folder: String, _ rules: Rules = Rules()) throws -> String? {
    let candidate = Path.join(folder, folderName)
    guard let status = try seen({ () throws(SystemError) in try Path.statusFollowing(candidate) }),
      status.kind == .directory
    else { return nil }
    try check(candidate, status, rules)
    try checkSurroundings(candidate, rules)
    return candidate
  }

  /// Runs `body` with the rules. If a location is unsafe, reads the user's setting `safe.directory` and runs `body`
  /// again. Settings in the database itself are ignored.
  package static func trusting<Result>(
    _ rules: Rules, _ variable: @escaping (String) -> String?, _ body: (Rules) throws -> Result
  ) throws -> Result {
    do { return try body(rules) } catch let error as KitError where error.isUnsafePlace {
      var rules = rules
      let own = try Config(ConfigSources(variable: variable, database: nil)).all("safe.directory")
      rules.safe = own.filter { [.system, .global].contains($0.origin.scope) }.compactMap(\.value)
      return try body(rules)
    }
  }

  /// Returns whether a `.sea` folder contains a database. If not, its settings must be ignored.
  package static func isDatabase(_ path: String) -> Bool {
    ((try? Path.statusFollowing(Path.join(path, Store.fileName))) ?? nil)?.kind == .file
  }

  package static func isContainer(_ path: String) -> Bool { (try? DirectoryContainer(path).info()) != nil }

  /// Returns the `.sea` folder with a database that a path refers to: the path itself, or the `.sea` in it.
  static func database(at path: String) -> String? {
    [path, Path.join(path, folderName)].first { Path.name($0) == folderName && isDatabase($0) }
  }

  package static func use(_ path: String, _ rules: Rules = Rules()) throws -> String {
    guard let status = try seen({ () throws(SystemError) in try Path.statusFollowing(path) }),
      status.kind == .directory
    else { throw KitError.noDatabase(path: path) }
    if Path.name(path) != folderName, !isDatabase(path) {
      throw KitError.badPlace(.noDatabase(path: path, inside: database(at: path)))
    }
    try check(path, status, rules)
    return path
  }

  /// Refuses an output path that belongs to a database or to a container.
  /// - Parameter used: the database in use, whose folder may have a name other than `.sea`.
  /// - Throws: `placeInUse`.
  package static func checkWritable(_ path: String, of used: SeaFolder? = nil) throws {
    let named = try Path.absolute(path)
    let linked = try? Path.join(Path.resolvingExistingLinks(Path.parent(named)), Path.name(named))
    for place in [named, linked, try? Path.resolvingExistingLinks(named)].compactMap({ $0 }) {
      for below in Path.upwards(from: place) {
        let above = Path.parent(below)
        let isOwn = Path.name(above) == folderName && isDatabase(above) || above == used?.realPath
        let isKept = Layout.kept.contains(Path.name(below)) && isContainer(above)
        if isOwn || isKept { throw KitError.placeInUse(path: path, of: above) }
      }
    }
  }

  /// Refuses to create a container around a database, because copying the container would copy the database's keys.
  /// - Throws: `badPlace`; `noFolder` if the location is not a folder.
  static func checkFree(of location: String) throws {
    if let kind = try Path.statusFollowing(location)?.kind, kind != .directory {
      throw SystemError.noFolder(location, kind)
    }
    if try Path.exists(Path.join(location, folderName)) {
      throw KitError.badPlace(.database(path: location, isRead: false))
    }
  }

  /// Requires that a new container's parent folder exists. If it is missing, a removable medium may not be mounted.
  /// - Throws: `badPlace`.
  static func checkParent(of location: String) throws {
    guard let path = HelperPlace.path(of: location), try Path.statusFollowing(path) == nil else { return }
    let parent = Path.parent(path)
    if try Path.statusFollowing(parent) == nil { throw KitError.badPlace(.noParent(path: path, parent: parent)) }
  }

  /// Requires that the folder for a new container is empty. Hidden files, and files that are usual in the root of a
  /// file system, are permitted.
  /// - Throws: `badPlace`.
  static func checkEmpty(_ location: String) throws {
    guard let path = HelperPlace.path(of: location), try Path.statusFollowing(path)?.kind == .directory else { return }
    let others = try Directory(path).list().entries.map(\.name).filter {
      !$0.hasPrefix(".") && !Layout.kept.contains($0) && !ofFileSystems.contains($0.lowercased())
    }
    if let first = others.min() { throw KitError.badPlace(.notEmpty(path: path, having: first)) }
  }

  private static let ofFileSystems: Set<String> = [
    "lost+found", "system volume information", "$recycle.bin", "desktop.ini", "thumbs.db",
  ]

  /// Refuses a container inside a database, where it would be a useless second copy, or inside another container,
  /// because the two would be copied together.
  /// - Parameter own: the `.sea` folder in use. It is recognized even under another name, for example through a bind
  ///   mount.
  /// - Throws: `placeInDatabase`, `placeInContainer`.
  static func checkContainer(_ location: String, own: String? = nil) throws {
    func identity(_ path: String) -> FileIdentity? { (try? Path.statusFollowing(path))??.identity }
    // Each subfolder of the `.sea` folder may be a separate mount.
    let entries = own.flatMap { try? Directory($0).list().entries } ?? []
    let folders = entries.filter { $0.kind == .directory }.map { Path.join(own ?? "", $0.name) }
    let identities = ([own].compactMap { $0 } + folders).compactMap(identity)
    let path = try Path.resolvingExistingLinks(location)
    for above in Path.upwards(from: path) {
      if Path.name(above) == folderName && isDatabase(above) || identity(above).map(identities.contains) ?? false {
        throw KitError.placeInDatabase(path: location, database: above)
      }
      if above != path, isContainer(above) {
        throw KitError.placeInContainer(path: location, container: above)
      }
    }
  }

  /// Treats an inaccessible path as missing, unless the disk has failed.
  private static func seen(_ body: () throws(SystemError) -> FileStatus?) throws(SystemError) -> FileStatus? {
    do throws(SystemError) { return try body() } catch {
      if error.isDiskFailure { throw error }
      return nil
    }
  }

  /// Refuses a folder, settings or hooks that belong to another user, because that user could make this program run any
  /// code.
  private static func check(_ path: String, _ status: FileStatus, _ rules: Rules) throws {
    let own = ThisProcess.userID()
    var foreign = status.owner == own ? nil : (path, status.owner)
    for name in [SeaFolder.configName, hooksName] where foreign == nil {
      let inside = Path.join(path, name)
      // Files owned by root are accepted, because root can run any code anyway.
      guard let status = try seen({ () throws(SystemError) in try Path.status(inside) }), status.owner != own,
        status.owner != 0
      else { continue }
      foreign = (inside, status.owner)
    }
    guard let (what, owner) = foreign else { return }
    guard rules.allow(path) else { throw KitError.unsafeDirectory(path: path, what: what, owner: owner) }
  }

  /// Refuses a database inside a container: it came with the container, and its author could make this program run any
  /// code. Only names are checked, because anyone with write access can choose the content of files.
  private static func checkSurroundings(_ path: String, _ rules: Rules) throws {
    let real = try Path.real(path)
    let above = Path.upwards(from: path) + (real == path ? [] : Path.upwards(from: real))
    let around = above.first { folder in
      [Layout.info, Layout.transactions].allSatisfy { (try? Path.exists(Path.join(folder, $0))) ?? false }
    }
    guard let around, !rules.allow(path) else { return }
    throw KitError.databaseInContainer(path: path, container: around)
  }
}

extension KitError {
  /// Whether a `.sea` folder was found but refused because another user may have chosen its content.
  package var isUnsafePlace: Bool {
    switch self {
    case .unsafeDirectory, .databaseInContainer: true
    default: false
    }
  }
}

extension Location {
  package enum Hazard: Equatable, Sendable {
    /// A program copies the folder to other devices file by file, while the files are changing.
    case synchronized(by: String)
    case removable
  }

  /// Returns the hazard that the path, or a Syncthing marker in a parent folder, indicates.
  package static func hazard(of folder: String) -> Hazard? {
    guard let path = try? Path.absolute(folder) else { return nil }
    let clients = [
      "Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "Nextcloud", "ownCloud", "iCloud", "Syncthing",
    ]
    for part in path.split(separator: "/") {
      if let client = clients.first(where: { part.hasPrefix($0) }) { return .synchronized(by: client) }
    }
    for above in Path.upwards(from: path) where (try? Path.exists(Path.join(above, ".stfolder"))) ?? false {
      return .synchronized(by: "Syncthing")
    }
    return path.hasPrefix("/media/") || path.hasPrefix("/run/media/") ? .removable : nil
  }

  /// Returns the default folder for a clone: the last component of the source, without an extension.
  package static func folder(forCloneOf location: String) -> String {
    var name = Path.name(location)
    if HelperPlace.scheme(of: location) != nil, let colon = name.lastIndex(of: ":") {
      name = String(name[name.index(after: colon)...])
    }
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}
