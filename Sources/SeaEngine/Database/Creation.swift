import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The description of a new database.
///
/// `make` fills the `.sea` folder under a temporary name and renames it when all content is durable. After a failure,
/// no files remain. After a crash, the next creation removes the temporary folder.
package struct Creation: Sendable {
  /// A version 4 ID, for a plain database without members that is created in several places. If nil, the ID is derived
  /// from the properties below.
  package var database: UUID?
  package var proof: DatabaseProof?
  package var contentType = "org.example.data"
  package var name = ""
  package var identity: Identity?
  /// A container that is attached from the start, so that an interrupted clone can continue.
  package var origin: ContainerSetting?
  /// The container's information if it has just been read, so that it does not have to be read again.
  var originInfo: ContainerInfo?
  package var isSealed = false
  package var hasMembers = false
  package var recovery: Identity?
  /// The keys of an existing encrypted database; nil if they will be opened with a password.
  package var keys: [EpochKey]?
  /// Whether a clone will fill the database. The store then records that the clone is incomplete.
  var isClone = false
  /// Whether this is a request for access. The instance then has no chain until it is authorized.
  var isRequest = false

  package init() {}

  /// Creates a `.sea` folder in `folder`, either completely or not at all.
  /// - Returns: the path of the `.sea` folder, and whether it is new. An existing database is not changed.
  /// - Throws: `otherDatabase` if the existing database has another ID than requested.
  package func make(in folder: String, _ settings: Settings) throws -> (path: String, created: Bool) {
    let isNew = try !Path.exists(folder)
    let path = Path.join(folder, Location.folderName)
    var password: [UInt8]?
    if try !Path.exists(path) {
      try Creation.checkPlace(folder)
      try Store.checkPlace(folder, making: true)
      // Prompt for the password first, so that canceling the prompt has no side effects.
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
      // The creator may have died before it synchronized the folder.
      try parent.synchronize()
      return (path, false)
    }
    if isAlone {
      // These folders were left by processes that crashed.
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
        // If the database is not durable, it must not keep its name.
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

  /// Refuses a folder inside a container or a `.sea` folder. A database inside a container would be copied along with
  /// it, including its private keys. A database inside a `.sea` folder would hide the outer database.
  /// - Throws: `folderInUse` with the surrounding container; `badPlace`.
  package static func checkPlace(_ folder: String) throws {
    // Check both the given path and its real path.
    for start in try [Path.absolute(folder), Path.resolvingExistingLinks(folder)] {
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
    // The `.sea` folder contains decrypted content of an encrypted database.
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
        founder: identity.key, contentType: contentType, first: isSealed ? epochs.first?.digest : nil,
        hasMembers: hasMembers,
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
      // This entry announces the exchange key that other instances use to wrap keys for the recovery instance.
      first.append(
        .authorize(try Authorization(key: recovery.key, exchange: recovery.exchangeKey(), role: .admin)))
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

  /// Removes an incomplete database. Only files with names that this program creates are deleted.
  static func discard(_ made: String) {
    let keys = Path.join(made, SeaFolder.keysName)
    AtomicFile.removeTemporaries(in: made)
    AtomicFile.removeTemporaries(in: keys)
    for name in [
      SeaFolder.configName, "db", "db-wal", "db-shm", "db-journal", Store.lockName, SeaFolder.requestName,
      ExchangeNotes.name,
    ] {
      _ = try? Path.remove(Path.join(made, name))
    }
    for name in [IdentityFile.name, KeyFile.name] { _ = try? Path.remove(Path.join(keys, name)) }
    // A clone from bundles may have stored assets before it failed.
    if let folder = try? Directory(made) { removeTree(Layout.assets, in: folder) }
    for name in [keys, Path.join(made, SeaFolder.temporaryName)] { _ = try? Path.removeDirectory(name) }
    _ = try? Path.removeDirectory(made)
  }

  /// Removes a folder and its content. Does not follow symbolic links, because their targets are outside of the
  /// database.
  private static func removeTree(_ name: String, in folder: Directory) {
    guard let tree = try? folder.directory(name) else { return }
    for entry in (try? tree.list().entries) ?? [] {
      if entry.kind == .directory { removeTree(entry.name, in: tree) } else { _ = try? tree.remove(entry.name) }
    }
    _ = try? folder.removeDirectory(name)
  }
}
