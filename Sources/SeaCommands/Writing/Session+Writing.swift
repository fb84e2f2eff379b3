import SeaEngine

extension Session {
  /// Opens the database for writing.
  /// - Parameter path: the `.sea` directory to open; nil for the directory of this run.
  package func writing(_ path: String? = nil, as command: any Command.Type) throws -> Database {
    let database = try Database(path: path ?? seaDirectory(), writingSettings(command))
    var programs: ProgramMerge?
    database.conflicts.mergeProgram = { [unowned self, unowned database] name, conflict, content, paths in
      if programs == nil { programs = ProgramMerge(self, database) }
      return try programs!.settle(name, conflict, content, paths)
    }
    let reviewer = { [unowned self, unowned database] in
      try Hooks(self, database, command).flatMap { $0.listen(to: .prePut) ? $0 : nil }
    }
    database.author.reviewer = Reviewer(if: { try reviewer() != nil }) { [unowned database] changes, bytes in
      guard let hooks = try reviewer() else { return }
      try RecordHooks.review(PlannedRecords(database.records, changes, bytes), hooks)
    }
    database.author.whenRenewed = { [terminal] in terminal.report($0) }
    self.database = database
    return database
  }
}
