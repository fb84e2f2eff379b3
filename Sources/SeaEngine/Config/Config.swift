import SeaSystem

/// The settings for one run. The settings that all instances share need an open database, so they are added with
/// `sharing`.
package struct Config {
  package struct Entry: Equatable, Sendable {
    package let key: ConfigKey
    /// Nil means true.
    package let value: String?
    package let origin: ConfigOrigin

    package init(key: ConfigKey, value: String?, origin: ConfigOrigin) {
      self.key = key
      self.value = value
      self.origin = origin
    }
  }

  private let below: [Entry], above: [Entry]
  private var shared: [Entry] = []
  package let home: String?
  /// The path of the database whose settings these are.
  package let database: String?

  package init(below: [Entry] = [], above: [Entry] = []) {
    (self.below, self.above, home, database) = (below, above, nil, nil)
  }

  /// Reads the files of `sources`. A missing file counts as empty.
  package init(_ sources: ConfigSources) throws {
    home = sources.variable("HOME")
    below = try sources.entries(.system) + sources.entries(.global)
    above = try sources.entries(.local) + sources.counted() + sources.given()
    database = sources.database
  }

  /// Returns these settings with others that all instances share. Skips settings that this version does not allow in
  /// the shared layer, because a newer version may support them.
  package func sharing(_ settings: [(key: ConfigKey, value: String)]) -> Config {
    var config = self
    config.shared = settings.filter { ConfigSources.isShareable($0.key, $0.value) }.map {
      Entry(key: $0.key, value: $0.value, origin: ConfigOrigin(.shared))
    }
    return config
  }

  /// Returns the settings in ascending order of precedence, restricted to one layer if a scope is given.
  package func entries(_ scope: ConfigScope? = nil) -> [Entry] {
    (Config.standard + below + shared + above).filter { scope == nil || $0.origin.scope == scope }
  }

  /// The settings that this instance sets itself, in ascending order of precedence.
  package var own: [Entry] { below + above }

  /// Returns all values of a key in ascending order of precedence, restricted to one layer if a scope is given.
  package func values(_ key: ConfigKey, _ scope: ConfigScope? = nil) -> [Entry] {
    entries(scope).filter { $0.key == key }
  }

  package func entry(_ key: ConfigKey) -> Entry? {
    (above.last { $0.key == key } ?? shared.last { $0.key == key }) ?? below.last { $0.key == key }
      ?? Config.standard(key)
  }

  /// Returns all values of a key in ascending order of precedence. If `protected` is true, omits values stored in the
  /// database.
  package func all(_ name: String, protected: Bool = false) -> [Entry] {
    guard let key = ConfigKey(name) else { return [] }
    return values(key).filter { !protected || ($0.origin.scope != .local && $0.origin.scope != .shared) }
  }

  package func text(_ name: String) throws -> String? {
    try checked(name)?.value
  }

  package func bool(_ name: String) throws -> Bool? { try typed(name, .bool).map { $0 == "true" } }

  package func integer(_ name: String) throws -> Int? { try typed(name, .int).flatMap { Int($0) } }
  package func size(_ name: String) throws -> Int64? { try typed(name, .size).flatMap { Int64($0) } }

  package func duration(_ name: String) throws -> Int64? { try typed(name, .duration).flatMap { Int64($0) } }

  private func typed(_ name: String, _ type: ConfigType) throws -> String? {
    try checked(name).map { try canonical($0, type) }
  }

  private func checked(_ name: String) throws -> Entry? {
    guard let entry = ConfigKey(name).flatMap(entry) else { return nil }
    if entry.origin.scope != .builtin { try ConfigError.check(entry) }
    return entry
  }

  package func canonical(_ entry: Entry, _ type: ConfigType) throws(ConfigError) -> String {
    guard let text = type.canonical(entry.value, home: home) else {
      throw .badValue(key: entry.key.description, value: entry.value ?? "", type: type, origin: entry.origin)
    }
    return text
  }

  // MARK: - Defaults

  private static let plain: [(name: String, value: String)] = [
    ("core.abbrev", "8"), ("core.compress", "true"), ("core.lockWait", "10"), ("core.oldKey", "false"),
    ("init.encrypt", "false"), ("merge.auto", "clean"), ("hook.timeout", "60"), ("assets.minCopies", "1"),
    ("import.maxSize", "64G"), ("sync.patience", "3600"), ("watch.interval", "60"), ("color.ui", "auto"),
  ]

  package static var builtin: [(name: String, value: String)] {
    plain + ColorSlot.allCases.map { ($0.setting, $0.standard) }
  }

  private static let standard = builtin.compactMap { name, value in
    ConfigKey(name).map { Entry(key: $0, value: value, origin: ConfigOrigin(.builtin)) }
  }

  /// Returns a single default value. Creating all of them each time would be slow, because every command reads several.
  private static func standard(_ key: ConfigKey) -> Entry? {
    let color = key.section == "color" ? ColorSlot(rawValue: key.name)?.standard : nil
    guard key.subsection == nil, let value = color ?? plain.first(where: { key.isNamed($0.name) })?.value else {
      return nil
    }
    return Entry(key: key, value: value, origin: ConfigOrigin(.builtin))
  }
}
