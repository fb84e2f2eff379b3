// Which version of the program wrote the file.

extension Store {
  /// Checks that the file is ours and of the one version that this program reads.
  package func checkVersion() throws(StoreError) {
    let found = try version()
    guard found > 0 else { throw .damaged("no database of sea") }
    guard found <= Schema.version else { throw .newer(found) }
    guard found == Schema.version else { throw found >= Schema.oldestUpgraded ? .outdated(found) : .older(found) }
  }

  func version() throws(StoreError) -> Int {
    let version = try connection.statement("PRAGMA user_version")
    defer { version.reset() }
    return try version.step() ? version.int(0) : 0
  }

  /// Makes the file of an earlier version one of this: its blocks lie as ours do, so only what follows from them is made anew.
  package static func upgrade(folder: String, lockWait: Double?, command: String) throws {
    let store = try Store(folder: folder, access: .write, lockWait: lockWait, command: command)
    defer { store.close() }
    try store.locked {
      // Every transaction asks for it.
      try store.connection.execute(Schema.indexes + Schema.feed + Schema.setBack)
      try store.write {
        // Somebody else may have been faster.
        let found = try store.version()
        guard found < Schema.version else { return }
        if found < Schema.wideForks { try store.widenForks() }
        try store.control.renewLayout()
        try store.blocks.noteAllArrivals()
        if found < Schema.sameProjection {
          _ = try store.projection.rebuild(tellingAll: true)
        } else if found < Schema.wholeShapes {
          try store.connection.execute("DROP INDEX record_shape; CREATE INDEX record_shape ON record(shape)")
        }
        try store.connection.execute("PRAGMA user_version=\(Schema.version)")
      }
    }
  }

  /// Branches get the names that they have now. What was noted of siblings elsewhere is found out again.
  private func widenForks() throws(StoreError) {
    try connection.execute(
      """
      UPDATE branch SET fork = CASE fork WHEN -1 THEN x'' ELSE
        (SELECT substr(b.digest, 1, 16) FROM block b WHERE b.branch = branch.id AND b.idx = branch.first) END
        WHERE typeof(fork) = 'integer';
      DELETE FROM seen WHERE typeof(fork) = 'integer' AND fork <> -1;
      UPDATE seen SET fork = x'' WHERE typeof(fork) = 'integer';
      DELETE FROM quarantine WHERE typeof(fork) = 'integer' AND fork <> -1;
      UPDATE quarantine SET fork = x'' WHERE typeof(fork) = 'integer';
      """)
  }
}
