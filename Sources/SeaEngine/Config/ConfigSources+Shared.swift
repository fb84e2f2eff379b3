extension ConfigSources {
  /// The most bytes of a name and of a value that are shared.
  package static let sharedLimit = 1024

  /// Keys that may come from the shared layer: none of them can run a program.
  package static func isShareable(_ key: ConfigKey) -> Bool {
    switch key.section {
    case "core": key.subsection == nil && (key.name == "abbrev" || key.name == "compress")
    case "merge": key.name == "policy" || key.name == "atomic" || key.name == "auto" && key.subsection == nil
    case "index": true
    case "type": key.name == "default" && Prototypes.isName(key)
    default: false
    }
  }

  /// Whether a setting that others have shared counts. With control characters it could pass for several; what says
  /// nothing to this program may to a newer one.
  static func isShareable(_ key: ConfigKey, _ value: String) -> Bool {
    isShareable(key) && isPlain(key.description) && isPlain(value) && saysSomething(key, value)
  }

  private static func saysSomething(_ key: ConfigKey, _ value: String) -> Bool {
    switch key.section {
    // Of what everybody needs, a value that is none would end the commands of all others.
    case "core": SettingRule(key)?.allows(value) ?? true
    case "merge": MergeSettings.isShareable(key.name, value)
    case "type": Prototypes.isValue(value, for: key)
    default: true
    }
  }

  /// - Throws: `notShareable`, `valueNotShareable`, `unstorable`, `tooLong`.
  package static func checkShareable(_ key: ConfigKey, _ value: String?) throws(ConfigError) {
    guard isShareable(key) else { throw .notShareable(key.description) }
    guard isPlain(key.description), isPlain(value ?? "") else { throw .unstorable(key: key.description) }
    guard key.description.utf8.count <= sharedLimit, value?.utf8.count ?? 0 <= sharedLimit else {
      throw .tooLong(key: key.description, limit: sharedLimit)
    }
    if let value, !saysSomething(key, value) {
      throw .valueNotShareable(key: key.description, value: value)
    }
  }

  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
