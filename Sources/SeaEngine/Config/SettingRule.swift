import SeaCore

/// The values that a setting allows. There is no rule for unknown settings, because a newer version may support them.
package enum SettingRule: Equatable, Sendable {
  case bool, size, duration, durationOrForever, color
  case integer(least: Int64, most: Int64?)
  case oneOf([String], orEmpty: Bool)
  /// Lists of items for paths.
  case groups, policies, drivers

  case text
  case words
  case path
  /// An asset filter, an index definition, or a default value. The code that parses it reports the exact error.
  case assets, index, value
  /// A rule for a property of all records of a type.
  case rule(TypeRule.Word)

  package static let parallel: ClosedRange<Int64> = 1...64

  package init?(_ key: ConfigKey) {
    guard let kind = SettingKind.of(key) else { return nil }
    self = kind.rule
  }

  /// The words to suggest as values, if the setting allows only certain words.
  package var choices: [String] {
    switch self {
    case .bool: ["true", "false"]
    case .durationOrForever: ["forever"]
    case .oneOf(let words, _): words
    case .color: ColorWords.names
    case .policies: MergeSettings.policies
    case .assets: ["all", "none"]
    case .rule(.type): TypeRule.Kind.allCases.map(\.rawValue)
    case .rule(.required), .rule(.unique): ["true", "false"]
    default: []
    }
  }

  package func allows(_ value: String?) -> Bool {
    switch self {
    case .bool: ConfigType.bool(value) != nil
    case .size: value.flatMap(Quantity.size) != nil
    case .duration: value.flatMap(Quantity.duration) != nil
    case .durationOrForever: value == "forever" || value.flatMap(Quantity.duration) != nil
    case .integer(let least, let most): value.flatMap { Int64($0) }.map { $0 >= least && $0 <= most ?? .max } ?? false
    case .oneOf(let words, let orEmpty): value.map { $0.isEmpty ? orEmpty : words.contains($0) } ?? false
    case .color: value.flatMap(ColorWords.init) != nil
    case .groups, .policies, .drivers: fault(in: value) == nil
    case .words: value.map { $0.isEmpty || CommandWords.split($0) != nil } ?? false
    case .path: value.map { !$0.isEmpty } ?? false
    case .rule(let word): TypeRule.demand(word, value ?? "true") != nil
    case .text, .assets, .index, .value: true
    }
  }

  /// Returns the part of a value that is not allowed; nil if the value is allowed.
  package func fault(in value: String?) -> String? {
    do throws(MergeItems.Fault) {
      switch self {
      case .groups: _ = try MergeItems.groups(value ?? "")
      case .policies: _ = try MergeItems(policies: value ?? "")
      case .drivers: _ = try MergeItems(drivers: value ?? "")
      default: return allows(value) ? nil : value ?? ""
      }
      return nil
    } catch { return error.item }
  }
}

extension ConfigError {
  /// Checks a setting against its rule.
  /// - Throws: `badSetting`, `badDefault`, `badIndex`.
  package static func check(_ entry: Config.Entry) throws(ConfigError) {
    if let rule = SettingRule(entry.key), let part = rule.fault(in: entry.value) {
      throw .badSetting(key: entry.key.description, value: part, rule, origin: entry.origin)
    }
    if entry.key.section == "type", entry.key.name == "default", let value = entry.value,
      !Prototypes.isValue(value, for: entry.key)
    {
      throw .badDefault(key: entry.key.description, value: value, origin: entry.origin)
    }
    guard entry.key.section == "index", entry.key.subsection != nil else { return }
    let kind: IndexDefinition.Kind? =
      switch entry.key.name {
      case "on": .values
      case "text": .text
      default: nil
      }
    if let kind, IndexDefinition(kind, entry.value ?? "") == nil {
      throw .badIndex(key: entry.key.description, value: entry.value ?? "", origin: entry.origin)
    }
  }
}
