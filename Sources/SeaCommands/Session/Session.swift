import SeaCore
import SeaEngine
import SeaSystem

/// One run of the program, with its database, settings and environment.
package final class Session {
  package let host: Surroundings
  package let terminal: Terminal
  package let passwords: Passwords
  package var options = GlobalOptions() {
    didSet {
      terminal.options = options
      foundDirectory = nil
    }
  }
  /// Returns completions of a record, a type, a container and so on with the given prefix. It may read the database,
  /// but takes no locks and contacts no containers.
  package var candidates: (ValueKind, String, CompletionContext?) throws -> [(word: String, meaning: String)] = {
    _, _, _ in []
  }
  var foundDirectory: String?
  package var loadedConfig: Config?
  /// Whether the command needs no database. Then `.sea` here is ignored: it may come from the inspected container.
  var standsAlone = false
  /// `--max-size` of the commands that import bundles.
  var mostBundle: Int64?
  /// The limits of transfers; nil for none.
  var allowance: Allowance?
  /// The database of this run, while a command uses it. Setting another one closes it.
  var database: Database? { didSet { oldValue?.close() } }
  /// The helpers for remote containers.
  private(set) lazy var helpers = makeHelpers()
  /// The number of failures of automatic merge programs.
  var programFailures = 0

  package init(output: Output, talk: Output, input: Input, host: Surroundings) {
    self.host = host
    terminal = Terminal(output: output, talk: talk, input: input, host: host)
    passwords = Passwords(terminal)
    terminal.wantedDigits = { [unowned self] in
      do { return try config().integer("core.abbrev") } catch let error as ConfigError {
        // Output is correct with another number of digits, too.
        terminal.warn(Failure.describing(error))
      } catch {}
      return nil
    }
    terminal.setting = { [unowned self] name in
      do { return try config().text(name) } catch let error as ConfigError {
        terminal.warn(Failure.describing(error))
      } catch {}
      return nil
    }
    passwords.setting = { [unowned self] in try ownSetting(PasswordSource.setting, [.system, .global, .local]) }
  }

  /// Parses a time from the command line.
  package func time(_ text: String) throws(UsageFault) -> Milliseconds {
    guard let time = TimeText.parse(text, now: host.now()) else { throw .badTime(text) }
    return time
  }

  /// Returns a path from the command line, relative to `-C`. Use it for every path that a user gives.
  package func path(_ text: String) -> String { options.path(text) }

  /// Returns the location of a container as settings store it: a URL unchanged, a path as an absolute one.
  func location(_ text: String) throws -> String {
    Containers.isElsewhere(text) ? text : try Path.absolute(path(text))
  }

  /// Returns the bytes of a FILE operand; `-` is standard input.
  package func reader(_ name: String) throws -> Input {
    if name == "-" { return terminal.input }
    let file = try File.awaited(path(name))
    let before = try file.status()
    guard before.kind == .file else {
      return Input { buffer throws(SystemError) in try file.readAwaited(into: buffer) }
    }
    let report = terminal.workReport
    var work = Work(.reading, name, done: 0, of: before.size)
    return Input { buffer in
      let count = try file.readSome(into: buffer)
      if count == 0, try !file.status().isUnchanged(since: before) { throw KitError.fileChanged(name) }
      work.done += Int64(count)
      report?(work)
      return count
    }
  }
}

extension Session {
  /// Returns the helpers `sea-remote-SCHEME`, which are searched like commands.
  /// - Parameter program: the path of a single helper for all schemes.
  func makeHelpers(only program: String? = nil) -> Helpers {
    Containers.helpers(
      find: { [unowned self] name in
        if let program { return program }
        guard name.hasPrefix("sea-") else { return nil }
        return External.find(String(name.dropFirst(4)), self)
      }, variable: host.given, isHidden: SecretVariables.contains,
      complains: { [terminal] place, line in terminal.warning("helper", "\(place): \(line)") })
  }
}

extension Session {
  /// The folder for temporary files of a command.
  var temporaryFolder: String { host.given("TMPDIR") ?? "/tmp" }

  /// Copies standard input to an unnamed file, to read it more than once.
  func spooledInput() throws -> File {
    let folder = try Directory(temporaryFolder)
    let name = try AtomicFile.temporaryName()
    let file = try folder.file(name, [.read, .write, .create, .exclusive], mode: 0o600)
    try folder.remove(name)
    while case let piece = try terminal.input.piece(), !piece.isEmpty { try file.write(piece) }
    try file.seek(to: 0)
    return file
  }
}

extension Option {
  static let timeLimit = Option(
    "time-limit", nil, .duration, "TIME", "start nothing new after TIME; the next run continues")
  static let sizeLimit = Option(
    "size-limit", nil, .size, "SIZE", "transfer at most SIZE bytes of blocks and assets; the next run continues")
  static let limitRate = Option(
    "limit-rate", nil, .size, "SIZE", "transfer at most SIZE bytes per second (at least 1K)")
  static let farRate = Option(
    "limit-rate", nil, .size, "SIZE", "transfer at most SIZE bytes per second to or from a server (at least 1K)")
  static let jobs = Option(
    "jobs", nil, .atOnce, "N", "use at most N threads and parallel requests to a server (1 to 64)")
  /// The options of commands that transfer blocks and assets.
  static let limits = [timeLimit, sizeLimit, limitRate, jobs]
  static let limitForms = "[--time-limit=TIME] [--size-limit=SIZE] [--limit-rate=SIZE] [--jobs=N]"
}

extension Arguments {
  /// Sets the limits of transfers from the command line. Call it before a database is opened or a helper is started.
  /// - Parameter passesOver: whether to skip items that exceed the limit and continue with smaller ones.
  func limit(_ session: Session, passesOver: Bool = false) throws {
    try bound(session)
    let throttle = try throttle()
    let (time, size) = (duration(.timeLimit), has(.sizeLimit) ? self.size(.sizeLimit) : nil)
    let allowance = Allowance(
      seconds: time, bytes: size, throttle: throttle, passesOver: passesOver,
      stops: { [host = session.host] in host.stopSignal() != nil })
    if throttle != nil || time != nil { Containers.pace(session.helpers, throttle, until: allowance.ends) }
    session.allowance = allowance
  }

  /// Sets the number of parallel requests from the command line or a setting.
  private func bound(_ session: Session) throws {
    guard let jobs = try text(.jobs).flatMap({ Int($0) }) ?? session.config().integer("sync.jobs") else { return }
    Containers.bound(session.helpers, jobs: jobs)
  }

  /// Sets the speed limit from the command line, for commands that transfer no blocks themselves.
  func pace(_ session: Session) throws {
    try bound(session)
    if let throttle = try throttle() { Containers.pace(session.helpers, throttle, until: nil) }
  }

  private func throttle() throws(UsageFault) -> Throttle? {
    guard let rate = size(.limitRate) else { return nil }
    // A slower helper would be mistaken for a silent one.
    guard rate >= 1024 else {
      throw .badValue(
        option: Option.limitRate.dashed, value: text(.limitRate) ?? "", expected: .choice(["1K or more"]))
    }
    return Throttle(rate: rate)
  }
}

extension Left {
  /// Returns a text about the remaining work of the next run.
  /// - Parameter hasBegun: whether something was done, if the rest is unknown.
  func words(_ limit: Allowance.Limit, hasBegun: Bool = false) -> String {
    var parts: [String] = []
    if pull > 0 { parts.append("\(Count(pull, "block")) to pull") }
    if push > 0 { parts.append("\(Count(push, "block")) to push") }
    if assets > 0 { parts.append(Count(assets, "asset").description) }
    let what = parts.isEmpty ? hasBegun ? "incomplete" : "skipped" : "left \(parts.joined(separator: ", "))"
    return "\(what) (\(limit == .interrupt ? "interrupted" : "--\(limit.rawValue)-limit"))"
  }
}

extension Item {
  /// Returns the fields about the remaining work of a limited run.
  static func left(_ left: Left, _ limit: Allowance.Limit?) -> Item {
    guard let limit else { return [:] }
    return [
      "limit": .text(limit.rawValue), "left_pull": .integer(left.pull), "left_push": .integer(left.push),
      "left_assets": .integer(left.assets),
    ]
  }
}

extension Session {
  /// Returns the `.sea` directory of this run: from `--sea-dir`, `SEA_DIR`, or the nearest parent directory.
  package func seaDirectory() throws -> String {
    if let foundDirectory { return foundDirectory }
    let found = try findDirectory()
    foundDirectory = found
    return found
  }

  private func findDirectory() throws -> String {
    var rules = Location.Rules()
    rules.ceilings = host.variable("SEA_CEILING_DIRECTORIES")?.split(separator: ":").map(String.init) ?? []
    rules.acrossFileSystems = ConfigType.bool(host.variable("SEA_DISCOVERY_ACROSS_FILESYSTEM") ?? "") ?? false
    return try Location.trusting(rules, host.variable, locate)
  }

  private func locate(_ rules: Location.Rules) throws -> String {
    if let named = options.seaDirectory { return try Location.use(path(named), rules) }
    if let named = host.variable("SEA_DIR"), !named.isEmpty { return try Location.use(path(named), rules) }
    return try Location.find(from: Path.absolute(path(".")), rules)
  }

  /// Returns the sources of the settings. Without a usable database its layers are left out.
  package func configSources() throws -> ConfigSources {
    var sources = ConfigSources(variable: host.variable, database: nil)
    sources.settings = options.settings
    sources.settingVariables = options.settingVariables
    guard !standsAlone else { return sources }
    do {
      let found = try seaDirectory()
      // A directory that is not a database must not provide settings.
      if Location.isDatabase(found) { sources.database = found }
    } catch KitError.noDatabase {
    } catch let error as KitError where error.isUnsafePlace {}
    if let database = sources.database { sources.shared = { [unowned self] in try sharedSettings(database, $0) } }
    return sources
  }

  /// Returns all settings of this run, which are read once.
  package func config() throws -> Config {
    if let known = loadedConfig { return known }
    let config = try Config(configSources())
    loadedConfig = config
    return config
  }

  /// Returns a setting that runs a program. It excludes the shared layer, which other instances write.
  func ownSetting(
    _ name: String, _ layers: [ConfigScope] = ConfigScope.allCases.filter { $0 != .shared }
  ) throws -> String? {
    try config().all(name).last { layers.contains($0.origin.scope) }?.value.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the settings that all instances share, from the open database or the one at `path`.
  private func sharedSettings(_ path: String, _ group: SharedGroup?) throws -> [(key: ConfigKey, value: String)] {
    if let database, database.path == path, database.isOpen { return try database.sharedSettings.settings(of: group) }
    let database = try Database(path: path)
    defer { database.close() }
    return try database.sharedSettings.settings(of: group)
  }

  /// Returns the limits of records in this run.
  package func recordLimits() throws -> RecordLimits {
    var limits = RecordLimits()
    if let size = try config().size("core.maxDataSize") { limits.maxData = Int(size) }
    return limits
  }

  /// Returns the seconds to wait for the writer lock (nil: no limit): `--lock-wait`, `SEA_LOCK_WAIT`, `core.lockWait`.
  package func lockWait() throws -> Double? {
    var text = options.lockWait ?? host.variable("SEA_LOCK_WAIT")
    // The process that runs the hook holds the lock until the hook ends.
    if text == nil, HookEvent.isReviewing(host) { return 0 }
    if text == nil { text = try config().text("core.lockWait") }
    if text == "forever" { return nil }
    guard let seconds = Quantity.duration(text ?? "10") else {
      throw UsageFault.badValue(option: "--lock-wait", value: text ?? "", expected: .duration)
    }
    return Double(seconds)
  }
}

extension Session {
  /// Opens the database of this run for reading.
  /// - Parameter knowsNotes: whether to detect that the database is a copy.
  package func reading(knowsNotes: Bool = false) throws -> Database {
    var settings = Database.Settings()
    settings.equip(for: self)
    if knowsNotes { settings.notes = notes }
    let database = try Database(path: seaDirectory(), settings)
    self.database = database
    return database
  }

  /// The folder outside of any database that records the writers, to detect copies.
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

  /// Returns the record that an argument names, an id with `--literal-ids`. `RECORD@{WHEN}` is the winner at that time.
  package func find(_ text: String, in database: Database) throws -> Found {
    guard !literalIDs, let named = MomentText.split(text), !isRecord(text, database) else {
      return try database.records.findRevision(text, literal: literalIDs)
    }
    let moment = try database.history.moment(operation(named.moment))
    return try database.records.findRevision(named.record, at: moment)
  }

  /// Returns the thing that a text names; `RECORD@{WHEN}` is a revision.
  func named(_ text: String, in database: Database) throws -> Named {
    if !literalIDs, MomentText.split(text) != nil, !isRecord(text, database) {
      return .revision(try find(text, in: database))
    }
    return try database.records.named(text, literal: literalIDs)
  }

  private func isRecord(_ text: String, _ database: Database) -> Bool {
    (try? database.records.find(text, literal: true)) != nil
  }

  /// Returns the point in time of `--at`.
  func moment(_ arguments: Arguments, _ database: Database) throws -> Moment? {
    try arguments.text(.at).map { try database.history.moment(moment($0)) }
  }

  /// Parses a point in time as in `--at`: an operation or a time.
  func moment(_ text: String) throws -> OperationName {
    if text.hasPrefix("op:") || text.hasPrefix("@{") { return try operation(text) }
    return .time(try time(text), text)
  }

  package var literalIDs: Bool {
    options.literalIDs || ConfigType.bool(host.variable("SEA_LITERAL_IDS") ?? "") ?? false
  }
}

extension Database.Settings {
  /// Sets what both readers and writers need from a run.
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

/// Parses `RECORD@{WHEN}` and `RECORD@{@{N}}`.
enum MomentText {
  /// Returns the record, and the rest with its `@`.
  static func split(_ text: String) -> (record: String, moment: String)? {
    guard text.hasSuffix("}") else { return nil }
    let bytes = Array(text.utf8)
    func begins(_ at: Int) -> Bool { at >= 0 && bytes[at] == UInt8(ascii: "@") && bytes[at + 1] == UInt8(ascii: "{") }
    guard var at = bytes.indices.dropLast().last(where: begins) else { return nil }
    if text.hasSuffix("}}"), begins(at - 2) { at -= 2 }
    guard at > 0 else { return nil }
    return (String(decoding: bytes[..<at], as: UTF8.self), String(decoding: bytes[at...], as: UTF8.self))
  }
}

extension Session {
  /// Parses `op:HEX`, `@{N}` or `@{TIME}`, also within another `@{}`.
  func operation(_ text: String) throws -> OperationName {
    if text.hasPrefix("op:") {
      let digits = text.dropFirst(3)
      guard (4...64).contains(digits.utf8.count), digits.utf8.allSatisfy({ Hex.value($0) != nil }) else {
        throw KitError.badName(.operation(text))
      }
      return .digest(String(digits))
    }
    guard text.hasPrefix("@{"), text.hasSuffix("}") else { throw KitError.badName(.operation(text)) }
    let inner = String(text.dropFirst(2).dropLast())
    if inner.hasPrefix("op:") || inner.hasPrefix("@{") { return try operation(inner) }
    if let number = UInt32(inner) { return .number(Int(number)) }
    return .time(try time(inner), text)
  }
}
