import SeaCore
import SeaSystem

/// The files, environment variables and arguments that settings are read from.
package struct ConfigSources {
  package var variable: (String) -> String?
  package var database: String?
  /// `NAME=VALUE` from the command line; `NAME` alone means true.
  package var settings: [String] = []
  package var settingVariables: [String] = []

  package init(variable: @escaping (String) -> String?, database: String?) {
    self.variable = variable
    self.database = database
  }

  package func file(_ scope: ConfigScope) -> String? {
    switch scope {
    case .system:
      if ConfigType.bool(variable("SEA_CONFIG_NOSYSTEM") ?? "") == true { return nil }
      return variable("SEA_CONFIG_SYSTEM") ?? "/etc/sea/config"
    case .global:
      if let path = variable("SEA_CONFIG_GLOBAL") { return path.isEmpty ? nil : path }
      if let base = variable("XDG_CONFIG_HOME"), base.hasPrefix("/") { return Path.join(base, "sea/config") }
      guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
      return Path.join(home, ".config/sea/config")
    case .local: return database.map { Path.join($0, "config") }
    case .builtin, .shared, .environment, .command: return nil
    }
  }

  /// Reads a settings file. A missing file counts as empty.
  package static func read(_ path: String) throws -> ConfigFile {
    let file: File
    do throws(SystemError) {
      file = try File.openWithoutWaiting(path)
    } catch {
      guard error.isMissing else { throw error }
      return try ConfigFile([], path: path)
    }
    guard let bytes = try file.readAll(limit: ConfigFile.limit) else {
      throw ConfigError.badFile(path: path, line: 1, .tooLarge)
    }
    return try ConfigFile(bytes, path: path)
  }

  func entries(_ scope: ConfigScope) throws -> [Config.Entry] {
    guard let path = file(scope) else { return [] }
    let entries: [ConfigFile.Entry]
    do { entries = try ConfigSources.read(path).entries } catch let error as SystemError
      where scope == .global && error.isDenied && (try? Path.exists(path)) == nil
    {
      // A home folder that cannot be accessed belongs to another user, for example after `su`, so it contains no
      // settings for this user.
      return []
    }
    return entries.map {
      Config.Entry(key: $0.key, value: $0.value, origin: ConfigOrigin(scope, path: path, line: $0.line))
    }
  }

  /// Returns the settings from `SEA_CONFIG_COUNT`, `SEA_CONFIG_KEY_0`, `SEA_CONFIG_VALUE_0` …
  func counted() throws(ConfigError) -> [Config.Entry] {
    guard let text = variable("SEA_CONFIG_COUNT"), !text.isEmpty else { return [] }
    guard let count = UInt16(text) else { throw .badCount(text) }
    var found: [Config.Entry] = []
    for index in 0..<count {
      let origin = ConfigOrigin(.environment)
      try found.append(
        Config.Entry(
          key: key(present("SEA_CONFIG_KEY_\(index)")), value: present("SEA_CONFIG_VALUE_\(index)"), origin: origin))
    }
    return found
  }

  func given() throws(ConfigError) -> [Config.Entry] {
    var found: [Config.Entry] = []
    for (text, isVariable) in settingVariables.map({ ($0, true) }) + settings.map({ ($0, false) }) {
      let equals = text.firstIndex(of: "=")
      var value = equals.map { String(text[text.index(after: $0)...]) }
      if isVariable { value = try present(value ?? "") }
      let name = String(text[..<(equals ?? text.endIndex)])
      try found.append(Config.Entry(key: key(name), value: value, origin: ConfigOrigin(.command)))
    }
    return found
  }

  private func key(_ text: String) throws(ConfigError) -> ConfigKey {
    guard let key = ConfigKey(text) else { throw .badKey(text) }
    return key
  }

  private func present(_ name: String) throws(ConfigError) -> String {
    guard let value = variable(name) else { throw .missingVariable(name) }
    return value
  }
}

extension ConfigSources {
  /// Whether a key is allowed in the shared layer. Keys that run a program are not allowed.
  package static func isShareable(_ key: ConfigKey) -> Bool {
    switch key.section {
    case "core": key.subsection == nil && (key.name == "abbrev" || key.name == "compress")
    case "merge": key.name == "policy" || key.name == "atomic" || key.name == "auto" && key.subsection == nil
    case "index": true
    case "type": SettingKind.of(key) != nil
    default: false
    }
  }

  /// Whether a setting shared by another instance is valid. Control characters are invalid, because they could make one
  /// setting look like several. Invalid settings are skipped, because a newer version may support them.
  static func isShareable(_ key: ConfigKey, _ value: String) -> Bool {
    isShareable(key) && isPlain(key.description) && isPlain(value) && fault(key, value) == nil
  }

  /// Returns the part of a value that cannot be shared; nil if the value can be shared.
  private static func fault(_ key: ConfigKey, _ value: String) -> String? {
    switch key.section {
    // An invalid value of a core setting would make the commands of all other instances fail.
    case "core",
      "type" where key.name != "default":
      SettingRule(key)?.fault(in: value)
    case "merge": MergeSettings.unshareable(key.name, value)
    case "type": Prototypes.isValue(value, for: key) ? nil : value
    default: nil
    }
  }

  /// - Throws: `notShareable`, `valueNotShareable`, `unstorable`, `tooLong`.
  package static func checkShareable(_ key: ConfigKey, _ value: String?) throws(ConfigError) {
    guard isShareable(key) else { throw .notShareable(key.description) }
    guard isPlain(key.description), isPlain(value ?? "") else { throw .unstorable(key: key.description) }
    for (text, limit) in [(key.description, ControlEntry.longestKey), (value ?? "", ControlEntry.longestValue)] {
      if text.utf8.count > limit { throw .tooLong(key: key.description, limit: limit) }
    }
    if let value, let part = fault(key, value) { throw .valueNotShareable(key: key.description, value: part) }
  }

  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
