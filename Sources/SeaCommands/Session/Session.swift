import SeaCore
import SeaEngine
import SeaSystem

/// One run of the program: which database, and which settings, the command line and the surroundings come to.
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
  /// What completion offers for a record, a type, a container and so on that begins with the given text. It may read
  /// the database, and neither locks nor visits containers.
  package var candidates: (ValueKind, String, CompletionContext?) throws -> [(word: String, meaning: String)] = {
    _, _, _ in []
  }
  /// The directory `.sea`, once it was found.
  var foundDirectory: String?
  /// The settings, once they were read.
  package var loadedConfig: Config?
  /// Whether the command needs no database: what lies around the current directory then says nothing. It may have come with
  /// the very container that is looked at.
  var standsAlone = false
  /// `--max-size` of the commands that take in bundles.
  var mostBundle: Int64?
  /// How much is moved between here and containers; nil for all.
  var allowance: Allowance?
  /// The database of this run, while a command uses it. Another one takes its place.
  var database: Database? { didSet { oldValue?.close() } }
  /// What reaches containers that are no folders here.
  private(set) lazy var helpers = makeHelpers()
  /// How often a merge program that nobody asked for in person has failed.
  var programFailures = 0

  package init(output: Output, talk: Output, input: Input, host: Surroundings) {
    self.host = host
    terminal = Terminal(output: output, talk: talk, input: input, host: host)
    passwords = Passwords(terminal)
    terminal.wantedDigits = { [unowned self] in
      do { return try config().integer("core.abbrev") } catch let error as ConfigError {
        // What is shown is right with another number of digits, too.
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

  /// A moment from the command line.
  package func time(_ text: String) throws(UsageFault) -> Milliseconds {
    guard let time = TimeText.parse(text, now: host.now()) else { throw .badTime(text) }
    return time
  }

  /// A path from the command line, `-C` taken into account. Every path a user names goes through here.
  package func path(_ text: String) -> String { options.path(text) }

  /// The place of a container as settings keep it: a URL as it is, a path from the root.
  func location(_ text: String) throws -> String {
    Containers.isElsewhere(text) ? text : try Path.absolute(path(text))
  }

  /// The bytes behind a FILE operand; `-` is standard input.
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
  /// What reaches containers that are no folders here: `sea-remote-SCHEME`, found where commands are.
  /// - Parameter program: the path of the one that is started for every scheme.
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
  /// A folder for what is only needed while a command runs.
  var temporaryFolder: String { host.given("TMPDIR") ?? "/tmp" }

  /// Standard input in a file without a name, for what has to be looked at twice.
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
  /// Those of commands that move blocks and assets.
  static let limits = [timeLimit, sizeLimit, limitRate, jobs]
  static let limitForms = "[--time-limit=TIME] [--size-limit=SIZE] [--limit-rate=SIZE] [--jobs=N]"
}

extension Arguments {
  /// Sets what this run may move, if the command line limits it. Before a database is opened, or a helper is started.
  /// - Parameter passesOver: whether what is too large is left, and what is smaller goes on.
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

  /// Sets how much may be done at once, if the command line or a setting says so.
  private func bound(_ session: Session) throws {
    guard let jobs = try text(.jobs).flatMap({ Int($0) }) ?? session.config().integer("sync.jobs") else { return }
    Containers.bound(session.helpers, jobs: jobs)
  }

  /// Sets how fast helpers are talked to, if the command line says so: for what moves no blocks of its own.
  func pace(_ session: Session) throws {
    try bound(session)
    if let throttle = try throttle() { Containers.pace(session.helpers, throttle, until: nil) }
  }

  private func throttle() throws(UsageFault) -> Throttle? {
    guard let rate = size(.limitRate) else { return nil }
    // Slower than that a helper counts as one that says nothing.
    guard rate >= 1024 else {
      throw .badValue(
        option: Option.limitRate.dashed, value: text(.limitRate) ?? "", expected: .choice(["1K or more"]))
    }
    return Throttle(rate: rate)
  }
}

extension Left {
  /// For people: what the next run goes on with.
  /// - Parameter hasBegun: whether something was done, where it is not known what is left.
  func words(_ limit: Allowance.Limit, hasBegun: Bool = false) -> String {
    var parts: [String] = []
    if pull > 0 { parts.append("\(Count(pull, "block")) to take in") }
    if push > 0 { parts.append("\(Count(push, "block")) to hand over") }
    if assets > 0 { parts.append(Count(assets, "asset").description) }
    let what = parts.isEmpty ? hasBegun ? "the rest left" : "not looked at" : "left \(parts.joined(separator: ", "))"
    return "\(what) for another time: \(limit == .interrupt ? "interrupted" : "--\(limit.rawValue)-limit")"
  }
}

extension Item {
  /// What a run has left, if it has left anything.
  static func left(_ left: Left, _ limit: Allowance.Limit?) -> Item {
    guard let limit else { return [:] }
    return [
      "limit": .text(limit.rawValue), "left_pull": .integer(left.pull), "left_push": .integer(left.push),
      "left_assets": .integer(left.assets),
    ]
  }
}

extension Session {
  /// The `.sea` directory of this run: `--sea-dir`, `SEA_DIR`, or the nearest one upwards from here.
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

  /// Where this run's settings come from. Without a usable database its layers are left out.
  package func configSources() throws -> ConfigSources {
    var sources = ConfigSources(variable: host.variable, database: nil)
    sources.settings = options.settings
    sources.settingVariables = options.settingVariables
    guard !standsAlone else { return sources }
    do {
      let found = try seaDirectory()
      // A file that merely lies there is not ours.
      if Location.isDatabase(found) { sources.database = found }
    } catch KitError.noDatabase {
    } catch let error as KitError where error.isUnsafePlace {}
    if let database = sources.database { sources.shared = { [unowned self] in try sharedSettings(database, $0) } }
    return sources
  }

  /// All settings of this run; read once.
  package func config() throws -> Config {
    if let known = loadedConfig { return known }
    let config = try Config(configSources())
    loadedConfig = config
    return config
  }

  /// A setting that runs a program: from every layer but the shared one, which others write, or from the given ones.
  func ownSetting(
    _ name: String, _ layers: [ConfigScope] = ConfigScope.allCases.filter { $0 != .shared }
  ) throws -> String? {
    try config().all(name).last { layers.contains($0.origin.scope) }?.value.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What all instances share, from the database that this run has open, or from that in `.sea` at `path`.
  private func sharedSettings(_ path: String, _ group: SharedGroup?) throws -> [(key: ConfigKey, value: String)] {
    if let database, database.path == path, database.isOpen { return try database.sharedSettings.settings(of: group) }
    let database = try Database(path: path)
    defer { database.close() }
    return try database.sharedSettings.settings(of: group)
  }

  /// What a record may hold in this run.
  package func recordLimits() throws -> RecordLimits {
    var limits = RecordLimits()
    if let size = try config().size("core.maxDataSize") { limits.maxData = Int(size) }
    return limits
  }

  /// The wait for the writer lock in seconds, nil for ever: `--lock-wait`, `SEA_LOCK_WAIT`, `core.lockWait`.
  package func lockWait() throws -> Double? {
    var text = options.lockWait ?? host.variable("SEA_LOCK_WAIT")
    // Who started the hook has the lock until the hook ends.
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

/// `RECORD@{WHEN}`, `RECORD@{@{N}}`
enum MomentText {
  /// The record, and the rest with the `@` in front.
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
  /// `op:HEX`, `@{N}` or `@{TIME}`; within another `@{}` too.
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
