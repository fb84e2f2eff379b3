import SeaCore
import SeaEngine
import SeaSystem

package final class Session {
  package let host: Environment
  package let terminal: Terminal
  package let passwords: Passwords
  package var options = GlobalOptions() {
    didSet {
      terminal.options = options
      foundDirectory = nil
    }
  }
  /// Returns the records, types, containers and so on whose names have the given prefix. May read the database, but
  /// takes no locks and contacts no containers.
  package var candidates: (ValueKind, String, CompletionContext?) throws -> [(word: String, meaning: String)] = {
    _, _, _ in []
  }
  var foundDirectory: String?
  package var loadedConfig: Config?
  /// Whether the command does not need a database. The local `.sea` is then ignored, because it may come from the
  /// container.
  var ignoresDatabase = false
  /// The value of `--max-size` in commands that import bundles.
  var mostBundle: Int64?
  /// The limits of transfers; nil for unlimited transfers.
  var allowance: Allowance?
  /// The database that this run has opened. Assigning another database closes the previous one.
  var database: Database? { didSet { oldValue?.close() } }
  /// Whether the process ends with this session.
  var endsProcess = false
  private(set) lazy var helpers = makeHelpers()
  var programFailures = 0

  package init(output: Output, talk: Output, input: Input, host: Environment) {
    self.host = host
    terminal = Terminal(output: output, standardError: talk, input: input, host: host)
    passwords = Passwords(terminal)
    terminal.wantedDigits = { [unowned self] in
      do { return try config(sharing: "core.").integer("core.abbrev") } catch let error as ConfigError {
        // The output is correct with any number of digits, so a warning is enough.
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
    terminal.assetPath = { [unowned self] in try? database?.assets.plainFile($0) }
    passwords.setting = { [unowned self] in try ownSetting(PasswordSource.setting, [.system, .global, .local]) }
  }

  package func time(_ text: String) throws(UsageFault) -> Milliseconds {
    guard let time = TimeText.parse(text, now: host.now()) else { throw .badTime(text) }
    return time
  }

  /// Resolves a path relative to `-C`. Call this for every path that a user gives.
  package func path(_ text: String) -> String { options.path(text) }

  /// Returns the location of a container in the form used in settings: URLs are unchanged, and paths are absolute.
  func location(_ text: String) throws -> String {
    Containers.isRemoteLocation(text) ? text : try Path.absolute(path(text))
  }

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
  /// Returns the helpers `sea-remote-SCHEME`, which are found in the same way as external commands.
  /// - Parameter program: the path of the only helper, to be used for all schemes.
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
  var temporaryFolder: String { host.given("TMPDIR") ?? "/tmp" }

  /// Copies standard input to an unnamed temporary file, so that it can be read more than once.
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
  static let limits = [timeLimit, sizeLimit, limitRate, jobs]
  static let limitForms = "[--time-limit=TIME] [--size-limit=SIZE] [--limit-rate=SIZE] [--jobs=N]"
}

extension Arguments {
  /// Sets the limits of transfers from the command line. Call this before opening a database or starting a helper.
  /// - Parameter passesOver: whether to skip items that exceed the limit and continue with smaller items.
  func limit(_ session: Session, passesOver: Bool = false) throws {
    try setParallelRequests(session)
    let throttle = try throttle()
    let (time, size) = (duration(.timeLimit), has(.sizeLimit) ? self.size(.sizeLimit) : nil)
    let allowance = Allowance(
      seconds: time, bytes: size, throttle: throttle, skipsLargeItems: passesOver,
      stops: { [host = session.host] in host.stopSignal() != nil })
    if throttle != nil || time != nil { Containers.pace(session.helpers, throttle, until: allowance.ends) }
    session.allowance = allowance
  }

  private func setParallelRequests(_ session: Session) throws {
    guard let jobs = try text(.jobs).flatMap({ Int($0) }) ?? session.config().integer("sync.jobs") else { return }
    Containers.bound(session.helpers, jobs: jobs)
  }

  func setSpeedLimit(_ session: Session) throws {
    try setParallelRequests(session)
    if let throttle = try throttle() { Containers.pace(session.helpers, throttle, until: nil) }
  }

  private func throttle() throws(UsageFault) -> Throttle? {
    guard let rate = size(.limitRate) else { return nil }
    // A slower helper could not be distinguished from a helper that does not respond.
    guard rate >= 1024 else {
      throw .badValue(
        option: Option.limitRate.dashed, value: text(.limitRate) ?? "", expected: .choice(["1K or more"]))
    }
    return Throttle(rate: rate)
  }
}

extension Left {
  /// Describes the work that is left for the next run.
  /// - Parameter hasBegun: whether the run did any work; used if the remaining work is unknown.
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

  /// Returns the sources of the settings. Omits the database layers if there is no usable database.
  package func configSources() throws -> ConfigSources {
    var sources = ConfigSources(variable: host.variable, database: nil)
    sources.settings = options.settings
    sources.settingVariables = options.settingVariables
    guard !ignoresDatabase else { return sources }
    do {
      let found = try seaDirectory()
      // A directory that is not a database must not provide settings.
      if Location.isDatabase(found) { sources.database = found }
    } catch KitError.noDatabase {
    } catch let error as KitError where error.isUnsafePlace {}
    return sources
  }

  package func config() throws -> Config {
    if let known = loadedConfig { return known }
    let config = try Config(configSources())
    loadedConfig = config
    return config
  }

  /// Returns the value of a setting that runs a program. Ignores the shared layer, because other instances can write
  /// it.
  func ownSetting(
    _ name: String, _ layers: [ConfigScope] = ConfigScope.allCases.filter { $0 != .shared }
  ) throws -> String? {
    try config().all(name).last { layers.contains($0.origin.scope) }?.value.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the settings of all layers, with the shared settings of `group` or, if it is nil, all shared settings. Opens
  /// the database if it is not open.
  package func config(sharing group: String?) throws -> Config {
    let config = try config()
    guard let path = config.database else { return config }
    if let database, database.path == path, database.isOpen {
      return try config.sharing(database.sharedSettings.settings(of: group))
    }
    let database = try Database(path: path)
    defer { database.close() }
    return try config.sharing(database.sharedSettings.settings(of: group))
  }

  package func recordLimits() throws -> RecordLimits {
    var limits = RecordLimits()
    if let size = try config().size("core.maxDataSize") { limits.maxData = Int(size) }
    return limits
  }

  /// Returns how many seconds to wait for the writer lock, as set with `--lock-wait`, `SEA_LOCK_WAIT` or
  /// `core.lockWait`. Nil means no limit.
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
  /// - Parameter detectsCopies: whether to detect that the database is a copy.
  package func reading(detectsCopies: Bool = false) throws -> Database {
    var settings = Database.Settings()
    settings.setCommonProperties(for: self)
    if detectsCopies { settings.notes = notes }
    let database = try Database(path: seaDirectory(), settings)
    self.database = database
    return database
  }

  /// The folder that records where each instance on this machine last wrote, so that a copied database is detected.
  private var notes: String? { CopyGuard.folder(host.variable) }

  package func writingSettings(_ command: any Command.Type) throws -> Database.Settings {
    var settings = try Database.Settings.forWriting(lockWait: lockWait(), command: "sea \(command.name)")
    settings.setCommonProperties(for: self)
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

  /// Returns the record that an argument names. With `--literal-ids`, the argument is an id. `RECORD@{WHEN}` is the
  /// winner at that time.
  package func find(_ text: String, in database: Database) throws -> Found {
    guard !literalIDs, let named = MomentText.split(text), !isRecord(text, database) else {
      return try database.records.findRevision(text, literal: literalIDs)
    }
    let moment = try database.history.moment(operation(named.moment))
    return try database.records.findRevision(named.record, at: moment)
  }

  func named(_ text: String, in database: Database) throws -> Named {
    if !literalIDs, MomentText.split(text) != nil, !isRecord(text, database) {
      return .revision(try find(text, in: database))
    }
    return try database.records.named(text, literal: literalIDs)
  }

  private func isRecord(_ text: String, _ database: Database) -> Bool {
    (try? database.records.find(text, literal: true)) != nil
  }

  func moment(_ arguments: Arguments, _ database: Database) throws -> Moment? {
    try arguments.text(.at).map { try database.history.moment(moment($0)) }
  }

  func moment(_ text: String) throws -> OperationName {
    if text.hasPrefix("op:") || text.hasPrefix("@{") { return try operation(text) }
    return .time(try time(text), text)
  }

  package var literalIDs: Bool {
    options.literalIDs || ConfigType.bool(host.variable("SEA_LITERAL_IDS") ?? "") ?? false
  }
}

extension Database.Settings {
  fileprivate mutating func setCommonProperties(for session: Session) {
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
  /// Parses `op:HEX`, `@{N}` or `@{TIME}`, including inside another `@{}`.
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
