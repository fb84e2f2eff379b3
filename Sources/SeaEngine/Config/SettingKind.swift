/// A setting that this program supports, or a family of settings whose names contain a part chosen by the user.
package struct SettingKind: Sendable, Equatable {
  package enum Middle: String, Sendable {
    case name = "NAME"
    /// A type, or nothing for all records.
    case type = "TYPE"
    case property = "TYPE/PROPERTY"
  }

  package let section: String
  package let middle: Middle?
  /// The name as displayed; comparisons ignore case.
  package let name: String
  package let rule: SettingRule

  private init(_ pattern: String, _ rule: SettingRule) {
    let parts = pattern.split(separator: ".").map(String.init)
    section = parts[0]
    middle = parts.count > 2 ? Middle(rawValue: parts[1]) : nil
    name = parts[parts.count - 1]
    self.rule = rule
  }

  package var pattern: String { middle.map { "\(section).\($0.rawValue).\(name)" } ?? "\(section).\(name)" }

  package static let all: [SettingKind] =
    [
      SettingKind("assets.minCopies", .integer(least: 1, most: nil)),
      SettingKind("color.ui", .oneOf(["auto", "always", "never"], orEmpty: false)),
    ] + ColorSlot.allCases.map { SettingKind($0.setting, .color) } + [
      SettingKind("container.NAME.assets", .assets), SettingKind("container.NAME.auto", .bool),
      SettingKind("container.NAME.location", .text), SettingKind("container.NAME.readOnly", .bool),
      SettingKind("core.abbrev", .integer(least: 4, most: 64)), SettingKind("core.compress", .bool),
      SettingKind("core.lockWait", .durationOrForever), SettingKind("core.maxDataSize", .size),
      SettingKind("core.oldKey", .bool), SettingKind("core.pager", .text),
      SettingKind("driver.NAME.command", .words),
      SettingKind("driver.NAME.scope", .oneOf(["record", "property"], orEmpty: true)),
      SettingKind("hook.timeout", .duration), SettingKind("import.maxSize", .size),
      SettingKind("index.NAME.on", .index), SettingKind("index.NAME.text", .index),
      SettingKind("init.encrypt", .bool), SettingKind("merge.TYPE.atomic", .groups),
      SettingKind(
        "merge.auto", .oneOf([MergeSettings.Automatic.off, .clean, .drivers].map(\.rawValue), orEmpty: false)),
      SettingKind("merge.TYPE.driver", .drivers), SettingKind("merge.TYPE.policy", .policies),
      SettingKind("merge.tool", .text), SettingKind("password.command", .words),
      SettingKind("safe.directory", .path),
      SettingKind(
        "sync.jobs", .integer(least: SettingRule.parallel.lowerBound, most: SettingRule.parallel.upperBound)),
      SettingKind("sync.patience", .duration),
      SettingKind("tool.NAME.command", .text), SettingKind("type.TYPE/PROPERTY.default", .value),
      SettingKind("watch.interval", .duration),
    ] + TypeRule.Word.allCases.map { SettingKind("type.TYPE/PROPERTY.\($0.rawValue)", .rule($0)) }

  package static func of(_ key: ConfigKey) -> SettingKind? {
    all.first { kind in
      guard kind.section == key.section, kind.name.lowercased() == key.name else { return false }
      switch kind.middle {
      case nil: return key.subsection == nil
      case .name: return key.subsection != nil
      case .type: return true
      case .property: return Prototypes.isName(key)
      }
    }
  }
}
