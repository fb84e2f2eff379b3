import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What a new database is to be, and how its `.sea` is made: complete or not at all.
///
/// It is filled under a temporary name beside its place, and renamed when all of it is durable. Whatever fails before
/// that, nothing is left; a crash leaves a folder that the next one takes away.
package struct Creation: Sendable {
  /// An id of version 4, for a database that is made in several places: plain and without members. Nil: one that stands
  /// for what is below.
  package var database: UUID?
  /// What the id of a database that is there already stands for.
  package var proof: DatabaseProof?
  package var contentType = "org.example.data"
  /// The instance's name, for people.
  package var name = ""
  /// Its keys; nil: new ones.
  package var identity: Identity?
  /// A container that it is attached to from the start, so that one that is there can go on where it was stopped.
  package var origin: ContainerSetting?
  /// What that one has said of itself a moment ago: it is not asked again.
  var originInfo: ContainerInfo?
  /// Whether blocks are sealed.
  package var isSealed = false
  /// Whether the database has members: only what they write counts.
  package var hasMembers = false
  /// The keys of recovery, in a database with members.
  package var recovery: Identity?
  /// The keys of a sealed database that is there already; nil if they are to be asked for.
  package var keys: [EpochKey]?
  /// Whether it is to be filled from a place, which notes that this has not come to its end.
  var isClone = false
  /// Whether this is a request to be let in: the instance has no chain until somebody does.
  var isRequest = false

  package init() {}

  /// Makes `.sea` in `folder`.
  /// - Returns: the path of `.sea`, and whether it was made now; a database that is there stays as it is.
  /// - Throws: `otherDatabase` if it has another id than asked for.
  package func make(in folder: String, _ settings: Settings) throws -> (path: String, created: Bool) {
    let isNew = try !Path.exists(folder)
    let path = Path.join(folder, Location.folderName)
    var password: [UInt8]?
    if try !Path.exists(path) {
      try Creation.checkPlace(folder)
      try Store.checkPlace(folder, making: true)
      // Whoever is asked may go, and leaves nothing then.
      let isWhole = proof != nil || database == nil
      if isSealed, isWhole, keys == nil, !isRequest { password = try askedPassword(settings) }
    }
    try Path.createDirectories(folder)
    let parent = try Directory(folder)
    let isAlone = try Creation.lock(parent, settings)
    if try Path.exists(path) {
      let there = try SeaFolder(path: path)
      defer { there.store.close() }
      if let want = proof?.database ?? database, want != there.databaseID {
        throw KitError.otherDatabase(path: path, have: there.databaseID, want: want)
      }
      // Whoever made it may have died before this.
      try parent.synchronize()
      return (path, false)
    }
    if isAlone {
      // Left by those that died.
      for entry in try parent.list().entries where entry.kind == .directory && AtomicFile.isTemporary(entry.name) {
        Creation.discard(Path.join(folder, entry.name))
      }
    }
    let making = try AtomicFile.temporaryName()
    let made = Path.join(folder, making)
    do {
      try fill(made, settings, password)
      try Path.synchronizeDirectory(Path.join(made, SeaFolder.keysName))
      try Path.synchronizeDirectory(made)
      try parent.renameNoReplace(making, to: Location.folderName)
      do { try parent.synchronize() } catch {
        // What is there would be taken for durable.
        try? parent.renameNoReplace(Location.folderName, to: making)
        throw error
      }
    } catch {
      Creation.discard(made)
      if isNew { _ = try? Path.removeDirectory(folder) }
      throw error
    }
    if settings.notes != nil, let there = try? Database(path: path, settings) {
      there.author.recordHead()
      there.close()
    }
    return (path, true)
  }

  /// A database in a container would be copied about with it, private keys and all; one in a `.sea` would hide what is missing there.
  /// - Throws: `folderInUse`, with the container that the folder is, or lies in; `badPlace`.
  package static func checkPlace(_ folder: String) throws {
    // As it was named, and where that leads to.
    for start in try [Path.absolute(folder), Path.realAsFarAsThere(folder)] {
      for place in Path.upwards(from: start) {
        if try Path.exists(Path.join(place, Layout.info)), Location.isContainer(place) {
          throw KitError.folderInUse(path: place)
        }
        if Path.name(place) == Location.folderName {
          throw KitError.badPlace(.withinDatabase(path: folder, around: Path.parent(place)))
        }
      }
    }
  }

  /// One at a time makes a database in a folder.
  private static func lock(_ folder: Directory, _ settings: Settings) throws -> Bool {
    do throws(SystemError) { return try folder.lock(seconds: settings.lockWait) } catch {
      throw StoreError.locked(text: "", milliseconds: 0)
    }
  }

  private func askedPassword(_ settings: Settings) throws -> [UInt8] {
    let place = "database \(contentType)"
    guard let password = try settings.password?(.new(place: place)) else { throw KitError.noPassword(place: place) }
    return password
  }

  private func fill(_ made: String, _ settings: Settings, _ asked: [UInt8]?) throws {
    // What is sealed lies open here.
    try Path.createDirectories(made, mode: proof?.isSealed ?? isSealed ? 0o700 : 0o755)
    let folder = Path.join(made, SeaFolder.keysName)
    try Path.createDirectories(folder, mode: 0o700)
    let identity = try identity ?? IdentityFile.make()
    try IdentityFile.write(identity, folder: folder)
    var proof = proof
    var epochs = keys ?? []
    let begins = (proof?.isSealed ?? isSealed) && keys == nil && !isRequest
    if begins { epochs = [try EpochKey.random(1)] }
    if proof == nil, database == nil {
      proof = DatabaseProof(
        founder: identity.key, first: isSealed ? epochs.first?.digest : nil, hasMembers: hasMembers,
        recovery: recovery?.key)
    }
    guard let id = proof?.database ?? database, DatabaseProof.holds(proof, for: id),
      proof != nil || !(isSealed || hasMembers)
    else { throw KitError.badDatabaseID }
    let isSealed = proof?.isSealed ?? false
    var slots: [Slot] = []
    var first: [ControlEntry] = []
    if begins, let key = epochs.first {
      let password = try asked ?? askedPassword(settings)
      slots = [try Slot.password(password, key, id, rounds: settings.rounds)]
      if let recovery {
        slots.append(
          try Slot.instance(
            recovery.instance, exchange: recovery.exchangeKey(), key, database: id, ephemeral: Random.bytes(32)))
      }
      let readers = recovery.map { [$0.instance] } ?? []
      first.append(
        .epoch(
          try EpochChange(epoch: 1, key: key.digest, slots: slots.map(\.digest), readers: readers)))
    }
    if let recovery {
      // So that everybody knows what to wrap for it with.
      first.append(
        .authorise(try Authorisation(key: recovery.key, exchange: recovery.exchangeKey(), role: .admin)))
    }
    if settings.keepsKeys, !epochs.isEmpty { try KeyFile(keys: epochs).write(folder: folder) }
    try Store.create(
      folder: made,
      meta: [
        ("database", .blob(id.bytes)), ("instance", .blob(identity.instance.bytes)),
        ("contentType", .text(contentType)), ("name", .text(name)),
        ("created", .int(settings.clock())), ("sealed", .int(isSealed ? 1 : 0)),
        ("keepsKeys", .int(settings.keepsKeys ? 1 : 0)), (Clone.mark, .int(isClone ? 1 : 0)),
      ] + (proof.map { [("proof", .blob($0.bytes))] } ?? [])
        + (settings.machine().map { [("machine", .text($0))] } ?? []))
    var writing = settings
    writing.access = .write
    let opened = try Database(path: made, writing)
    defer { opened.close() }
    opened.keychain.become(identity.instance, identity)
    if let proof, !epochs.isEmpty { opened.keychain.hold(KeyRing(proof, keys: epochs)) }
    if isRequest {
      let request = try JoinRequest.encoded(database: id, identity: identity, name: name)
      try AtomicFile.write(opened.folder.requestPath, mode: 0o644, request, replace: false)
    } else {
      try opened.store.write {
        for slot in slots { try opened.store.control.keep(slot) }
        try opened.author.appendGenesis(name: name, others: first)
      }
    }
    if let origin { _ = try opened.containers.add(origin, create: false, known: originInfo) }
  }

  /// Takes away what was being made when it failed; only names of our own.
  static func discard(_ made: String) {
    let keys = Path.join(made, SeaFolder.keysName)
    AtomicFile.removeTemporaries(in: made)
    AtomicFile.removeTemporaries(in: keys)
    for name in [
      SeaFolder.configName, "db", "db-wal", "db-shm", "db-journal", Store.lockName, SeaFolder.requestName,
    ] {
      _ = try? Path.remove(Path.join(made, name))
    }
    for name in [IdentityFile.name, KeyFile.name] { _ = try? Path.remove(Path.join(keys, name)) }
    for name in [keys, Path.join(made, SeaFolder.temporaryName)] { _ = try? Path.removeDirectory(name) }
    _ = try? Path.removeDirectory(made)
  }
}
