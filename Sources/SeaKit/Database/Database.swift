import SeaCore
import SeaStore
import SeaSystem

/// A database of records on this device: the place where store, keys and containers meet.
///
/// An object belongs to one thread. Several processes may use one database at once: writers queue, readers never wait.
public final class Database {
  package let folder: SeaFolder
  var identity: Identity?
  /// Whether a clone could leave its request to be let in where it came from.
  package internal(set) var leftRequest = false
  /// The epoch keys, once they were needed.
  package var keys: KeyRing?
  /// Called when the instance has taken a new name.
  package var whenRenewed: ((Renewal) -> Void)?
  /// Whether it was looked whether others write in the name of this instance.
  var isSole = false
  /// The own head that the seat has.
  var recorded: BlockRef?
  /// The machine that this is.
  lazy var machine = settings.machine()
  package private(set) lazy var records = Records(self)
  package private(set) lazy var conflicts = Conflicts(self, records)
  /// The files of assets on this device.
  package private(set) lazy var assetFolder = AssetFolder(path)
  /// Opens the database in the folder `.sea` at `path`.
  package init(path: String, _ settings: Settings = Settings()) throws {
    folder = try SeaFolder(path: path, settings)
  }

  /// Ends the use of the database. Nothing that was acknowledged depends on it.
  public func close() { store.close() }

  /// Whether it was not closed yet.
  package var isOpen: Bool { store.isOpen }

  /// Nobody else writes from now on until this is closed: what is looked up is what is written upon.
  package func holdLock() throws { try store.takeLock() }

  /// Runs `body` on one state of the database, whatever others write meanwhile.
  package func atOneState<Result>(_ body: () throws -> Result) throws -> Result { try store.snapshot(body) }

  /// Whether nobody else may read the key of this instance, as far as the file system can say.
  package func isKeyPrivate() throws -> Bool {
    let key = Path.join(folder.keysPath, IdentityFile.name)
    return try Path.status(key).map { $0.mode & 0o077 == 0 } ?? true
  }

  func signingIdentity() throws -> Identity {
    if let identity { return identity }
    let read = try IdentityFile.read(
      folder: folder.keysPath, key: try store.blocks.chain(instance)?.publicKey)
    guard read.instance == instance else { throw KitError.badIdentity(path: path) }
    identity = read
    return read
  }
}

// MARK: - Making one

extension Database {
  /// What a new database is to be.
  package struct Creation: Sendable {
    /// Nil: a new random id.
    package var database: UUID?
    package var contentType = "org.example.data"
    /// The instance's name, for people.
    package var name = ""
    /// Its keys; nil: new ones.
    package var identity: Identity?
    /// A container that it is attached to from the start, so that one that is there can go on where it was stopped.
    package var origin: ContainerSetting?
    /// Whether blocks are sealed.
    package var isSealed = false
    /// Whether the database has members: only what they write counts.
    package var hasMembers = false
    /// The keys of a sealed database that is there already; nil if they are to be asked for.
    package var keys: [EpochKey]?
    /// Whether this is a request to be let in: the instance has no chain until somebody does.
    var isRequest = false

    package init() {}
  }

  /// Makes `.sea` in `folder`, complete or not at all.
  /// - Returns: the path of `.sea`, and whether it was made now; a database that is there stays as it is.
  /// - Throws: `otherDatabase` if it has another id than asked for.
  package static func create(in folder: String, _ creation: Creation, _ settings: Settings) throws -> (
    path: String, created: Bool
  ) {
    let isNew = try !Path.exists(folder)
    try Path.createDirectories(folder)
    let path = Path.join(folder, Location.folderName)
    let parent = try Directory(folder)
    let isAlone = try lock(parent, settings)
    if try Path.exists(path) {
      let there = try Database(path: path)
      defer { there.close() }
      if let want = creation.database, want != there.databaseID {
        throw KitError.otherDatabase(path: path, have: there.databaseID, want: want)
      }
      // Whoever made it may have died before this.
      try parent.synchronize()
      return (path, false)
    }
    if isAlone {
      // Left by those that died.
      for entry in try parent.list().entries where entry.kind == .directory && AtomicFile.isTemporary(entry.name) {
        discard(Path.join(folder, entry.name))
      }
    }
    let making = try AtomicFile.temporaryName()
    let made = Path.join(folder, making)
    do {
      try fill(made, creation, settings)
      try Path.synchronizeDirectory(Path.join(made, IdentityFile.folder))
      try Path.synchronizeDirectory(made)
      try parent.renameNoReplace(making, to: Location.folderName)
      try parent.synchronize()
    } catch {
      discard(made)
      if isNew { _ = try? Path.removeDirectory(folder) }
      throw error
    }
    if settings.seats != nil, let there = try? Database(path: path, settings) {
      there.recordSeat()
      there.close()
    }
    return (path, true)
  }

  /// One at a time makes a database in a folder.
  private static func lock(_ folder: Directory, _ settings: Settings) throws -> Bool {
    do throws(SystemError) { return try folder.lock(seconds: settings.lockWait) } catch {
      throw StoreError.locked(text: "", milliseconds: 0)
    }
  }

  private static func fill(_ made: String, _ creation: Creation, _ settings: Settings) throws {
    try Path.createDirectories(made, mode: 0o755)
    let keys = Path.join(made, IdentityFile.folder)
    try Path.createDirectories(keys, mode: 0o700)
    let identity = try creation.identity ?? IdentityFile.make()
    try IdentityFile.write(identity, folder: keys)
    let database =
      try creation.hasMembers ? Identity.database(key: identity.key) : creation.database ?? UUID.random()
    var slots: [Slot] = []
    var epochs = creation.keys ?? []
    if creation.isSealed, creation.keys == nil, !creation.isRequest {
      let first = try newEpochKey(1)
      slots = [try newPasswordSlot(first, database, place: "database \(creation.contentType)", settings)]
      epochs = [first]
    }
    if settings.keepsKeys, !epochs.isEmpty { try KeyFile.write(epochs, folder: keys) }
    try Store.create(
      folder: made,
      meta: [
        ("database", .blob(database.bytes)), ("instance", .blob(identity.instance.bytes)),
        ("contentType", .text(creation.contentType)), ("name", .text(creation.name)),
        ("created", .int(settings.clock())), ("sealed", .int(creation.isSealed ? 1 : 0)),
        ("keepsKeys", .int(settings.keepsKeys ? 1 : 0)),
      ] + (settings.machine().map { [("machine", .text($0))] } ?? []))
    var writing = settings
    writing.access = .write
    let opened = try Database(path: made, writing)
    defer { opened.close() }
    opened.identity = identity
    if !epochs.isEmpty { opened.hold(KeyRing(database: database, keys: epochs)) }
    if creation.isRequest {
      let request = try JoinRequest.encoded(database: database, identity: identity)
      try AtomicFile.write(Path.join(made, requestName), mode: 0o644, request, replace: false)
    } else {
      try opened.store.write {
        for slot in slots { try opened.store.control.keep(slot) }
        try opened.writeGenesis(name: creation.name, slots: slots)
      }
    }
    if let origin = creation.origin { _ = try opened.addContainer(origin, create: false) }
  }

  static func newEpochKey(_ number: UInt32) throws -> EpochKey {
    guard let key = EpochKey(number: number, bytes: try Random.bytes(EpochKey.size)) else {
      throw CoreError.crypto("epoch key")
    }
    return key
  }

  /// A slot for a password that is asked for.
  static func newPasswordSlot(
    _ key: EpochKey, _ database: UUID, place: String, _ settings: Settings
  ) throws -> Slot {
    guard let password = try settings.password?(.new(place: place)) else { throw KitError.noPassword(place: place) }
    return try passwordSlot(password, key, database, settings)
  }

  /// What was being made when it failed; only names of our own.
  static func discard(_ made: String) {
    let keys = Path.join(made, IdentityFile.folder)
    AtomicFile.removeTemporaries(in: made)
    AtomicFile.removeTemporaries(in: keys)
    for name in [configName, "db", "db-wal", "db-shm", "db-journal", "lock", requestName] {
      _ = try? Path.remove(Path.join(made, name))
    }
    for name in [IdentityFile.name, KeyFile.name] { _ = try? Path.remove(Path.join(keys, name)) }
    for name in [keys, Path.join(made, temporaryName)] { _ = try? Path.removeDirectory(name) }
    _ = try? Path.removeDirectory(made)
  }
}

extension UUID {
  init(version: UInt8, from bytes: [UInt8]) throws {
    precondition(bytes.count == 16)
    self = bytes.withUnsafeBytes { UUID(version: version, from: $0.baseAddress!) }
  }

  /// A new random id.
  package static func random() throws -> UUID { try UUID(version: 4, from: Random.bytes(16)) }
}
