import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The attached containers: their locations, identities and blocks, and the blocks that an exchange would transfer.
///
/// This class uses only file names and remembered state. `Exchange` verifies and transfers the blocks.
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

  /// Returns the named container or, if there is no container with this name, a container at this location. The latter
  /// does not have to be attached.
  package func setting(_ name: String, orAt location: String) throws -> ContainerSetting {
    do { return try setting(name) } catch KitError.containerNotFound {
      let isThere = try HelperPlace(location) != nil || Path.exists(Path.join(location, Layout.info))
      guard isThere else { throw KitError.containerNotFound(name) }
      return ContainerSetting(name: name, location: location)
    }
  }

  /// Opens the named container or, if there is no container with this name, the location. The location may be empty.
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

  package static func checkHasNoPassword(_ location: String) throws {
    guard let place = HelperPlace(location), place.hasPassword else { return }
    throw KitError.passwordInLocation(scheme: place.scheme)
  }

  /// Returns the container at a location: a path, a `file://` URL, or a location that a helper serves.
  package static func at(_ location: String, _ helpers: Helpers) throws -> Container {
    if let path = HelperPlace.path(of: location) { return DirectoryContainer(path) }
    guard let place = HelperPlace(location) else {
      throw KitError.unknownScheme(HelperPlace.scheme(of: location) ?? "")
    }
    try checkHasNoPassword(location)
    guard helpers.reaches(place) else { throw KitError.unknownScheme(place.scheme) }
    return helpers.container(at: place)
  }

  /// Attaches a container. Creates it first if requested.
  /// - Parameters:
  ///   - dryRun: whether to check everything without changing anything.
  ///   - known: the container's information if it has just been read; this saves requests to a remote container.
  /// - Returns: the container's information, or nil if a dry run did not create the container; and whether it is new.
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
      if case let arriving as KitError = Containers.incompleteOr(error, container, folder.settings) { throw arriving }
      guard create else {
        if case .missing(let path) = error { throw KitError.noContainer(path: path) }
        if case .notAContainer(let path) = error { throw KitError.noContainer(path: path) }
        throw Containers.unavailable(error, name, container)
      }
      switch error {
      case .missing, .notAContainer:
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
    // The process that created the container may have been killed before the container was durable.
    if !setting.isReadOnly, known == nil || !container.isFar { try container.makeDurable(deep: false) }
    try store.locked {
      var file = try ConfigSources.read(folder.configPath)
      try file.set(key(name, "location"), setting.location)
      if !setting.isAutomatic { try file.set(key(name, "auto"), "false") }
      if let assets = setting.assets { try file.set(key(name, "assets"), assets) }
      if setting.isReadOnly { try file.set(key(name, "readonly"), "true") }
      try store.write {
        try store.peers.forget(name)
        try folder.remember(of: name) { $0.id = info.container }
      }
      try file.save()
    }
    return (info, created)
  }

  /// Refuses a container that is already attached under another name, because it would be read twice. Different
  /// removable media may share a location.
  /// - Throws: `badPlace`.
  private func checkUntaken(_ location: String, _ id: UUID) throws {
    func resolved(_ location: String) -> String {
      HelperPlace.path(of: location).flatMap { try? Path.resolvingExistingLinks($0) } ?? location
    }
    let wanted = resolved(location)
    for one in try settings() where UTF8Text.equal(resolved(one.location), wanted) {
      guard try folder.state(of: one.name).id != id else {
        throw KitError.badPlace(.taken(path: location, by: one.name))
      }
    }
  }

  /// Detaches a container without deleting its files.
  /// - Parameters:
  ///   - force: whether to detach the container even if blocks have not been imported or the container cannot be
  ///     checked.
  /// - Returns: the number of blocks that have not been imported; nil if unknown. Without `force`, the container is
  ///   detached only if this number is 0.
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
      try store.write { try store.peers.forget(name) }
    }
    return (setting, unread)
  }

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

  /// Opens an attached container and checks that it is still the same container.
  /// - Parameters:
  ///   - heals: whether to restore the container's information if it is lost.
  ///   - hints: if listing files is slow, called with the summary files before any other files are listed.
  ///   - whenHealed: called if the information was restored.
  package func open(
    _ setting: ContainerSetting, heals: Bool = false, hints: (([String: HintEntry]) -> Void)? = nil,
    whenHealed: () -> Void = {}
  ) throws -> Container {
    let container = try Containers.at(setting.location, folder.settings.helpers)
    let mayWrite = heals && !setting.isReadOnly && store.access == .write
    let info: ContainerInfo
    do throws(ContainerError) {
      if let hints, let found = try container.listHints(first: true) { hints(found) }
      info = try container.info()
    } catch {
      guard mayWrite, let restored = try restored(container, setting.name, error) else {
        if case let arriving as KitError = Containers.incompleteOr(error, container, folder.settings) { throw arriving }
        throw Containers.unavailable(error, setting.name, container)
      }
      info = restored
      whenHealed()
    }
    try check(info, setting.name)
    if mayWrite { try Waits(folder, for: setting.name, .info).finish() }
    let known = try folder.state(of: setting.name)
    if known.id == info.container { return container }
    let isOpenedForSync = heals && store.access == .write
    if let id = known.id {
      guard isOpenedForSync, try isRenamed(id, in: container) else {
        throw KitError.otherContainer(name: setting.name, path: setting.location)
      }
    }
    guard isOpenedForSync else { return container }
    // Delete the state stored under this name, because it may belong to another container.
    try store.write {
      try store.peers.forget(setting.name)
      try folder.remember(of: setting.name) { ($0.id, $0.condition) = (info.container, known.condition) }
    }
    return container
  }

  static func unavailable(_ error: ContainerError, _ name: String, _ container: Container) -> any Error {
    switch error {
    case .missing, .notAContainer: return KitError.containerUnavailable(name: name, path: container.location)
    case .system(let error) where error.isMissing:
      return KitError.containerUnavailable(name: name, path: container.location)
    default: return error
    }
  }
}

/// The folders to watch in order to notice files that other instances add to a container.
package struct WatchedFolders: Sendable {
  package var folders: [String] = []
  /// Whether every new file changes one of these folders.
  package var isComplete = false
}

extension Containers {
  package func watched(_ setting: ContainerSetting) -> WatchedFolders {
    guard let place = HelperPlace.path(of: setting.location) else { return WatchedFolders() }
    let found = ObservedFolders(of: place, without: folder.instance.description)
    return WatchedFolders(folders: found.folders, isComplete: found.isComplete)
  }
}

// A container's information is a small file. A folder without this file does not count as a container.

extension Containers {
  /// Restores a container's information if its chains show that it is the container it was before. An empty mount point
  /// does not qualify.
  /// - Returns: nil if nothing was restored.
  func restored(_ container: Container, _ name: String, _ error: ContainerError) throws -> ContainerInfo? {
    switch error {
    case .notAContainer, .badInfo: break
    default: return nil
    }
    let known = try folder.state(of: name)
    guard let id = known.id, known.lastSync > 0 else { return nil }
    guard try container.chains().chains.contains(where: { try store.branches.chain($0.instance) != nil }) else {
      return nil
    }
    // A cloud client shows a placeholder as long as the information file has not been downloaded.
    if try container.strays().contains(where: { Layout.promised(by: $0.path) == Layout.info }) {
      var waits = try Waits(folder, for: name, .info)
      let isLost = try waits.hasPassed(Layout.info)
      try waits.finish()
      guard isLost else { return nil }
    }
    let info = try ContainerInfo(
      container: id, database: folder.databaseID, contentType: folder.contentType(), proof: folder.proof)
    try container.restore(info)
    return try container.info()
  }

  /// Returns the error for a container whose information is missing: `stillIncomplete` if its files may still be
  /// arriving.
  static func incompleteOr(_ error: ContainerError, _ container: Container, _ settings: Settings) -> any Error {
    switch error {
    case .badInfo(.notJSON, _), .notAContainer:
      guard let patience = try? settings.patience(),
        (try? container.isIncomplete(since: settings.clock() - patience)) == true
      else { return error }
      return KitError.stillIncomplete(path: container.location, what: .info)
    default: return error
    }
  }

  /// Whether two instances created a container in the same folder, and a cloud client renamed one of the information
  /// files.
  func isRenamed(_ id: UUID, in container: Container) throws -> Bool {
    try container.infoCopies().contains { $0.container == id && $0.database == folder.databaseID }
  }
}

extension Container {
  /// Whether key slots may be missing: there is no key slot, only a placeholder for one, or an incomplete one.
  func lacksSlots() throws -> Bool {
    let names = try names(in: .keys).prefix(1000)
    if names.isEmpty { return true }
    for name in names {
      guard let bytes = try? bounded(name, in: .keys), SHA256.hash(bytes).description == name else { return true }
    }
    return try !promised(in: .keys).isEmpty
  }
}

extension Containers {
  /// - Parameters:
  ///   - find: returns the path of a program by its name.
  ///   - variable: returns the value of an environment variable.
  ///   - complains: called with each line that a helper writes to standard error, unchanged.
  package static func helpers(
    find: @escaping (String) -> String?, variable: @escaping (String) -> String?,
    isHidden: @escaping (String) -> Bool, complains: @escaping (_ place: String, _ line: String) -> Void
  ) -> Helpers {
    let helpers = Helpers(find: find)
    helpers.variable = variable
    helpers.isHidden = isHidden
    helpers.complains = complains
    if let seconds = variable("SEA_HELPER_TIMEOUT").flatMap(Quantity.duration), seconds > 0 {
      helpers.silence = Int(min(seconds, 86_400))
    }
    return helpers
  }

  /// Limits the transfer speed of helpers started from now on, and the time by which they must respond.
  /// - Parameter ends: monotonic nanoseconds; nil for no limit.
  package static func pace(_ helpers: Helpers, _ throttle: Throttle?, until ends: Int64?) {
    (helpers.throttle, helpers.ends) = (throttle, ends ?? .max)
  }

  /// Sets the number of parallel requests for helpers started from now on, and the number of threads in this process.
  package static func bound(_ helpers: Helpers, jobs: Int) {
    helpers.jobs = jobs
    ThisProcess.useThreads(most: jobs)
  }

  package static func isRemoteLocation(_ text: String) -> Bool { HelperPlace.scheme(of: text) != nil }

  package static func close(_ helpers: Helpers) { helpers.close() }

  /// Tests whether the helper for a location follows the protocol. The location must be empty, and is empty again after
  /// the test.
  /// - Throws: `placeNotEmpty`.
  package static func test(
    _ location: String, _ helpers: Helpers, _ report: (_ check: String, _ fault: String?) throws -> Void
  ) throws {
    // Open the location first, so that a missing helper causes the usual error.
    _ = try at(location, helpers)
    do {
      try HelperTrial(location, helpers).run { try report($0.name, $0.fault) }
    } catch is HelperTrial.NotEmpty {
      throw KitError.placeNotEmpty(location)
    }
  }

  /// Serves a folder to a client, which communicates through two files, until the client ends the session.
  /// - Throws: `databaseExists`, `placeInDatabase`, `placeInContainer` if the path must not contain a container.
  package static func serve(_ path: String, appendOnly: Bool, readOnly: Bool, _ input: File, _ output: File) throws {
    try Location.checkContainer(path)
    if !Location.isContainer(path) { try Location.checkFree(of: path) }
    let right: ServerWire.Right = readOnly ? .read : appendOnly ? .append : .everything
    try FolderServer(path, right, ServerWire(reading: input, writing: output)).run()
  }
}

/// The blocks that an exchange would transfer, based on file names and remembered state. Planning neither reads nor
/// verifies blocks.
package struct ExchangePlan: Equatable, Sendable {
  package var pull: [BlockRun] = []
  package var push: [BlockRun] = []

  package init(pull: [BlockRun] = [], push: [BlockRun] = []) {
    self.pull = pull
    self.push = push
  }
}

extension Containers {
  package func plan(_ setting: ContainerSetting) throws -> ExchangePlan { try plans([setting])[0].get() }

  /// Returns the plans for an exchange that imports from all containers before exporting to any of them, so that blocks
  /// from one container reach the others.
  /// - Returns: for each container, its plan or the error that prevents one.
  package func plans(_ settings: [ContainerSetting], pulls: Bool = true) -> [Result<ExchangePlan, any Error>] {
    var arrived = VersionVector()
    var arriving: [BlockRun] = []
    let places = settings.map { setting in
      Result {
        let place = ContainerPlace(try open(setting), named: setting.name)
        let pull = arrived.missing(of: pulls ? try missing(from: place) : [])
        for run in pull { arrived.raise(run.branch, to: run.last) }
        arriving += pull
        return (place, pull)
      }
    }
    return places.map { place in
      Result {
        let (place, pull) = try place.get()
        var there = VersionVector()
        for run in try place.branches() { there.raise(run.branch, to: run.last) }
        return ExchangePlan(pull: pull, push: try missing(in: place) + there.missing(of: arriving))
      }
    }
  }

  package func toPush(_ name: String) throws -> Int { try frontier(of: name).missing(of: store.branches.runs()).blocks }

  func missing(from place: ContainerPlace) throws -> [BlockRun] {
    var ours = VersionVector()
    for branch in try place.chains().chains {
      if let last = try lastKnown(of: branch, in: place.name) { ours.raise(branch, to: last) }
    }
    return try ours.missing(of: place.branches())
  }

  private func lastKnown(of branch: BranchID, in name: String) throws -> UInt32? {
    let seen = try store.peers.seen(branch, in: name)?.index
    if branch.isMainBranch, let seen, try store.branches.isForked(branch.instance) { return seen }
    let here = try store.branches.branch(branch)?.head.index
    return branch.isMainBranch ? here : [seen, here].compactMap { $0 }.max()
  }

  private func missing(in place: ContainerPlace) throws -> [BlockRun] {
    var theirs = try frontier(of: place.name)
    // For a chain with only one branch, it is enough to know the name of the last file.
    let alone = try store.branches.chains().filter { try !store.branches.isForked($0.instance) }
    theirs.forget(Set(alone.map(\.instance)))
    for chain in alone {
      if let last = try place.container.lastIndex(of: chain.trunk.id) { theirs.raise(chain.trunk.id, to: last) }
    }
    return try theirs.missing(of: store.branches.runs())
  }

  /// Returns the version vector that a container had when it was last seen, limited to blocks that this instance has.
  func frontier(of name: String) throws -> VersionVector {
    var frontier = VersionVector()
    for seen in try store.peers.seen(in: name).values {
      if let row = try store.blocks.block(seen) {
        try store.branches.extend(&frontier, to: row)
      } else if let ours = try store.branches.branch(seen.branch), ours.head.index < seen.index {
        frontier.raise(ours.id, to: ours.head.index)
      }
    }
    return frontier
  }
}
