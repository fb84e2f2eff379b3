import SeaCore
import SeaStore
import SeaSystem

// What `Database` passes on to `SeaFolder`.

extension Database {
  package typealias Settings = SeaKit.Settings

  /// The path of the folder `.sea`.
  public var path: String { folder.path }
  package var store: Store { folder.store }
  package var settings: Settings { folder.settings }
  package var databaseID: UUID { folder.databaseID }
  /// Who writes here. Another one once `renewIdentity` was called, here or by another process.
  package internal(set) var instance: UUID {
    get { folder.instance }
    set { folder.instance = newValue }
  }

  package func contentType() throws -> String { try folder.contentType() }
  package func name() throws -> String { try folder.name() }

  package func absolutePath() throws -> String { try folder.absolutePath() }
  package func temporaryFolder() throws -> TemporaryFolder { try folder.temporaryFolder() }
  package func sweepTemporaryFolders() { folder.sweepTemporaryFolders() }

  static var temporaryName: String { SeaFolder.temporaryName }
  package static var configName: String { SeaFolder.configName }

  /// The right to change what lies in a `.sea`, for who does not open the database.
  package static func lock(_ path: String, _ settings: Settings) throws -> FileLock {
    try SeaFolder.lock(path, settings)
  }
}
