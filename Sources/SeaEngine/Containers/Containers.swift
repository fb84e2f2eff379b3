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
        try store.peers.forget(name)
        try folder.remember(of: name) { $0.id = info.container }
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
      guard try folder.state(of: one.name).id != id else {
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
      try store.write { try store.peers.forget(name) }
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
      if let hints, let found = try container.listHints(first: true) { hints(found) }
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
    let known = try folder.state(of: setting.name)
    if known.id == info.container { return container }
    let isOpenedForSync = heals && store.access == .write
    if let id = known.id {
      guard isOpenedForSync, try isRenamed(id, in: container) else {
        throw KitError.otherContainer(name: setting.name, path: setting.location)
      }
    }
    guard isOpenedForSync else { return container }
    // Nothing that is remembered under this name need be true of this container.
    try store.write {
      try store.peers.forget(setting.name)
      try folder.remember(of: setting.name) { ($0.id, $0.condition) = (info.container, known.condition) }
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

/// Where to look, so as to learn that others have put something into a container.
package struct WatchedFolders: Sendable {
  /// Folders in which something appears then.
  package var folders: [String] = []
  /// Whether that is enough: nothing can come without something appearing in one of them.
  package var isComplete = false
}

extension Containers {
  /// What this instance puts there itself appears in none of the folders.
  package func watched(_ setting: ContainerSetting) -> WatchedFolders {
    guard let place = HelperPlace.path(of: setting.location) else { return WatchedFolders() }
    let found = NewsFolders(of: place, without: folder.instance.description)
    return WatchedFolders(folders: found.folders, isComplete: found.isComplete)
  }
}

// What a container says of itself is one small file, and without it nobody takes the folder for a container.

extension Containers {
  /// Writes again what a container said of itself, if it is the one that is remembered: chains that are known here lie in it.
  /// An empty mount point is no container.
  /// - Returns: nil if nothing was written.
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
    // A cloud client says that it has the file.
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

  /// What is to be told where a container does not say what it is: it may be on its way for so long as patience lasts.
  static func arrivingOr(_ error: ContainerError, _ container: Container, _ settings: Settings) -> any Error {
    switch error {
    case .badInfo(.notJSON, _), .notAContainer:
      guard let patience = try? settings.patience(),
        (try? container.isArriving(since: settings.clock() - patience)) == true
      else { return error }
      return KitError.stillArriving(path: container.location, what: .info)
    default: return error
    }
  }

  /// Whether two have made the container in one folder, and a cloud client has renamed what one of them wrote.
  func isRenamed(_ id: UUID, in container: Container) throws -> Bool {
    try container.infoCopies().contains { $0.container == id && $0.database == folder.databaseID }
  }
}

extension Container {
  /// Whether slots may be missing: none is there, a placeholder stands for one, or one is not whole.
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
  /// What reaches containers elsewhere.
  /// - Parameters:
  ///   - find: the path of a program, by its name.
  ///   - variable: the value of an environment variable.
  ///   - isHidden: variables that the programs are not told.
  ///   - complains: told what they write to standard error, a line at a time, as they wrote it.
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

  /// How fast bytes go to helpers that are started from now on, and come from them; and until when they are waited for.
  /// - Parameter ends: monotonic nanoseconds; nil for as long as it takes.
  package static func pace(_ helpers: Helpers, _ throttle: Throttle?, until ends: Int64?) {
    (helpers.throttle, helpers.ends) = (throttle, ends ?? .max)
  }

  /// How much is done at once from now on: requests of each helper that is started, and threads here that share one piece of work.
  package static func bound(_ helpers: Helpers, jobs: Int) {
    helpers.jobs = jobs
    ThisProcess.useThreads(most: jobs)
  }

  /// Whether a text names the place of a container and is no path.
  package static func isElsewhere(_ text: String) -> Bool { HelperPlace.scheme(of: text) != nil }

  /// Takes leave of all helpers that run.
  package static func close(_ helpers: Helpers) { helpers.close() }

  /// Holds the helper for a location against the protocol; the place is to be empty, and is so again afterwards.
  /// - Parameter tell: told of each check: its name, and what was not as it should be.
  /// - Throws: `placeNotEmpty`.
  package static func test(
    _ location: String, _ helpers: Helpers, _ tell: (_ check: String, _ fault: String?) throws -> Void
  ) throws {
    // What no helper has is told as anywhere.
    _ = try at(location, helpers)
    do {
      try HelperTrial(location, helpers).run { try tell($0.name, $0.fault) }
    } catch is HelperTrial.NotEmpty {
      throw KitError.placeNotEmpty(location)
    }
  }

  /// Gives a folder to whoever asks through two files, until he takes leave.
  /// - Throws: `databaseExists`, `placeInDatabase`, `placeInContainer` if no container should lie there.
  package static func serve(_ path: String, appendOnly: Bool, readOnly: Bool, _ input: File, _ output: File) throws {
    try Location.checkContainer(path)
    if !Location.isContainer(path) { try Location.checkFree(of: path) }
    let right: ServerWire.Right = readOnly ? .read : appendOnly ? .append : .everything
    try FolderServer(path, right, ServerWire(reading: input, writing: output)).run()
  }
}

/// What an exchange with a container would move, by names and by what is remembered of it: nothing is read or verified.
package struct ExchangePlan: Equatable, Sendable {
  /// What the container has and this instance lacks; branches go by the container's names.
  package var pull: [BlockRun] = []
  /// What this instance has and the container lacks; branches go by our names.
  package var push: [BlockRun] = []

  package init(pull: [BlockRun] = [], push: [BlockRun] = []) {
    self.pull = pull
    self.push = push
  }
}

extension Containers {
  /// What an exchange with a container would move.
  package func plan(_ setting: ContainerSetting) throws -> ExchangePlan { try plans([setting])[0].get() }

  /// What an exchange with containers would move, which takes in from all before it hands over to any: what comes from one
  /// goes to the others.
  /// - Parameter pulls: whether it takes in anything.
  /// - Returns: one for each, or why there is none.
  package func plans(_ settings: [ContainerSetting], pulls: Bool = true) -> [Result<ExchangePlan, any Error>] {
    var arrived = Frontier()
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
        var there = Frontier()
        for run in try place.branches() { there.raise(run.branch, to: run.last) }
        return ExchangePlan(pull: pull, push: try missing(in: place) + there.missing(of: arriving))
      }
    }
  }

  /// What a container is not known to have.
  package func toPush(_ name: String) throws -> Int { try frontier(of: name).missing(of: store.branches.runs()).blocks }

  /// What a container has and this instance lacks.
  func missing(from place: ContainerPlace) throws -> [BlockRun] {
    var ours = Frontier()
    for branch in try place.chains().chains {
      if let last = try lastKnown(of: branch, in: place.name) { ours.raise(branch, to: last) }
    }
    return try ours.missing(of: place.branches())
  }

  /// The last index of a branch of a container up to which nothing is lacking here.
  private func lastKnown(of branch: BranchID, in name: String) throws -> UInt32? {
    let seen = try store.peers.seen(branch, in: name)?.index
    if branch.isTrunk, let seen, try store.branches.isForked(branch.instance) { return seen }
    let here = try store.branches.branch(branch)?.head.index
    return branch.isTrunk ? here : [seen, here].compactMap { $0 }.max()
  }

  /// What this instance has and a container lacks.
  private func missing(in place: ContainerPlace) throws -> [BlockRun] {
    var theirs = try frontier(of: place.name)
    // Of a chain that has one branch the name of its last block says it all.
    let alone = try store.branches.chains().filter { try !store.branches.isForked($0.instance) }
    theirs.forget(Set(alone.map(\.instance)))
    for chain in alone {
      if let last = try place.container.lastIndex(of: chain.trunk.id) { theirs.raise(chain.trunk.id, to: last) }
    }
    return try theirs.missing(of: store.branches.runs())
  }

  /// What a container is known to have of our branches.
  func frontier(of name: String) throws -> Frontier {
    var frontier = Frontier()
    for seen in try store.peers.seen(in: name).values {
      if let row = try store.blocks.block(seen) {
        try store.branches.extend(&frontier, to: row)
      } else if let ours = try store.branches.branch(seen.branch), ours.head.index < seen.index {
        // It has more than is here.
        frontier.raise(ours.id, to: ours.head.index)
      }
    }
    return frontier
  }
}
