import SeaCore

/// What the value of a setting may be. Names that are not known have none: a newer program may know them.
package enum SettingRule: Equatable, Sendable {
  case bool, size, duration, durationOrForever, color
  case integer(least: Int64, most: Int64?)
  case oneOf([String], orEmpty: Bool)
  /// Groups of paths, as `merge.atomic` has them.
  case groups

  package init?(_ key: ConfigKey) {
    switch (key.section, key.subsection, key.name) {
    case ("core", nil, "abbrev"): self = .integer(least: 4, most: 64)
    case ("core", nil, "compress"), ("core", nil, "oldkey"), ("init", nil, "encrypt"): self = .bool
    case ("core", nil, "lockwait"): self = .durationOrForever
    case ("core", nil, "maxdatasize"), ("import", nil, "maxsize"): self = .size
    case ("hook", nil, "timeout"), ("sync", nil, "patience"), ("watch", nil, "interval"): self = .duration
    case ("assets", nil, "mincopies"): self = .integer(least: 1, most: nil)
    case ("container", .some, "auto"), ("container", .some, "readonly"): self = .bool
    case ("color", nil, "ui"): self = .oneOf(["auto", "always", "never"], orEmpty: false)
    case ("color", nil, let name) where ColorSlot(rawValue: name) != nil: self = .color
    case ("driver", .some, "scope"): self = .oneOf(["record", "property"], orEmpty: true)
    case ("merge", nil, "auto"):
      self = .oneOf([MergeSettings.Automatic.off, .clean, .drivers].map(\.rawValue), orEmpty: false)
    case ("merge", _, "policy"): self = .oneOf(Policy.allCases.map(\.rawValue), orEmpty: true)
    case ("merge", _, "atomic"): self = .groups
    default: return nil
    }
  }

  /// - Parameter value: nil of a name without one.
  package func allows(_ value: String?) -> Bool {
    switch self {
    case .bool: ConfigType.bool(value) != nil
    case .size: value.flatMap(Quantity.size) != nil
    case .duration: value.flatMap(Quantity.duration) != nil
    case .durationOrForever: value == "forever" || value.flatMap(Quantity.duration) != nil
    case .integer(let least, let most): value.flatMap { Int64($0) }.map { $0 >= least && $0 <= most ?? .max } ?? false
    case .oneOf(let words, let orEmpty): value.map { $0.isEmpty ? orEmpty : words.contains($0) } ?? false
    case .color: value.flatMap(ColorWords.init) != nil
    case .groups: MergeSettings.groups(value ?? "") != nil
    }
  }
}

extension ConfigError {
  /// Holds a setting that stands somewhere, or is about to, against what it may be.
  /// - Throws: `badSetting`, `badDefault`, `badIndex`.
  package static func check(_ entry: Config.Entry) throws(ConfigError) {
    if let rule = SettingRule(entry.key), !rule.allows(entry.value) {
      throw .badSetting(key: entry.key.description, value: entry.value ?? "", rule, origin: entry.origin)
    }
    if entry.key.section == "type", entry.key.name == "default", let value = entry.value,
      !Prototypes.isValue(value, for: entry.key)
    {
      throw .badDefault(key: entry.key.description, value: value, origin: entry.origin)
    }
    let kinds: [String: IndexDefinition.Kind] = ["on": .values, "text": .text]
    if entry.key.section == "index", entry.key.subsection != nil, let kind = kinds[entry.key.name],
      IndexDefinition(kind, entry.value ?? "") == nil
    {
      throw .badIndex(key: entry.key.description, value: entry.value ?? "", origin: entry.origin)
    }
  }
}
