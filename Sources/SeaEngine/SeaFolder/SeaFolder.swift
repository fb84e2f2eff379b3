import SeaCore
import SeaStore
import SeaSystem

/// A `.sea` folder in use: its store, its settings, and the paths of its files.
///
/// This class knows the database and the instance, but no keys, members or other instances. It never writes to a chain.
package final class SeaFolder {
  package let path: String
  package let settings: Settings
  package let store: Store
  package let databaseID: UUID
  /// The proof that the database ID is derived from; nil for a version 4 ID. Properties of the database are taken only
  /// from the proof, and never from a container.
  package let proof: DatabaseProof?
  /// The instance that writes to this store. It changes when the instance takes a new identity, possibly in another
  /// process.
  package internal(set) var instance: UUID
  var decoded: [String: (text: String, state: ContainerState)] = [:]

  /// - Throws: `damaged` if the store does not identify its database and instance, and the errors of opening the store.
  package init(path: String, _ settings: Settings = Settings()) throws {
    self.path = path
    self.settings = settings
    store = try Store(
      folder: path, access: settings.access, lockWait: settings.lockWait, command: settings.command)
    store.checkStop = settings.checkStop
    (databaseID, proof, instance) = try SeaFolder.identity(in: store)
    // This folder contains decrypted content of an encrypted database. If it belongs to another user, its permissions
    // cannot be changed.
    if settings.access == .write, proof?.isSealed ?? false { try? Path.close(toOthers: path) }
  }

  private static func identity(in store: Store) throws -> (UUID, DatabaseProof?, UUID) {
    try store.snapshot {
      try store.checkVersion()
      guard let database = try store.metaBlob("database").flatMap({ UUID($0) }),
        let instance = try store.metaBlob("instance").flatMap({ UUID($0) })
      else { throw KitError.damaged("meta") }
      let proof = try store.metaBlob("proof").flatMap { DatabaseProof($0) }
      guard DatabaseProof.holds(proof, for: database), try store.isSealed() == proof?.isSealed ?? false else {
        throw KitError.damaged("meta")
      }
      return (database, proof, instance)
    }
  }

  package var hasMembers: Bool { proof?.hasMembers ?? false }

  /// Whether the creator's first block is stored. Without it, the identity of the database is not proven. A version 4
  /// ID does not need a proof.
  func hasFounder() throws -> Bool {
    guard let proof else { return true }
    return try store.branches.chain(proof.founderInstance)?.publicKey == proof.founder
  }

  package func contentType() throws -> String { try store.metaText("contentType") ?? "" }

  package func name() throws -> String { try store.metaText("name") ?? "" }

  package func isSealed() throws -> Bool { try store.isSealed() }

  /// Whether this instance does not have a chain yet, because it is waiting to be authorized.
  package func isPending() throws -> Bool { try !store.branches.hasChain(instance) }

  package static func lock(_ path: String, _ settings: Settings) throws -> FileLock {
    try Store.lock(folder: path, wait: settings.lockWait, command: settings.command)
  }

  // MARK: - Files

  package static let configName = "config"
  /// The file that a writer closes at the end of each write.
  package static let writtenName = Store.lockName
  static let keysName = "keys"
  static let requestName = "request"
  static let temporaryName = "tmp"
  private static let writingName = "writing-"

  package var configPath: String { Path.join(path, SeaFolder.configName) }
  var keysPath: String { Path.join(path, SeaFolder.keysName) }
  package var requestPath: String { Path.join(path, SeaFolder.requestName) }

  private(set) lazy var realPath = try? Path.real(path)

  package func absolutePath() throws -> String { try Path.absolute(path) }

  func mark(ofWritingTo container: String) throws(SystemError) -> WritingMark {
    try WritingMark(SeaFolder.writingName + container, in: Directory(path))
  }

  /// Whether a process is writing to the container, or was stopped while writing.
  func isMarked(_ container: String) throws(SystemError) -> Bool {
    try Path.exists(Path.join(path, SeaFolder.writingName + container))
  }

  /// Creates a folder in `.sea/tmp`. Decrypted content of an encrypted database must not be stored anywhere else.
  package func temporaryFolder() throws -> TemporaryFolder {
    try TemporaryFolder(in: absolutePath(), named: SeaFolder.temporaryName)
  }

  package func sweepTemporaryFolders() {
    _ = try? TemporaryFolder.collect(in: path, named: SeaFolder.temporaryName, removes: true)
  }
}
