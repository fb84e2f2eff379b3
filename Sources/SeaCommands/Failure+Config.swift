import SeaKit

extension Failure {
  static func describing(_ error: ConfigError) -> Failure {
    switch error {
    case .badFile(let path, let line, let fault):
      var failure = Failure(
        "bad-data", .badData, "\(path):\(line): \(words(fault))", hint: "mend it with a text editor: see sea-config(5)",
        details: [("file", path)])
      failure.numbers = [("line", line)]
      return failure
    case .badKey(let text):
      return Failure("usage", .usage, "'\(text)' is not the name of a setting", hint: "write SECTION.NAME")
    case .badValue(let key, let value, let type, let origin):
      return Failure(
        "bad-data", .badData, "\(place(origin)): \(key): '\(value)' is not a \(type.rawValue)", details: [("name", key)]
      )
    case .unstorable(let key):
      return Failure("bad-data", .badData, "\(key): a value with control characters cannot be stored")
    case .severalValues(let key, let count, let path):
      return Failure(
        "ambiguous", .notFound, "\(path): \(key) has \(count) values",
        hint: "use --add to add one, unset --all to start anew")
    case .missingVariable(let name): return Failure("usage", .usage, "environment variable \(name) is not set")
    case .badCount(let text): return Failure("usage", .usage, "SEA_CONFIG_COUNT: '\(text)' is not a number up to 65535")
    case .noFile(.global):
      return Failure(
        "usage", .usage, "there is no global configuration file without HOME", hint: "set SEA_CONFIG_GLOBAL")
    case .noFile(.system):
      return Failure("usage", .usage, "there is no system configuration file under SEA_CONFIG_NOSYSTEM")
    case .noFile(.shared):
      return Failure(
        "usage", .usage, "the shared settings have no file", hint: "see them with: sea config list --shared")
    case .noFile(let scope): return Failure("usage", .usage, "the \(scope.rawValue) layer cannot be written here")
    case .notShareable(let key):
      return Failure("denied", .denied, "\(key) may not be shared", hint: "set it with --global or --local")
    case .valueNotShareable(let key, let value):
      return Failure(
        "bad-data", .badData, "\(key): '\(value)' may not be shared",
        hint: "what all instances can share is in sea-conflicts(7)", details: [("name", key)])
    case .badMerge(let key, let value, let origin):
      return Failure(
        "bad-data", .badData, "\(place(origin)): \(key): '\(value)' is nothing to merge by",
        hint: "see sea-conflicts(7)", details: [("name", key)])
    case .tooLong(let key, let limit):
      return Failure("bad-data", .badData, "\(key): a shared setting has at most \(limit) bytes")
    }
  }

  private static func place(_ origin: ConfigOrigin) -> String {
    if let path = origin.path { return origin.line.map { "\(path):\($0)" } ?? path }
    switch origin.scope {
    case .command: return "command line"
    case .environment: return "SEA_CONFIG_COUNT"
    case .shared: return "shared settings"
    default: return origin.scope.rawValue
    }
  }

  private static func words(_ fault: ConfigError.FileFault) -> String {
    switch fault {
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
