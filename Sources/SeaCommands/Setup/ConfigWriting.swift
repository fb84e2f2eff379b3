import SeaEngine
import SeaSystem
import SeaWords

/// The writing half of `sea config`.
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
    // What may not be shared at all is said first.
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
    // It is looked up from wherever somebody stands.
    let isPlace = key.section == "container" && key.subsection != nil && key.name == "location"
    if isPlace { try Containers.checkHasNoPassword(value) }
    let value = isPlace ? try session.location(value) : value
    let lock = try lock()
    defer { lock?.release() }
    var file = try ConfigSources.read(location())
    try file.set(key, value, adding: arguments.has(ConfigCommand.add))
    return try save(file, key, value)
  }

  /// What nothing would ever read.
  private func checkName(_ key: ConfigKey) throws {
    guard SettingKind.of(key) == nil, !arguments.has(ConfigCommand.force) else { return }
    let name = arguments.operand(1) ?? key.description
    // What may not be shared at all is said first.
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

  /// The settings of a database are read and written by one at a time.
  private func lock() throws -> FileLock? {
    guard scope == .local, !arguments.has(.dryRun) else { return nil }
    return try Database.lock(try session.seaDirectory(), session.writingSettings(ConfigCommand.self))
  }

  private func location() throws -> String {
    if scope == .local {
      let found = try session.seaDirectory()
      // What is written where there is no database would never be read.
      guard Location.isDatabase(found) else { throw KitError.noDatabase(path: found) }
      return Path.join(found, "config")
    }
    guard let path = try session.configSources().file(scope) else { throw ConfigError.noFile(scope) }
    return path
  }

  private func save(_ file: ConfigFile, _ key: ConfigKey, _ value: String?) throws -> ExitStatus {
    if !arguments.has(.dryRun) { try file.save() }
    return try tell(key, value, file.path)
  }

  private func share(_ key: ConfigKey, _ value: String?) throws -> ExitStatus {
    if arguments.has(ConfigCommand.add) { throw UsageFault.excluded(["--shared", "--add"]) }
    try ConfigSources.checkShareable(key, value)
    let database = try arguments.has(.dryRun) ? session.reading() : session.writing(as: ConfigCommand.self)
    let isNew = try database.sharedSettings.set(key, value, dryRun: arguments.has(.dryRun))
    return value == nil && !isNew ? .no : try tell(key, value, nil)
  }

  /// As text, an action that did what it was told says nothing.
  private func tell(_ key: ConfigKey, _ value: String?, _ path: String?) throws -> ExitStatus {
    let item: Item = [
      "name": .text(key), "value": .text(value).orNull, "scope": .text(scope.rawValue), "file": .text(path),
    ]
    try session.terminal.report(session.terminal.isDryRun ? "would-configure" : "configured", item) {
      session.terminal.isDryRun
        ? ["would \(value == nil ? "unset" : "set") \(key) in \(path ?? "the shared layer")"] : []
    }
    return .success
  }
}
