import SeaEngine

/// Tells the hooks `post-conflict` of records that came into conflict.
enum ConflictHook {
  /// Of the records with these ids, those that are in conflict now. Closes the database: a hook may want to write.
  static func run(
    _ ids: [String], _ database: Database, _ session: Session, _ command: any Command.Type
  ) throws {
    guard !ids.isEmpty, let hooks = try Hooks(session, database, command), hooks.listen(to: .postConflict) else {
      return
    }
    var lines: [UInt8] = []
    let event = ConflictEvent(names: try database.members.names())
    try database.conflicts.forEach(among: ids) { conflict in
      lines += event.item(conflict).line
      return true
    }
    database.close()
    if !lines.isEmpty { try hooks.run(.postConflict, lines) }
  }
}
