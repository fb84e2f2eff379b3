import SeaCore
import SeaEngine

// The rows of what settings have wrong.

extension Failure {
  package static func row(_ error: ConfigError) -> Failure {
    switch error {
    case .badFile(let path, let line, let fault):
      return Failure(
        .badData, "\(path):\(line): \(fault.words)", hint: "mend it with a text editor: see sea-config(5)",
        ["file": path], numbers: ["line": line])
    case .badKey(let text):
      let similar = SettingKind.likeliest(for: text).map { "did you mean: \($0)" }
      return Failure(.usage, "'\(text)' is not the name of a setting", hint: similar ?? "write SECTION.NAME")
    case .unknown(let name, let similar):
      let hint = similar.map { "did you mean: \($0)" } ?? "see them all: sea config list --describe"
      return Failure(
        .usage, "there is no setting '\(name)'", hint: "\(hint); if another version of sea has it: --force",
        ["name": name])
    case .badValue(let key, let value, let type, let origin):
      return Failure(.badData, "\(origin.words): \(key): '\(value)' is not a \(type.rawValue)", ["name": key])
    case .badSetting(let key, let value, let rule, let origin):
      return Failure(
        .badData, "\(origin.words): \(key): '\(value)' is not \(rule.words)",
        hint: rule.choice(meantBy: value).map { "did you mean '\($0)'?" } ?? "see sea-config(5)",
        ["name": key])
    case .unstorable(let key):
      return Failure(.badData, "\(key): a value with control characters cannot be stored")
    case .severalValues(let key, let count, let path):
      return Failure(
        .ambiguous, "\(path): \(key) has \(count) values", hint: "use --add to add one, unset --all to start anew")
    case .missingVariable(let name): return Failure(.usage, "environment variable \(name) is not set")
    case .badCount(let text): return Failure(.usage, "SEA_CONFIG_COUNT: '\(text)' is not a number up to 65535")
    case .noFile(.global):
      return Failure(.usage, "there is no global configuration file without HOME", hint: "set SEA_CONFIG_GLOBAL")
    case .noFile(.system): return Failure(.usage, "there is no system configuration file under SEA_CONFIG_NOSYSTEM")
    case .noFile(.shared):
      return Failure(.usage, "the shared settings have no file", hint: "see them with: sea config list --shared")
    case .noFile(let scope): return Failure(.usage, "the \(scope.rawValue) layer cannot be written here")
    case .notShareable(let key):
      return Failure(.denied, "\(key) may not be shared", hint: "set it with --global or --local")
    case .valueNotShareable(let key, let value):
      return Failure(
        .badData, "\(key): '\(value)' may not be shared",
        hint: key.hasPrefix("type.")
          ? "a default is text, or JSON behind ':=': see sea-config(5)"
          : "what all instances can share is in sea-conflicts(7)",
        ["name": key])
    case .badMerge(let key, let value, let origin):
      return Failure(
        .badData, "\(origin.words): \(key): '\(value)' is nothing to merge by", hint: "see sea-conflicts(7)",
        ["name": key])
    case .badDefault(let key, let value, let origin):
      return Failure(
        .badData, "\(origin.words): \(key): '\(value)' is no JSON behind ':='", hint: "see sea-config(5)", ["name": key]
      )
    case .notADefault(let key):
      return Failure(
        .badData, "\(key) says nothing", hint: "a default of a property is \(key.defaultName)", ["name": key])
    case .badIndex(let key, let value, let origin):
      return Failure(
        .badData, "\(origin.words): \(key): '\(value)' is no index", hint: "see sea-reindex(1)", ["name": key])
    case .noIndex(let name):
      return Failure(.notFound, "there is no index '\(name)'", hint: "see the names: sea reindex --list")
    case .otherIndex(let name, let isShared):
      return Failure(
        .notFound, "the index '\(name)' is \(isShared ? "shared by all instances" : "one of this instance alone")",
        hint: "end it with: sea reindex --remove=\(Escape.shellWord(name))\(isShared ? " --shared" : "")")
    case .tooManyIndexes(let most, let isShared):
      return Failure(
        .badData, "there are more than \(most) \(isShared ? "shared indexes" : "indexes of your own")",
        hint: isShared ? "end one first: sea reindex --remove=NAME --shared" : nil)
    case .tooLong(let key, let limit):
      return Failure(.badData, "\(key): a shared setting has at most \(limit) bytes")
    }
  }
}

extension ConfigOrigin {
  fileprivate var words: String {
    if let path { return line.map { "\(path):\($0)" } ?? path }
    switch scope {
    case .command: return "command line"
    case .environment: return "SEA_CONFIG_COUNT"
    case .shared: return "shared settings"
    default: return scope.rawValue
    }
  }
}

extension ConfigError.FileFault {
  fileprivate var words: String {
    switch self {
    case .badHeader: "not a section header ([SECTION] or [SECTION \"NAME\"])"
    case .badName: "not the name of a setting"
    case .nameOutsideSection: "a setting before the first section header"
    case .badEscape: "unknown escape (write \\\\ for a backslash)"
    case .openQuote: "a quote is not closed"
    case .notUTF8: "the file is not UTF-8"
    case .tooLarge: "the file is larger than 1 MiB"
    }
  }
}

extension SettingRule {
  /// What a value has to be, for people.
  package var words: String {
    let duration = "a duration: seconds, or a number with s, m, h, d or w behind it"
    switch self {
    case .bool: return "true or false"
    case .size: return "a size: bytes, or a number with K, M, G or T behind it"
    case .duration: return duration
    case .durationOrForever: return duration + "; or forever"
    case .integer(let least, let most?): return "a number from \(least) to \(most)"
    case .integer(let least, nil): return "a number, \(least) or more"
    case .oneOf(let words, _): return "one of " + words.joined(separator: ", ")
    case .color: return "a colour: such as red, brightblue, 208, #ff8000, bold green"
    case .groups: return "groups of paths"
    case .text: return "any text"
    case .words: return "a command, with every quote closed"
    case .path: return "a path"
    case .assets: return "all, none, or KEY=VALUE,... of max-size, min-size, mime, type"
    case .index: return "TYPE:PATH[,PATH]..."
    case .value: return "text, or JSON behind ':='"
    }
  }
}

extension String {
  /// What `type.bird.default.status` was meant to be.
  package var defaultName: String {
    let parts = dropFirst("type.".utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let word = parts.firstIndex(where: { $0.lowercased() == "default" }), word > 0 else {
      return "type.TYPE/PROPERTY.default"
    }
    return "type.\(parts[0])/\(parts[word == 1 ? 2 : 1]).default"
  }
}
