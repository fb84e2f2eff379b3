import CSQLite
import SeaSystem

/// The folder for SQLite's temporary files, one for the whole process. Content of an encrypted database must not be
/// written elsewhere. So the first open database sets the folder, and others keep temporary data in memory.
enum SpillFolder {
  /// The folder, and the number of open stores that use it.
  private static let owner = Guarded<(folder: String, count: Int)>(("", 0))

  /// - Returns: whether temporary files go into this folder, until an equal number of calls of `release`.
  static func claim(_ folder: String) -> Bool {
    owner.with { owner in
      guard owner.count == 0 || owner.folder == folder else { return false }
      if owner.count == 0 { sea_sqlite_spill_into(folder) }
      owner = (folder, owner.count + 1)
      return true
    }
  }

  static func release() {
    owner.with { owner in
      owner.count -= 1
      // The folder may be removed after this call.
      if owner.count == 0 { sea_sqlite_spill_into(nil) }
    }
  }
}
