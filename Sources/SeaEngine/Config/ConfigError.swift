import SeaSystem

/// A fault of a setting or of its file.
package enum ConfigError: Error, Equatable {
  package enum FileFault: Sendable {
    case badHeader, badName, nameOutsideSection, badEscape, openQuote, notUTF8, tooLarge
  }

  /// A file that violates the syntax of sea-config(5), and the line, from 1.
  case badFile(path: String, line: Int, FileFault)
  /// A text that is not of the form `section.name`.
  case badKey(String)
  /// An unknown setting, and a known one that was probably intended.
  case unknown(String, similar: String?)
  /// A value that does not have the requested type.
  case badValue(key: String, value: String, type: ConfigType, origin: ConfigOrigin)
  /// A value that the setting does not allow.
  case badSetting(key: String, value: String, SettingRule, origin: ConfigOrigin)
  /// A value with control characters, which no file can store.
  case unstorable(key: String)
  /// Several values for a setting of which one is to be changed.
  case severalValues(key: String, count: Int, path: String)
  /// The variable that `--config-env` or `SEA_CONFIG_COUNT` refers to is missing.
  case missingVariable(String)
  case badCount(String)
  /// The layer has no file, because there is no home folder or no database.
  case noFile(ConfigScope)
  /// A key that is not allowed in the shared layer.
  case notShareable(String)
  /// A value of `merge.*` that is invalid, or has a different result on every instance.
  case valueNotShareable(key: String, value: String)
  /// An invalid setting `merge.*`.
  case badMerge(key: String, value: String, origin: ConfigOrigin)
  /// An invalid setting `type.*.default`.
  case badDefault(key: String, value: String, origin: ConfigOrigin)
  /// A setting `type.*` that is not a default.
  case notADefault(String)
  /// An invalid setting `index.*`.
  case badIndex(key: String, value: String, origin: ConfigOrigin)
  case tooManyIndexes(most: Int, isShared: Bool)
  /// There is no index of this name, or only one in the other scope, shared or own.
  case noIndex(String)
  case otherIndex(String, isShared: Bool)
  /// A name or value that exceeds the limit for shared settings.
  case tooLong(key: String, limit: Int)
}

/// The layers in ascending precedence.
package enum ConfigScope: String, Comparable, CaseIterable, Sendable {
  case builtin, system, global, shared, local, environment, command

  package static func < (a: ConfigScope, b: ConfigScope) -> Bool {
    allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
  }
}

package struct ConfigOrigin: Equatable, Sendable {
  package let scope: ConfigScope
  /// The file; nil if there is no file.
  package let path: String?
  package let line: Int?

  package init(_ scope: ConfigScope, path: String? = nil, line: Int? = nil) {
    self.scope = scope
    self.path = path
    self.line = line
  }
}
