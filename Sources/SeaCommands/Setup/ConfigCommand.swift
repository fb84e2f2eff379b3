import SeaEngine
import SeaSystem

enum ConfigCommand: Command {
  static var title: Title { Title("config", .setup, .plumbing, "read and change settings") }
  static var synopsis: [String] {
    [
      "get [SCOPE] [--show-origin] [--type=TYPE] [--default=VALUE] [--all] NAME",
      "set [SCOPE] [-n] [--type=TYPE] [--add] [--force] NAME VALUE", "unset [SCOPE] [-n] [--all] NAME",
      "list [SCOPE] [--show-origin]", "list --describe", "path [SCOPE]", "edit [SCOPE]",
    ]
  }
  static let scopes = [
    Option("system", help: "use the file for all users of this machine"),
    Option("global", help: "use the file of this user"),
    Option("shared", help: "use the settings shared by all instances of the database"),
    Option("local", help: "use the file of this database"),
  ]
  static let showOrigin = Option("show-origin", help: "show where each value comes from")
  static let type = Option(
    "type", nil, .choice(ConfigType.allCases.map(\.rawValue)), "TYPE",
    "require a type: bool, int, size, duration, path")
  static let fallback = Option("default", nil, .text, "VALUE", "print VALUE if the setting has no value")
  static let all = Option("all", help: "print all values of the setting, not only the effective one")
  static let add = Option("add", help: "add a value and keep the others")
  static let force = Option("force", help: "accept names and values unknown to this version")
  static let describe = Option("describe", help: "list all settings with their values and purpose")
  static var options: [Option] { scopes + [showOrigin, describe, type, fallback, all, add, force, .dryRun] }
  static let actions = ["get", "set", "unset", "list", "path", "edit"]
  static var operands: [Operand] {
    [.one("ACTION", .choice(actions)), .optional("NAME", .configKey), .optional("VALUE", .settingValue)]
  }
  static func isPaged(_ arguments: Arguments) -> Bool { arguments.has(describe) }
  static var exits: [Exit] {
    [
      Exit(.no, "the setting has no value"),
      Exit(.notFound, "the setting has several values, so it is unclear which to change"),
      Exit(.denied, "the setting cannot be shared, or not by this instance"),
      Exit(.noDatabase, "no database found for local or shared settings"),
      Exit(.badData, "a file or value is invalid"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let scope = try arguments.only(of: scopes).flatMap { ConfigScope(rawValue: $0.long) }
    let action = arguments.operands[0]
    let names = ["get", "set", "unset"].contains(action)
    if !names, let extra = arguments.operand(1) { throw UsageFault.extraOperand(extra) }
    if names, arguments.operand(1) == nil { throw UsageFault.missingOperand("NAME") }
    if action != "set", let extra = arguments.operand(2) { throw UsageFault.extraOperand(extra) }
    let writing = ConfigWriting(session: session, arguments: arguments, scope: scope ?? .local)
    switch action {
    case "get": return try ConfigReading(session, arguments, scope).get(key(arguments.operands[1]))
    case "list": return try ConfigReading(session, arguments, scope).list()
    case "set":
      guard let value = arguments.operand(2) else {
        throw UsageFault.settingWithoutValue(arguments.operands[1], beside: arguments.flags)
      }
      return try writing.set(key(arguments.operands[1]), value)
    case "unset": return try writing.unset(key(arguments.operands[1]))
    case "path": return try writing.path()
    default: return try writing.edit()
    }
  }

  private static func key(_ text: String) throws -> ConfigKey {
    guard let key = ConfigKey(text) else { throw ConfigError.badKey(text) }
    return key
  }
}

struct ConfigReading {
  private let session: Session
  private let arguments: Arguments
  private let scope: ConfigScope?

  init(_ session: Session, _ arguments: Arguments, _ scope: ConfigScope?) throws {
    self.session = session
    self.arguments = arguments
    self.scope = scope
    if scope == .local || scope == .shared { _ = try session.seaDirectory() }
  }

  /// Returns the settings, with those that all instances share unless only another layer is read.
  private func config(sharing group: String? = nil) throws -> Config {
    try scope == nil || scope == .shared ? session.config(sharing: group) : session.config()
  }

  func get(_ key: ConfigKey) throws -> ExitStatus {
    let config = try ConfigSources.isShareable(key) ? config(sharing: key.group) : session.config()
    var found = config.values(key, scope)
    if !arguments.has(ConfigCommand.all) { found = found.suffix(1) }
    if found.isEmpty, let value = arguments.text(ConfigCommand.fallback) {
      found = [Config.Entry(key: key, value: value, origin: ConfigOrigin(.command))]
    }
    for entry in found { try show(entry, named: false) }
    if found.isEmpty, SettingKind.of(key) == nil {
      if let similar = SettingKind.likeliest(for: key.description) {
        session.terminal.notice("unknown setting '\(key)': did you mean '\(similar)'?")
      } else if session.host.isTerminal(2) {
        // A script may store its own settings, so the notice appears only on terminals.
        session.terminal.notice(
          "unknown setting '\(key)'", hint: "to list all settings, run: sea config list --describe")
      }
    }
    return found.isEmpty ? .no : .success
  }

  func list() throws -> ExitStatus {
    if arguments.has(ConfigCommand.describe) { return try describe() }
    for entry in try config().entries(scope) { try show(entry, named: true) }
    return .success
  }

  private func describe() throws -> ExitStatus {
    if scope != nil { throw UsageFault.excluded([ConfigCommand.describe.dashed, "SCOPE"]) }
    if arguments.has(ConfigCommand.showOrigin) {
      throw UsageFault.excluded([ConfigCommand.describe.dashed, ConfigCommand.showOrigin.dashed])
    }
    let room = min(session.terminal.width ?? TextWidth.widest, TextWidth.widest) - 4
    let config = try config()
    for kind in SettingKind.all {
      let value = kind.middle == nil ? ConfigKey(kind.pattern).flatMap(config.entry).map { $0.value ?? "true" } : nil
      let item: Item = [
        "name": .text(kind.pattern), "value": .text(value), "about": .text(kind.explanation),
        "allowed": .text(kind.rule.words),
        "choices": kind.rule.choices.isEmpty ? .absent : .texts(kind.rule.choices),
        "shareable": .flag(kind.isShareable),
      ]
      try session.terminal.painter.show(item) {
        let text = "\(kind.explanation); \(kind.rule.words)" + (kind.isShareable ? "; can be shared" : "")
        return [Painted(kind.pattern, .heading) + Painted(value.map { "=\($0)" } ?? "")]
          + TextWidth.filled(text, to: room).map { Painted("    \($0)") }
      }
    }
    return .success
  }

  private func show(_ entry: Config.Entry, named: Bool) throws {
    var value = entry.value ?? "true"
    if let type = arguments.text(ConfigCommand.type).flatMap(ConfigType.init) {
      value = try session.config().canonical(entry, type)
    }
    if session.options.json {
      return try session.terminal.object([
        "name": .text(entry.key), "value": .text(value), "scope": .text(entry.origin.scope.rawValue),
        "file": .text(entry.origin.path), "line": .integer(entry.origin.line),
      ])
    }
    if arguments.has(ConfigCommand.showOrigin) {
      try session.terminal.output.write(origin(entry.origin))
      try session.terminal.output.byte(session.options.zero ? 0 : 0x09)
    }
    // With NUL as the terminator, the name ends with a newline, because names may contain "=" but never a newline.
    if named {
      try session.terminal.output.write(
        session.terminal.value(entry.key.description) + (session.options.zero ? "\n" : "="))
    }
    try session.terminal.item(session.terminal.value(value))
  }

  private func origin(_ origin: ConfigOrigin) -> String {
    guard let path = origin.path else { return "\(origin.scope.rawValue):" }
    return "file:\(session.terminal.value(path)):\(origin.line ?? 0)"
  }
}

struct ConfigWriting {
  let session: Session
  let arguments: Arguments
  let scope: ConfigScope

  func set(_ key: ConfigKey, _ value: String) throws -> ExitStatus {
    let home = session.host.variable("HOME")
    if let type = arguments.text(ConfigCommand.type).flatMap(ConfigType.init), type.canonical(value, home: home) == nil
    {
      throw ConfigError.badValue(key: key.description, value: value, type: type, origin: ConfigOrigin(.command))
    }
    try checkName(key)
    // Reject a setting that cannot be shared before checking its value.
    if scope == .shared, !ConfigSources.isShareable(key) { return try share(key, value) }
    if !arguments.has(ConfigCommand.force) {
      try ConfigError.check(Config.Entry(key: key, value: value, origin: ConfigOrigin(.command)))
    }
    if scope == .shared { return try share(key, value) }
    if key.section == "container", let name = key.subsection, key.name == "assets", AssetFilter(value) == nil,
      !arguments.has(ConfigCommand.force)
    {
      throw KitError.badAssetFilter(container: name, value)
    }
    // Make the path absolute, because the working directory may be different when the location is used.
    let isPlace = key.section == "container" && key.subsection != nil && key.name == "location"
    if isPlace { try Containers.checkHasNoPassword(value) }
    let value = isPlace ? try session.location(value) : value
    let lock = try lock()
    defer { lock?.release() }
    var file = try ConfigSources.read(location())
    try file.set(key, value, adding: arguments.has(ConfigCommand.add))
    return try save(file, key, value)
  }

  /// Rejects a setting that no version of Sea would read.
  private func checkName(_ key: ConfigKey) throws {
    guard SettingKind.of(key) == nil, !arguments.has(ConfigCommand.force) else { return }
    let name = arguments.operand(1) ?? key.description
    // A setting that cannot be shared causes a separate error later.
    guard key.section != "type" else {
      if scope == .shared, key.name == "default" { return }
      throw ConfigError.notADefault(name)
    }
    let similar = SettingKind.likeliest(for: name)
    let isLikely = similar.flatMap { ConfigKey($0) }.map { ConfigSources.isShareable($0) } ?? false
    if scope == .shared, !isLikely, !ConfigSources.isShareable(key) { return }
    throw ConfigError.unknown(name, similar: similar)
  }

  func unset(_ key: ConfigKey) throws -> ExitStatus {
    if scope == .shared { return try share(key, nil) }
    let lock = try lock()
    defer { lock?.release() }
    var file = try ConfigSources.read(location())
    guard try file.unset(key, all: arguments.has(ConfigCommand.all)) else { return .no }
    return try save(file, key, nil)
  }

  func path() throws -> ExitStatus {
    let path = try location()
    if session.options.json {
      try session.terminal.object(["scope": .text(scope.rawValue), "file": .text(path)])
    } else {
      try session.terminal.item(session.terminal.value(path))
    }
    return .success
  }

  func edit() throws -> ExitStatus {
    if session.options.noInput { throw UsageFault.excluded(["--no-input", "config edit"]) }
    let path = try location()
    try Path.createDirectories(Path.parent(path), mode: 0o700)
    try session.edit(path)
    for entry in try ConfigSources.read(path).entries {
      let origin = ConfigOrigin(scope, path: path, line: entry.line)
      do {
        try ConfigError.check(Config.Entry(key: entry.key, value: entry.value, origin: origin))
        UnknownSettings.warn(of: entry.key, at: "\(path):\(entry.line)", session.terminal)
      } catch {
        session.terminal.warn(Failure.describing(error))
      }
    }
    return .success
  }

  private func lock() throws -> FileLock? {
    guard scope == .local, !arguments.has(.dryRun) else { return nil }
    return try Database.lock(try session.seaDirectory(), session.writingSettings(ConfigCommand.self))
  }

  private func location() throws -> String {
    if scope == .local {
      let found = try session.seaDirectory()
      // Settings in a folder without a database would never be read.
      guard Location.isDatabase(found) else { throw KitError.noDatabase(path: found) }
      return Path.join(found, "config")
    }
    guard let path = try session.configSources().file(scope) else { throw ConfigError.noFile(scope) }
    return path
  }

  private func save(_ file: ConfigFile, _ key: ConfigKey, _ value: String?) throws -> ExitStatus {
    if !arguments.has(.dryRun) { try file.save() }
    return try report(key, value, file.path)
  }

  private func share(_ key: ConfigKey, _ value: String?) throws -> ExitStatus {
    if arguments.has(ConfigCommand.add) { throw UsageFault.excluded(["--shared", "--add"]) }
    try ConfigSources.checkShareable(key, value)
    let database = try arguments.has(.dryRun) ? session.reading() : session.writing(as: ConfigCommand.self)
    let isNew = try database.sharedSettings.set(key, value, dryRun: arguments.has(.dryRun))
    return value == nil && !isNew ? .no : try report(key, value, nil)
  }

  private func report(_ key: ConfigKey, _ value: String?, _ path: String?) throws -> ExitStatus {
    let item: Item = [
      "name": .text(key), "value": .text(value).orNull, "scope": .text(scope.rawValue), "file": .text(path),
    ]
    try session.terminal.report(session.terminal.isDryRun ? "would-configure" : "configured", item) {
      session.terminal.isDryRun
        ? ["would \(value == nil ? "unset" : "set") \(key) in \(path ?? "the shared settings")"] : []
    }
    return .success
  }
}
