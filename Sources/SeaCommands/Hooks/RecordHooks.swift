import SeaEngine

/// Runs the hooks for records: `pre-put` before a write, `post-commit` and `post-change` after a change.
enum RecordHooks {
  /// The limits for the input of a single hook run. If there is more input, the hook runs several times.
  private static let mostLines = 10_000
  private static let mostBytes = 16 << 20

  static func review(_ planned: PlannedRecords, _ hooks: Hooks) throws {
    var lines: [UInt8] = []
    var count = 0
    func show() throws {
      if count > 0 { try hooks.run(.prePut, lines) }
      (lines, count) = ([], 0)
    }
    try planned.forEachLine { line in
      lines += line
      count += 1
      if count == mostLines || lines.count >= mostBytes { try show() }
    }
    try show()
  }

  /// Runs the hooks for all changes added to the feed since the last call. No lock is held while hooks run.
  static func run(_ session: Session, _ command: any Command.Type) throws {
    guard let database = session.database, database.feed.hasAdded,
      let hooks = try Hooks(session, database, command)
    else { return }
    let listening = [HookEvent.postCommit, .postChange].filter(hooks.listen)
    guard !listening.isEmpty else { return }
    let added = database.feed.drainAdded()
    do { try run(added, listening, hooks, database, session) } catch {
      // The changes have already been written, so a failure only causes a warning.
      session.terminal.warn(Failure.describing(error))
    }
  }

  private static func run(
    _ added: [ClosedRange<Int64>], _ listening: [HookEvent], _ hooks: Hooks, _ database: Database, _ session: Session
  ) throws {
    let reader = database.isOpen ? database : try session.reading()
    let text = try ChangeEvent(session, reader)
    var waiting: [HookEvent: (lines: [UInt8], count: Int)] = [:]
    func flush(_ event: HookEvent) throws {
      if let batch = waiting.removeValue(forKey: event) { try hooks.run(event, batch.lines) }
    }
    for range in added {
      var next = range.lowerBound
      // Changes are read in parts, because an open read transaction would prevent cleanup for as long as a slow hook
      // runs.
      while next <= range.upperBound {
        let last = min(range.upperBound, next + Int64(mostLines) - 1)
        try reader.feed.forEach(numbers: next...last) { change in
          let event = change.isOwn ? HookEvent.postCommit : .postChange
          guard listening.contains(event) else { return }
          waiting[event, default: ([], 0)].lines += try text.item(change).line
          waiting[event]!.count += 1
        }
        for event in listening {
          guard let batch = waiting[event], batch.count >= mostLines || batch.lines.count >= mostBytes else { continue }
          try flush(event)
        }
        next = last + 1
      }
    }
    for event in listening { try flush(event) }
  }
}
