import SeaSystem

/// What is wrong with a setting or with the file it stands in.
package enum ConfigError: Error, Equatable {
  package enum FileFault: Sendable {
    case badHeader, badName, nameOutsideSection, badEscape, openQuote, notUTF8, tooLarge
  }

  /// A file that is not in the syntax of sea-config(5), and the line, from 1.
  case badFile(path: String, line: Int, FileFault)
  /// A text that is no `section.name`.
  case badKey(String)
  /// A name that no setting of this program has, and one that was probably meant.
  case unknown(String, similar: String?)
  /// A value that is not of the type that is wanted of it.
  case badValue(key: String, value: String, type: ConfigType, origin: ConfigOrigin)
  /// A value that is none of those that a setting may have.
  case badSetting(key: String, value: String, SettingRule, origin: ConfigOrigin)
  /// A value with control characters, which no file can hold.
  case unstorable(key: String)
  /// Several values where one is to be changed.
  case severalValues(key: String, count: Int, path: String)
  /// A variable that `--config-env` or `SEA_CONFIG_COUNT` promises is missing.
  case missingVariable(String)
  case badCount(String)
  /// The layer has no file: there is no home, or no database.
  case noFile(ConfigScope)
  /// A key that may not come from the shared layer.
  case notShareable(String)
  /// A value of `merge.*` that says nothing, or that would end differently on every instance.
  case valueNotShareable(key: String, value: String)
  /// A setting `merge.*` that cannot be read.
  case badMerge(key: String, value: String, origin: ConfigOrigin)
  /// A setting `type.*.default` that cannot be read.
  case badDefault(key: String, value: String, origin: ConfigOrigin)
  /// A setting `type.*` that says nothing.
  case notADefault(String)
  /// A setting `index.*` that cannot be read.
  case badIndex(key: String, value: String, origin: ConfigOrigin)
  case tooManyIndexes(most: Int, isShared: Bool)
  /// There is none of the name; or it is a shared one, or one of this instance, and the other was meant.
  case noIndex(String)
  case otherIndex(String, isShared: Bool)
  /// More bytes than a shared setting may have.
  case tooLong(key: String, limit: Int)
}

/// The layers, each stronger than the one before.
package enum ConfigScope: String, Comparable, CaseIterable, Sendable {
  case builtin, system, global, shared, local, environment, command

  package static func < (a: ConfigScope, b: ConfigScope) -> Bool {
    allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
  }
}

/// Where a value was found.
package struct ConfigOrigin: Equatable, Sendable {
  package let scope: ConfigScope
  /// The file; nil where there is none.
  package let path: String?
  package let line: Int?

  package init(_ scope: ConfigScope, path: String? = nil, line: Int? = nil) {
    self.scope = scope
    self.path = path
    self.line = line
  }
}
