import SeaCore
import SeaStore
import SeaSystem

/// A folder `.sea` in use: its store, how it is used, and where in it things lie. Every room has it below itself.
///
/// It knows which database this is and which instance, and nothing of keys, members or other instances. What it says of
/// the folder is what the disk says: nothing here writes to the chain.
package final class SeaFolder {
  /// The path of the folder `.sea`.
  package let path: String
  package let settings: Settings
  package let store: Store
  package let databaseID: UUID
  /// What the databaseID stands for; nil for one of version 4. What the database is follows from this and from nothing
  /// that a container says.
  package let proof: DatabaseProof?
  /// Who writes here. Another one once the instance has taken a new name, here or in another process.
  package internal(set) var instance: UUID
  /// What was last read of what is remembered of containers.
  var decoded: [String: (text: String, state: ContainerState)] = [:]

  /// Opens the folder `.sea` at `path`.
  /// - Throws: `damaged` if its store does not say whose it is, and what opening the store throws.
  package init(path: String, _ settings: Settings = Settings()) throws {
    self.path = path
    self.settings = settings
    store = try Store(
      folder: path, access: settings.access, lockWait: settings.lockWait, command: settings.command)
    store.checkStop = settings.checkStop
    (databaseID, proof, instance) = try SeaFolder.identity(in: store)
    // What is sealed lies open here. Whose folder it is not may not do that, and has it as it is.
    if settings.access == .write, proof?.isSealed ?? false { try? Path.close(toOthers: path) }
  }

  /// Which database this is, what proves it, and who writes here.
  private static func identity(in store: Store) throws -> (UUID, DatabaseProof?, UUID) {
    try store.snapshot {
      try store.checkVersion()
      guard let database = try store.metaBlob("database").flatMap({ UUID($0) }),
        let instance = try store.metaBlob("instance").flatMap({ UUID($0) })
      else { throw KitError.damaged("meta") }
      let proof = try store.metaBlob("proof").flatMap { DatabaseProof($0) }
      // Looked up once, here, where it costs nothing.
      guard DatabaseProof.holds(proof, for: database), try store.isSealed() == proof?.isSealed ?? false else {
        throw KitError.damaged("meta")
      }
      return (database, proof, instance)
    }
  }

  /// Whether only what members write counts.
  package var hasMembers: Bool { proof?.hasMembers ?? false }

  /// Whether the founder's first block is here. Until it is, nothing proves what the database is. An id of version 4 has
  /// no founder.
  func hasFounder() throws -> Bool {
    guard let proof else { return true }
    return try store.branches.chain(proof.founderInstance)?.publicKey == proof.founder
  }

  package func contentType() throws -> String { try store.metaText("contentType") ?? "" }

  /// The name of this instance, for people.
  package func name() throws -> String { try store.metaText("name") ?? "" }

  /// Whether the blocks of this database are sealed.
  package func isSealed() throws -> Bool { try store.isSealed() }

  /// Whether this instance has not begun its chain: it has asked to be let in, and nobody has yet.
  package func isPending() throws -> Bool { try !store.branches.hasChain(instance) }

  /// The right to change what lies in a `.sea`, for who does not open its store.
  package static func lock(_ path: String, _ settings: Settings) throws -> FileLock {
    try Store.lock(folder: path, wait: settings.lockWait, command: settings.command)
  }

  // MARK: - What lies in it

  package static let configName = "config"
  /// What a writer closes when he has written.
  package static let writtenName = Store.lockName
  static let keysName = "keys"
  static let requestName = "request"
  static let temporaryName = "tmp"
  /// Before the name of a container that is written to.
  private static let writingName = "writing-"

  /// The settings of this database.
  package var configPath: String { Path.join(path, SeaFolder.configName) }
  /// Private keys, readable by their owner only.
  var keysPath: String { Path.join(path, SeaFolder.keysName) }
  /// The file that a member can be handed where the container cannot be written to.
  package var requestPath: String { Path.join(path, SeaFolder.requestName) }

  /// The folder `.sea` without links; nil where it cannot be told.
  private(set) lazy var realPath = try? Path.real(path)

  /// The folder `.sea`, from the root.
  package func absolutePath() throws -> String { try Path.absolute(path) }

  /// Notes that a container is written to from here.
  func mark(ofWritingTo container: String) throws(SystemError) -> WritingMark {
    try WritingMark(SeaFolder.writingName + container, in: Directory(path))
  }

  /// Whether somebody has noted that and was stopped, or is at it.
  func isMarked(_ container: String) throws(SystemError) -> Bool {
    try Path.exists(Path.join(path, SeaFolder.writingName + container))
  }

  /// A folder in `.sea/tmp`: what is in a sealed database lies nowhere else as it is.
  package func temporaryFolder() throws -> TemporaryFolder {
    try TemporaryFolder(in: absolutePath(), named: SeaFolder.temporaryName)
  }

  /// Takes away what is left of such folders by processes that died.
  package func sweepTemporaryFolders() {
    _ = try? TemporaryFolder.collect(in: path, named: SeaFolder.temporaryName, removes: true)
  }
}
