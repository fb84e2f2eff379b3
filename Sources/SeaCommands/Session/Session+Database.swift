import SeaCore
import SeaEngine
import SeaSystem

extension Session {
  /// The database of this run, for reading.
  /// - Parameter knowsNotes: whether it can tell that it is a copy.
  package func reading(knowsNotes: Bool = false) throws -> Database {
    var settings = Database.Settings()
    settings.equip(for: self)
    if knowsNotes { settings.notes = notes }
    let database = try Database(path: seaDirectory(), settings)
    self.database = database
    return database
  }

  /// Where it is kept, outside of any database, who wrote where.
  private var notes: String? { CopyGuard.folder(host.variable) }

  package func writingSettings(_ command: any Command.Type) throws -> Database.Settings {
    var settings = try Database.Settings.forWriting(lockWait: lockWait(), command: "sea \(command.name)")
    settings.equip(for: self)
    settings.notes = notes
    settings.allowance = allowance
    let mostBundle = settings.mostBundle
    settings.mostBundle = { try self.mostBundle ?? mostBundle() }
    if let text = host.variable("SEA_AUTHOR_DATE"), !text.isEmpty {
      let time = try self.time(text)
      settings.clock = { time }
    }
    return settings
  }

  /// The record that an argument names; `--literal-ids` makes it an id and nothing else.
  ///
  /// `RECORD@{WHEN}` is the winner of then.
  package func find(_ text: String, in database: Database) throws -> Found {
    guard !literalIDs, let named = MomentText.split(text), !isRecord(text, database) else {
      return try database.records.findRevision(text, literal: literalIDs)
    }
    let moment = try database.history.moment(operation(named.moment))
    return try database.records.findRevision(named.record, at: moment)
  }

  /// The one thing that a text names; `RECORD@{WHEN}` is a revision.
  func named(_ text: String, in database: Database) throws -> Named {
    if !literalIDs, MomentText.split(text) != nil, !isRecord(text, database) {
      return .revision(try find(text, in: database))
    }
    return try database.records.named(text, literal: literalIDs)
  }

  private func isRecord(_ text: String, _ database: Database) -> Bool {
    (try? database.records.find(text, literal: true)) != nil
  }

  /// The moment that `--at` asks for.
  func moment(_ arguments: Arguments, _ database: Database) throws -> Moment? {
    try arguments.text(.at).map { try database.history.moment(moment($0)) }
  }

  /// A moment as `--at` takes it: an operation, or a time as everywhere.
  func moment(_ text: String) throws -> OperationName {
    if text.hasPrefix("op:") || text.hasPrefix("@{") { return try operation(text) }
    return .time(try time(text), text)
  }

  package var literalIDs: Bool {
    options.literalIDs || ConfigType.bool(host.variable("SEA_LITERAL_IDS") ?? "") ?? false
  }
}

extension Database.Settings {
  /// What who reads needs of a run, and who writes too.
  fileprivate mutating func equip(for session: Session) {
    let (passwords, host) = (session.passwords, session.host)
    password = { try passwords.password(for: $0) }
    givenPassword = { passwords.given }
    asksAgain = { passwords.asksAgain() }
    holdsKeys = { ThisProcess.disableCoreDumps() }
    checkStop = { try host.checkStop() }
    follow { try session.config() }
    report = session.terminal.workReport
    helpers = session.helpers
  }
}
