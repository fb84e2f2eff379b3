import SeaSystem

/// All settings that hold for one run, from every layer.
package struct Config: Sendable {
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

  /// From the weakest layer to the strongest.
  package private(set) var entries: [Entry] = []
  /// Where `~` leads.
  package let home: String?

  /// Reads every layer that `sources` names. A file that is not there is an empty one.
  package init(_ sources: ConfigSources) throws {
    home = sources.variable("HOME")
    entries = try Config.defaults()
    for scope in [ConfigScope.system, .global] { try entries += sources.entries(scope) }
    for (key, value) in try sources.shared() where ConfigSources.isShareable(key) {
      entries.append(Entry(key: key, value: value, origin: ConfigOrigin(.shared)))
    }
    try entries += sources.entries(.local) + sources.counted() + sources.given()
  }

  /// The strongest value of a key.
  package func entry(_ key: ConfigKey) -> Entry? { entries.last { $0.key == key } }

  /// All values of a key, the strongest last. With `protected` only those that a database cannot bring along.
  package func all(_ name: String, protected: Bool = false) -> [Entry] {
    guard let key = ConfigKey(name) else { return [] }
    return entries.filter {
      $0.key == key && (!protected || ($0.origin.scope != .local && $0.origin.scope != .shared))
    }
  }

  package func text(_ name: String) -> String? { ConfigKey(name).flatMap(entry)?.value }

  package func bool(_ name: String) throws(ConfigError) -> Bool? {
    try typed(name, .bool).map { $0 == "true" }
  }

  package func integer(_ name: String) throws(ConfigError) -> Int? { try typed(name, .int).flatMap { Int($0) } }
  package func size(_ name: String) throws(ConfigError) -> Int64? { try typed(name, .size).flatMap { Int64($0) } }

  /// Seconds.
  package func duration(_ name: String) throws(ConfigError) -> Int64? {
    try typed(name, .duration).flatMap { Int64($0) }
  }

  private func typed(_ name: String, _ type: ConfigType) throws(ConfigError) -> String? {
    guard let entry = ConfigKey(name).flatMap(entry) else { return nil }
    return try canonical(entry, type)
  }

  /// The value in the one form of its type.
  package func canonical(_ entry: Entry, _ type: ConfigType) throws(ConfigError) -> String {
    guard let text = type.canonical(entry.value, home: home) else {
      throw .badValue(key: entry.key.description, value: entry.value ?? "", type: type, origin: entry.origin)
    }
    return text
  }

  /// The settings that have a value without anybody giving one.
  package static let builtin: [(name: String, value: String)] = [
    ("core.abbrev", "8"), ("init.encrypt", "false"), ("core.lockWait", "10"), ("merge.auto", "clean"),
  ]

  private static func defaults() throws -> [Entry] {
    builtin.compactMap { name, value in
      ConfigKey(name).map { Entry(key: $0, value: value, origin: ConfigOrigin(.builtin)) }
    }
  }
}
