import CSQLite
import SeaSystem

/// Where SQLite puts what does not fit into memory. There is one such folder for the whole process, and what is in a sealed database may
/// lie nowhere else as it is: so the first database that is open gives it, and the others keep in memory what they cannot put there.
enum SpillFolder {
  /// The folder, and how many open stores it is of.
  private static let owner = Guarded<(folder: String, count: Int)>(("", 0))

  /// - Returns: whether spills go into this folder from now on, until as many calls of `release`.
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
      // It may be taken away now.
      if owner.count == 0 { sea_sqlite_spill_into(nil) }
    }
  }
}
