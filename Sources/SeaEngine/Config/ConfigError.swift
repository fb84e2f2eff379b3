import SeaSystem

package enum ConfigError: Error, Equatable {
  package enum FileFault: Sendable {
    case badHeader, badName, nameOutsideSection, badEscape, openQuote, notUTF8, tooLarge
  }

  /// A file that violates the syntax of sea-config(5) at a line; the first line is 1.
  case badFile(path: String, line: Int, FileFault)
  case badKey(String)
  /// An unknown setting, and the name of the known setting that was probably meant.
  case unknown(String, similar: String?)
  case badValue(key: String, value: String, type: ConfigType, origin: ConfigOrigin)
  /// An invalid value, or the invalid item of a list.
  case badSetting(key: String, value: String, SettingRule, origin: ConfigOrigin)
  /// A value with control characters that a file cannot store.
  case unstorable(key: String)
  /// An attempt to change one value of a setting that has several values.
  case severalValues(key: String, count: Int, path: String)
  /// A missing environment variable that `--config-env` or `SEA_CONFIG_COUNT` refers to.
  case missingVariable(String)
  case badCount(String)
  /// A layer without a file, because there is no home folder or no database.
  case noFile(ConfigScope)
  case notShareable(String)
  /// A value of `merge.*` that is invalid, or that would give different results on different instances.
  case valueNotShareable(key: String, value: String)
  case badDefault(key: String, value: String, origin: ConfigOrigin)
  case notADefault(String)
  case badIndex(key: String, value: String, origin: ConfigOrigin)
  case tooManyIndexes(most: Int, isShared: Bool)
  /// An unknown index name. `otherIndex`: the index exists, but it is shared instead of private, or vice versa.
  case noIndex(String)
  case otherIndex(String, isShared: Bool)
  case tooLong(key: String, limit: Int)
}

package enum ConfigScope: String, Comparable, CaseIterable, Sendable {
  case builtin, system, global, shared, local, environment, command

  package static func < (a: ConfigScope, b: ConfigScope) -> Bool {
    allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
  }
}

package struct ConfigOrigin: Equatable, Sendable {
  package let scope: ConfigScope
  package let path: String?
  package let line: Int?

  package init(_ scope: ConfigScope, path: String? = nil, line: Int? = nil) {
    self.scope = scope
    self.path = path
    self.line = line
  }
}
