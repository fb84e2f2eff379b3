import SeaEngine

enum ConflictHook {
  /// Runs the hooks for those of the given records that are in conflict now. Closes the database first, because a hook
  /// may write to it.
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
