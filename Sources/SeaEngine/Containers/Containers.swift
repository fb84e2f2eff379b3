import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The containers that are attached: where they lie, whether each is still the one that it was, what it is known to have,
/// and what an exchange with it would move.
///
/// What it says of a container is what its names say, or what is remembered of it: nothing is verified here, and nothing
/// is moved. That is for `Exchange`.
package final class Containers {
  let folder: SeaFolder
  var store: Store { folder.store }

  package init(_ folder: SeaFolder) { self.folder = folder }

  private func key(_ name: String, _ field: String) throws -> ConfigKey {
    guard let key = ConfigKey("container.\(name).\(field)") else { throw KitError.badContainerName(name) }
    return key
  }

  package func settings() throws -> [ContainerSetting] {
    let file = try ConfigSources.read(folder.configPath)
    var settings: [ContainerSetting] = []
    for entry in file.entries where entry.key.section == "container" {
      guard let name = entry.key.subsection, let value = entry.value ?? "true" as String? else { continue }
      if !settings.contains(where: { $0.name == name }) { settings.append(ContainerSetting(name: name, location: "")) }
      let at = settings.firstIndex { $0.name == name }!
      switch entry.key.name {
      case "location": settings[at].location = value
      case "auto": settings[at].isAutomatic = ConfigType.bool(value) ?? true
      case "assets": settings[at].assets = value
      case "readonly": settings[at].isReadOnly = ConfigType.bool(value) ?? false
      default: break
      }
    }
    return settings.filter { !$0.location.isEmpty }
  }

  /// The container of that name or, where there is none, the one at a location, which need not be attached.
  package func setting(_ name: String, orAt location: String) throws -> ContainerSetting {
    do { return try setting(name) } catch KitError.containerNotFound {
      let isThere = try HelperPlace(location) != nil || Path.exists(Path.join(location, Layout.info))
      guard isThere else { throw KitError.containerNotFound(name) }
      return ContainerSetting(name: name, location: location)
    }
  }

  /// The attached container of that name or, where there is none, the one at a location, which need not be there.
  package func container(_ name: String, orAt location: String) throws -> Container {
    do { return try open(setting(name)) } catch KitError.containerNotFound {
      return try Containers.at(location, folder.settings.helpers)
    }
  }

  package func setting(_ name: String) throws -> ContainerSetting {
    guard let found = try settings().first(where: { UTF8Text.equal($0.name, name) }) else {
      throw KitError.containerNotFound(name)
    }
    return found
  }

  /// - Throws: `passwordInLocation`.
  package static func checkHasNoPassword(_ location: String) throws {
    guard let place = HelperPlace(location), place.hasPassword else { return }
    throw KitError.passwordInLocation(scheme: place.scheme)
  }

  /// The container at a location: a path, `file://` and a path, or what a helper reaches.
  package static func at(_ location: String, _ helpers: Helpers) throws -> Container {
    if let path = HelperPlace.path(of: location) { return DirectoryContainer(path) }
    guard let place = HelperPlace(location) else {
      throw KitError.unknownScheme(HelperPlace.scheme(of: location) ?? "")
    }
    try checkHasNoPassword(location)
    guard helpers.reaches(place) else { throw KitError.unknownScheme(place.scheme) }
    return helpers.container(at: place)
  }

  /// Attaches a container, and makes it first if asked to.
  /// - Parameters:
  ///   - dryRun: checks everything and changes nothing.
  ///   - known: what the container has just said of itself: one that is elsewhere is asked nothing more.
  /// - Returns: what the container says of itself, nil if it was not made for lack of doing; and whether it is new.
  package func add(
    _ setting: ContainerSetting, create: Bool, dryRun: Bool = false, known: ContainerInfo? = nil
  ) throws -> (info: ContainerInfo?, created: Bool) {
    let name = setting.name
    let allowed = name.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
        || $0 == 0x2E || $0 == 0x5F
    }
    guard (1...64).contains(name.utf8.count), allowed, name.utf8.first != 0x2D, name.utf8.first != 0x2E else {
      throw KitError.badContainerName(name)
    }
    guard try !settings().contains(where: { UTF8Text.equal($0.name, name) }) else {
      throw KitError.containerExists(name)
    }
    let container = try Containers.at(setting.location, folder.settings.helpers)
    if let path = HelperPlace.path(of: setting.location) {
      try Location.checkFree(of: path)
      try Location.checkContainer(path, own: folder.path)
    }
    var created = false
    let info: ContainerInfo
    do throws(ContainerError) {
      if let known { info = known } else { info = try container.info() }
    } catch {
      if case let arriving as KitError = Containers.arrivingOr(error, container, folder.settings) { throw arriving }
      guard create else {
        if case .notThere(let path) = error { throw KitError.noContainer(path: path) }
        if case .notAContainer(let path) = error { throw KitError.noContainer(path: path) }
        throw Containers.away(error, name, container)
      }
      switch error {
      case .notThere, .notAContainer:
        try Location.checkParent(of: setting.location)
        try Location.checkEmpty(setting.location)
      default: throw error
      }
      if dryRun { return (nil, true) }
      let made = try ContainerInfo(
        container: UUID.random(), database: folder.databaseID, contentType: folder.contentType(),
        proof: folder.proof)
      try container.create(made)
      info = made
      created = true
    }
    try check(info, name)
    try checkUntaken(setting.location, info.container)
    if dryRun { return (info, false) }
    // Whoever made it may have been stopped before all of it was on the disk.
    if !setting.isReadOnly, known == nil || !container.isFar { try container.makeDurable(deep: false) }
    try store.locked {
      var file = try ConfigSources.read(folder.configPath)
      try file.set(key(name, "location"), setting.location)
      if !setting.isAutomatic { try file.set(key(name, "auto"), "false") }
      if let assets = setting.assets { try file.set(key(name, "assets"), assets) }
      if setting.isReadOnly { try file.set(key(name, "readonly"), "true") }
      try store.write {
        try store.peers.removeContainer(name)
        try store.peers.setContainer(ContainerRow(name: name, id: info.container, last: 0, state: "ok"))
      }
      try file.save()
    }
    return (info, created)
  }

  /// A container has one name at its place: by two it would be looked at twice. Media that are mounted in turn have one place.
  /// - Throws: `badPlace`.
  private func checkUntaken(_ location: String, _ id: UUID) throws {
    func place(_ location: String) -> String {
      HelperPlace.path(of: location).flatMap { try? Path.realAsFarAsThere($0) } ?? location
    }
    let wanted = place(location)
    for one in try settings() where UTF8Text.equal(place(one.location), wanted) {
      guard try store.peers.container(one.name)?.id != id else {
        throw KitError.badPlace(.taken(path: location, by: one.name))
      }
    }
  }

  /// Forgets a container; its files stay.
  /// - Parameters:
  ///   - force: also if the container has blocks that this instance has not taken in, or cannot be looked at.
  ///   - dryRun: looks, and changes nothing.
  /// - Returns: how many such blocks are there, nil if nobody can tell; unless forced, only 0 has it forgotten.
  package func remove(
    _ name: String, force: Bool, dryRun: Bool = false
  ) throws -> (setting: ContainerSetting, unread: Int?) {
    let setting = try setting(name)
    let unread = try? missing(from: ContainerPlace(open(setting), named: name)).blocks
    guard force || unread == 0, !dryRun else { return (setting, unread) }
    try store.locked {
      var file = try ConfigSources.read(folder.configPath)
      for field in ["location", "auto", "readonly", "assets"] { _ = try file.unset(key(name, field), all: true) }
      try file.dropEmpty("container", name)
      try file.save()
      try store.write { try store.peers.removeContainer(name) }
    }
    return (setting, unread)
  }

  /// A container must be of this database.
  func check(_ info: ContainerInfo, _ name: String) throws {
    guard info.database == folder.databaseID else {
      throw KitError.containerMismatch(
        name: name, what: .database, have: info.database.description, want: folder.databaseID.description)
    }
    let type = try folder.contentType()
    guard UTF8Text.equal(info.contentType, type) else {
      throw KitError.containerMismatch(name: name, what: .contentType, have: info.contentType, want: type)
    }
  }

  /// Opens a container that is attached, and makes sure that it is the same as before.
  /// - Parameters:
  ///   - heals: whether it may be written to where what it says of itself is gone.
  ///   - hints: told what hints there are, before anything else is listed, where that is dear.
  ///   - whenHealed: called if that was done.
  package func open(
    _ setting: ContainerSetting, heals: Bool = false, hints: (([String: HintEntry]) -> Void)? = nil,
    whenHealed: () -> Void = {}
  ) throws -> Container {
    let container = try Containers.at(setting.location, folder.settings.helpers)
    let mayWrite = heals && !setting.isReadOnly && store.access == .write
    let info: ContainerInfo
    do throws(ContainerError) {
      if let hints, let found = try (container as? HintedContainer)?.listHints(first: true) { hints(found) }
      info = try container.info()
    } catch {
      guard mayWrite, let restored = try restored(container, setting.name, error) else {
        if case let arriving as KitError = Containers.arrivingOr(error, container, folder.settings) { throw arriving }
        throw Containers.away(error, setting.name, container)
      }
      info = restored
      whenHealed()
    }
    try check(info, setting.name)
    if mayWrite { try Waits(folder, for: setting.name, .info).finish() }
    if let known = try store.peers.container(setting.name), known.id != info.container {
      guard heals, store.access == .write, try isRenamed(known.id, in: container) else {
        throw KitError.otherContainer(name: setting.name, path: setting.location)
      }
      // Nothing that is remembered of it need be so any more.
      try store.write {
        try store.peers.removeContainer(setting.name)
        try store.peers.setContainer(ContainerRow(name: setting.name, id: info.container, last: 0, state: known.state))
      }
    }
    return container
  }

  static func away(_ error: ContainerError, _ name: String, _ container: Container) -> any Error {
    switch error {
    case .notThere, .notAContainer: return KitError.containerAway(name: name, path: container.location)
    case .system(let error) where error.isMissing: return KitError.containerAway(name: name, path: container.location)
    default: return error
    }
  }
}
