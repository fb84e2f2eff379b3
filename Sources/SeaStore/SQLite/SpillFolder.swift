import CSQLite
import SeaSystem

/// The folder for SQLite's temporary files, which applies to the whole process. The content of an encrypted database
/// must not be written anywhere else, so the first database that is opened sets the folder, and other databases keep
/// temporary data in memory.
enum SpillFolder {
  private static let owner = Guarded<(folder: String, count: Int)>(("", 0))

  /// - Returns: whether temporary files are written into this folder, until `release` is called equally often.
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
      // The folder can be removed after this call.
      if owner.count == 0 { sea_sqlite_spill_into(nil) }
    }
  }
}
