import SeaCore
import SeaStore
import SeaSystem

// What `Database` passes on to its rooms.

extension Database {
  package typealias Settings = SeaEngine.Settings
  package typealias Creation = SeaEngine.Creation

  /// Makes `.sea` in `folder`, complete or not at all.
  /// - Returns: the path of `.sea`, and whether it was made now; a database that is there stays as it is.
  /// - Throws: `otherDatabase` if it has another id than asked for.
  package static func create(in folder: String, _ creation: Creation, _ settings: Settings) throws -> (
    path: String, created: Bool
  ) {
    try creation.make(in: folder, settings)
  }

  /// The path of the folder `.sea`.
  package var path: String { folder.path }
  package var store: Store { folder.store }
  package var settings: Settings { folder.settings }
  package var databaseID: UUID { folder.databaseID }
  /// Who writes here. Another one once the instance has taken a new name, here or in another process.
  package var instance: UUID { folder.instance }

  package func contentType() throws -> String { try folder.contentType() }
  package func name() throws -> String { try folder.name() }
  package func isSealed() throws -> Bool { try folder.isSealed() }
  /// Whether keys of blocks lie in it once they are known.
  package func keepsKeys() throws -> Bool { try folder.isSealed() && folder.store.metaInt("keepsKeys") != 0 }
  package func isPending() throws -> Bool { try folder.isPending() }
  package var hasMembers: Bool { folder.hasMembers }

  /// The right to change what lies in a `.sea`, for who does not open the database.
  package static func lock(_ path: String, _ settings: Settings) throws -> FileLock {
    try SeaFolder.lock(path, settings)
  }
}
