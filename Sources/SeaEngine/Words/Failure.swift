import SeaCore
import SeaSystem
import SeaContainer
import SeaStore

/// A row in the table of errors, with the text that the user sees. The kind and its exit status are stable; the text is
/// not.
///
/// The libraries throw errors without text. This folder has one switch for each error enum, so the compiler reports
/// missing rows.
package struct Failure: Error {
  package let kind: ErrorKind
  package let status: ExitStatus
  /// The message: in lower case, fault first, no period.
  package let message: String
  package var hint: String?
  /// Additional members of the JSON event.
  package var details: [(key: String, value: String)]
  package var numbers: [(key: String, value: Int)]
  package var lines: [String]

  package var slug: String { kind.rawValue }

  package init(
    _ kind: ErrorKind, _ message: String, hint: String? = nil, _ details: KeyValuePairs<String, String?> = [:],
    numbers: KeyValuePairs<String, Int> = [:], lines: [String] = [], status: ExitStatus? = nil
  ) {
    self.kind = kind
    self.status = status ?? kind.status
    self.message = message
    self.hint = hint
    self.details = details.compactMap { key, value in value.map { (key, $0) } }
    self.numbers = numbers.map { $0 }
    self.lines = lines
  }

  package func within(_ message: String) -> Failure {
    var failure = Failure(kind, message, hint: hint, status: status)
    failure.details = details
    return failure
  }

  package func hinting(_ hint: String) -> Failure {
    var failure = self
    failure.hint = hint
    return failure
  }
}

/// The kind of an error: a stable word for programs, with its exit status.
package enum ErrorKind: String, CaseIterable {
  case usage
  case conflict, stale
  case notConfirmed = "not-confirmed"
  case ambiguous
  case notFound = "not-found"
  case expired
  case corrupt, truncated, fork
  case badAsset = "bad-asset"
  case locked
  case denied, unauthorized
  case badPassword = "bad-password"
  case noKey = "no-key"
  case unsafeDirectory = "unsafe-directory"
  case partial
  case baseMissing = "base-missing"
  case unreachable
  case assetMissing = "asset-missing"
  case missingVolume = "missing-volume"
  case noDatabase = "no-database"
  case incompatible
  case system, exists
  case fileChanged = "file-changed"
  case noSpace = "no-space"
  case badData = "bad-data"
  case badQuery = "bad-query"
  case refused
  case bug
  case interrupted

  package var status: ExitStatus {
    switch self {
    case .usage: .usage
    case .conflict, .stale, .notConfirmed: .conflict
    case .notFound, .ambiguous, .expired: .notFound
    case .corrupt, .truncated, .fork, .badAsset: .corrupt
    case .locked: .locked
    case .denied, .badPassword, .noKey, .unauthorized, .unsafeDirectory: .denied
    case .partial, .baseMissing: .partial
    case .unreachable, .assetMissing, .missingVolume: .unreachable
    case .noDatabase: .noDatabase
    case .incompatible: .incompatible
    case .system, .exists, .fileChanged, .noSpace: .system
    case .badData, .badQuery: .badData
    case .refused: .refused
    case .bug: .bug
    case .interrupted: .interrupted
    }
  }
}

extension Failure {
  static func row(_ fault: OperationFault) -> Failure {
    let list = "to list operations, run: sea ops"
    switch fault {
    case .notFound(let text): return Failure(.notFound, "operation '\(text)' does not exist", hint: list)
    case .ambiguous(let text):
      return Failure(.ambiguous, "'\(text)' matches several operations", hint: "give more digits")
    case .nothing: return Failure(.notFound, "nothing to undo", hint: "\(list); to undo an undo, give its name")
    case .untouched(let id, let operation):
      return Failure(
        .notFound, "\(operation) did not change \(id)", hint: "to show its changes, run: sea ops --show=\(operation)",
        ["id": id, "op": operation])
    case .changedSince(let operation, let ids):
      let isOne = ids.count == 1
      return Failure(
        .stale, "\(isOne ? "\(ids[0]) has" : "\(ids.count) records have") changed since \(operation)",
        hint:
          "to see later changes, run: sea log \(Escape.shellWord(ids[0])); to restore a revision, run: sea revert RECORD@REV; "
          + "to undo other records, use --only=RECORD",
        ["op": operation, "id": isOne ? ids[0] : nil],
        lines: isOne ? [] : ids.prefix(20) + (ids.count > 20 ? ["... and \(ids.count - 20) more"] : []))
    }
  }
}

extension EntityFault {
  package func words(_ key: String) -> String {
    switch self {
    case .notEntities: "not Datastore interchange JSON: expected {\"entities\":[...]}"
    case .otherKey: "the outermost object may contain only one \"entities\" key"
    case .array: "\(key): an entity value cannot be an array"
    case .noValue: "\(key): expected string, integer, double, boolean, date, entity or data"
    case .unknownKey: "unknown key '\(key)' in a value"
    case .badType: "invalid type: expected text without control characters, up to 255 bytes (for an entity, 1024)"
    case .notText: "\"\(key)\" must be text"
    case .notInteger: "\"\(key)\" must be a whole number"
    case .notNumber: "\"\(key)\" must be a number"
    case .notBoolean: "\"\(key)\" must be true or false"
    case .notADate: "\(key) is not a date"
    case .datestamps: "\(key) must be a dictionary of dates, because it holds the datestamps of properties"
    }
  }

  package var hint: String? {
    switch self {
    case .notEntities: "to load other JSON, use --format=json"
    case .array, .noValue, .unknownKey: "for the format, see sea-datastore(5)"
    default: nil
    }
  }
}

extension Failure {
  /// Returns the failure for a library error. An error without a row is a bug.
  package static func ofLibrary(_ error: any Error) -> Failure {
    known(error) ?? Failure(.bug, "unexpected error: \(String(describing: error))", hint: defect)
  }

  /// Returns the failure for a library error; nil for any other error.
  package static func known(_ error: any Error) -> Failure? {
    switch error {
    case let failure as Failure: failure
    case let error as Stopped: error.failure
    case let error as ConfigError: row(error)
    case let error as KitError: row(error)
    case let error as TransferError: row(error)
    case let problem as Problem: row(problem)
    case let error as StoreError: row(error)
    case let error as QueryFault: row(error)
    case let error as ContainerError: row(error)
    case let error as BundleError: row(error, "the bundle")
    case let error as CoreError: row(error)
    case let error as SystemError: row(error)
    default: nil
    }
  }

  package static let defect = "this is a bug in sea; please report it with the command and this message"
  package static let roomNeeded =
    "free some space and run the command again; to remove unneeded data from this database, run: sea gc"
  /// A hint for commands that have at least one of the options `--chunk`, `--only` and `--where`.
  package static let dividing =
    "to write several transactions, use --chunk; to undo fewer records, use --only; to select fewer records, use --where"
  package static let point = "use a decimal point: 1.5"
  package static let days = "use the form 2026-08-22"
  package static let times = "use 2026-08-22T03:41:00Z, 2026-08-22, @1787370060, 3h or \"2 hours ago\""
}

extension Failure {
  package static func stillArriving(_ path: String, _ what: IncompletePart) -> Failure {
    let text =
      switch what {
      case .info: "'\(path)' is incomplete: info.json is still being copied"
      case .blocks: "'\(path)' is incomplete: its first blocks are missing"
      case .keys: "cannot open '\(path)': wrong passphrase, or its key slot has not been copied yet"
      }
    let hint = what == .blocks ? "; if it was never synced, run on the device that created it: sea sync" : ""
    return Failure(.partial, text, hint: "wait until all files are copied, then try again" + hint, ["path": path])
  }

  package static func unproven(_ place: String, _ isBundle: Bool) -> Failure {
    let hint =
      isBundle
      ? "a full bundle is missing; to write one, run on a device that has the database: sea export --full --to=DIR"
      : "if it is still being copied, wait; otherwise clone from another container"
    return Failure(
      .corrupt, "cannot verify '\(place)': the creator's first block is missing", hint: hint,
      ["path": place])
  }

  package static func namelessContainer(_ path: String) -> Failure {
    Failure(
      .incompatible,
      "'\(path)' has transactions but no info.json, so the container cannot be identified; nothing was written",
      hint: "to restore info.json, run on an instance that uses the container: sea sync", ["path": path])
  }

  package static func mismatch(
    _ name: String, _ field: KitError.ContainerField, _ text: String, _ have: String, _ want: String
  ) -> Failure {
    let other = "to clone the other database, run: sea clone LOCATION FOLDER"
    return Failure(.incompatible, text, hint: field == .database ? other : nil, ["have": have, "want": want])
  }

  package static func notAllHere(_ name: String) -> Failure {
    Failure(
      .partial, "membership changes may be missing; nothing was removed from \(name)",
      hint: "to get them, run: sea sync; to check, run: sea verify", ["container": name])
  }
}

extension Failure {
  package static func row(_ fault: HelperFault, _ place: String) -> Failure {
    func failure(_ kind: ErrorKind, _ text: String, hint: String? = nil) -> Failure {
      Failure(kind, "'\(place)': \(text)", hint: hint, ["path": place])
    }
    let again = "run the command again; finished transfers are kept"
    switch fault {
    case .notStarted(let error): return failure(.refused, "cannot start its helper: \(error.reason)")
    case .badPlace:
      return failure(
        .usage, "invalid remote location",
        hint: place.hasPrefix("ssh:") ? "use ssh://[USER@]HOST[:PORT]/PATH" : "use SCHEME:LOCATION")
    case .ended(127, false):
      return failure(.unreachable, "sea not found on the remote host", hint: "install sea there, in a folder of PATH")
    case .ended(let status, false):
      return failure(.unreachable, "its helper failed with status \(status) before the first answer")
    case .ended(let status, true):
      return failure(.unreachable, "connection lost: its helper failed with status \(status)", hint: again)
    case .silent(let seconds): return failure(.unreachable, "no answer in \(seconds) s", hint: again)
    case .late: return failure(.unreachable, "no answer within --time-limit", hint: again)
    case .version(let version): return failure(.incompatible, "its helper uses unsupported protocol version \(version)")
    case .protocolViolation(let what):
      return failure(
        .refused, "its helper violates the protocol: \(what)", hint: "to check the helper, run: sea test-helper")
    case .refused(let code, let text): return failure(code.kind, text.isEmpty ? code.words : "\(code.words): \(text)")
    }
  }
}

extension WireCode {
  fileprivate var kind: ErrorKind {
    switch self {
    case .notFound, .busy, .gone: .unreachable
    case .denied: .denied
    case .full: .noSpace
    case .exists, .tooLarge, .unsupported, .badRequest, .failed: .refused
    }
  }

  fileprivate var words: String {
    switch self {
    case .notFound: "not found"
    case .exists: "another file is in the way"
    case .denied: "permission denied"
    case .busy: "busy"
    case .gone: "unavailable"
    case .full: "no space left"
    case .tooLarge: "file too large"
    case .unsupported: "not supported by its helper"
    case .badRequest: "its helper rejected a request as invalid"
    case .failed: "its helper failed"
    }
  }
}

extension Failure {
  package static func neededForConflicts(_ ids: [String]) -> Failure {
    let one = ids.count == 1 ? ids.first : nil
    return Failure(
      .conflict, one.map { "\($0) is in conflict" } ?? "\(Count(ids.count, "record")) are in conflict",
      hint: "to list the conflicts, run: sea conflicts; resolve them before you purge",
      lines: one == nil ? Array(ids.prefix(20)) : [])
  }

  package static func row(_ problem: Problem) -> Failure {
    let kind: ErrorKind =
      switch problem.code {
      case .truncated, .incomplete: .truncated
      case .fork: .fork
      default: .corrupt
      }
    return Failure(
      kind, text(problem, block: problem.chainText.map { $0 + indexSuffix(of: problem) }),
      ["problem": problem.code.rawValue])
  }

  package static func indexSuffix(of problem: Problem) -> String { problem.index.map { "/\($0)" } ?? "" }

  package static func text(_ problem: Problem, block: String?, withPlace: Bool = true) -> String {
    let place = problem.place.isEmpty || !withPlace ? "" : "\(problem.place): "
    let kind = problem.isAsset ? "asset" : problem.index == nil ? "chain" : "block"
    let subject = block.map { "\(kind) \($0) " } ?? ""
    let rest = problem.isStored && problem.isWrong ? "; stored and forwarded, but not applied" : ""
    return place + subject + predicate(problem) + rest
  }

  /// - Parameter order: the block that contains the invalid purge order; may be empty.
  private static func removal(_ order: String) -> String {
    order.isEmpty
      ? "was purged without a valid purge order; waiting for a complete copy"
      : "was purged by an invalid purge order (block \(order)); waiting for a complete copy or a valid purge order"
  }

  /// Describes a problem as a predicate, without its subject.
  package static func predicate(_ problem: Problem) -> String {
    let detail = problem.detail
    switch problem.code {
    case .badMagic: return "does not begin with a block header"
    case .badMode: return "has an unknown mode"
    case .badSize: return "has a wrong size"
    case .badIndex: return "has the wrong index"
    case .badLamport:
      return problem.isStored
        ? "and later blocks have a clock that does not follow from the blocks that they name"
        : "has a clock that does not follow from earlier blocks"
    case .badPrevious: return "does not follow the block before it"
    case .badData: return "does not match its checksum"
    case .badSignature: return "is not signed by its instance"
    case .badKey: return "announces a key that does not match its instance"
    case .badPayload: return "has contents that violate the format"
    case .badDepth: return "record \(detail) has a revision whose depth does not follow from its parent"
    case .badTag: return "cannot be decrypted with its key"
    case .badRemoval: return removal(detail)
    case .truncated: return detail.isEmpty ? "is truncated" : "is truncated: \(detail)"
    case .incomplete where problem.possiblyInvalidatedSlot != nil:
      return "\(problem.possiblyInvalidatedSlot!) is missing; a block not stored here may have removed it"
    case .incomplete where problem.instance == nil && detail.hasSuffix("/"):
      return "\(detail) lost files"
    case .incomplete where problem.instance == nil: return "\(detail) is incomplete: only a placeholder exists"
    case .incomplete: return detail.isEmpty ? "is incomplete" : "is incomplete: \(detail)"
    case .gap where problem.wasThere: return "was lost or damaged"
    case .gap where problem.instance == nil:
      return "\(Count(Int(detail) ?? 0, "key slot")) \(detail == "1" ? "was" : "were") lost or damaged"
    case .gap where detail == Problem.placeholder: return "is missing; only a placeholder exists"
    case .gap: return detail.isEmpty ? "is missing" : "is missing, but \(detail)"
    case .fork:
      return detail.isEmpty
        ? "differs from the block stored here" : "is on a fork branch of its instance; both branches are used"
    case .mended where detail == Problem.extra: return "had an unexpected file, which was quarantined"
    case .mended:
      return detail.isEmpty
        ? "was damaged; it was repaired and the damaged file quarantined"
        : "\(detail) was lost or damaged; it was restored"
    case .inTheWay:
      return "cannot be written: an invalid file in its place cannot be moved: \(detail)"
    case .rolledBack: return "was lost by the container: \(detail)"
    case .withheld:
      return
        (problem.place.isEmpty
        ? "is known to others, but missing from all containers" : "is missing, also from this database")
        + (detail.isEmpty ? "" : "; the last block here is \(detail)")
    case .foreignFile where problem.isOfBundles:
      return "ignored \"\(detail)\": it was written by sea export and is not part of the container"
    case .foreignFile: return "ignored \"\(detail)\""
    case .badSlot: return "ignored \"\(detail)\": it is not a key slot"
    case .crowded:
      return "\(Count(Int(detail) ?? 0, "file")) from non-members in its folder keys hide key slots; to remove them, "
        + "run: sea containers --drop-held=\(Escape.shellWord(problem.place))"
    case .badRounds: return "ignored \"\(detail)\": its number of rounds is not allowed"
    case .notReadable: return "requires a newer version of sea; stored and forwarded"
    case .noKey where problem.isUnreadRemoval:
      return "was purged; cannot check the purge order: key not available yet"
    case .noKey where problem.isUnvouched:
      return "is encrypted with an unverified key; stored and forwarded, but not applied"
    case .noKey: return "cannot be decrypted: key not available yet; stored and forwarded"
    case .unauthorized: return "is ignored: its author is not authorized to write it (\(detail) in total)"
    case .missingAsset: return detail.isEmpty ? "is missing" : "was lost"
    case .badAsset:
      switch detail {
      case "size": return "does not have the size given in the records"
      case "sha256": return "does not match its SHA-256"
      case "pieces": return "does not match the digest of its pieces"
      case "list": return "is not the right list of pieces; the content is intact"
      case "seal": return "cannot be decrypted with its key"
      case "reference": return "does not match the records"
      default: return AssetRanges.words(detail) ?? "cannot be read: \(detail)"
      }
    case .notPurged: return "is not purged yet: \(detail)"
    case .tooMuchWork:
      return detail.isEmpty
        ? "not all conflicts were merged in this run; to continue, run: sea sync"
        : "record \(detail) was not merged automatically because it is too large; to merge it, run: sea resolve"
    case .projection: return "the local index differs from the chains" + (detail.isEmpty ? "" : ": \(detail)")
    }
  }
}

extension Failure {
  package static func row(_ error: ConfigError) -> Failure {
    switch error {
    case .badFile(let path, let line, let fault):
      return Failure(
        .badData, "\(path):\(line): \(fault.words)",
        hint: "to correct the file, run: sea config edit; see sea-config(5)",
        ["file": path], numbers: ["line": line])
    case .badKey(let text):
      let similar = SettingKind.likeliest(for: text).map { "did you mean: \($0)" }
      return Failure(.usage, "invalid setting name '\(text)'", hint: similar ?? "use SECTION.NAME")
    case .unknown(let name, let similar):
      let hint = similar.map { "did you mean: \($0)" } ?? "to list settings, run: sea config list --describe"
      return Failure(
        .usage, "unknown setting '\(name)'", hint: "\(hint); to set it anyway, use --force",
        ["name": name])
    case .badValue(let key, let value, let type, let origin):
      return Failure(.badData, "\(origin.words): \(key): '\(value)' is not a \(type.rawValue)", ["name": key])
    case .badSetting(let key, let value, let rule, let origin):
      return Failure(
        .badData, "\(origin.words): \(key): '\(value)' is not \(rule.words)",
        hint: rule.choice(meantBy: value).map { "did you mean '\($0)'?" } ?? "see sea-config(5)",
        ["name": key])
    case .unstorable(let key): return Failure(.badData, "\(key): a value with control characters cannot be stored")
    case .severalValues(let key, let count, let path):
      return Failure(
        .ambiguous, "\(path): \(key) has \(count) values",
        hint: "to add a value, use --add; to remove all values, run: sea config unset --all KEY")
    case .missingVariable(let name): return Failure(.usage, "environment variable \(name) is not set")
    case .badCount(let text): return Failure(.usage, "SEA_CONFIG_COUNT: '\(text)' is not a number up to 65535")
    case .noFile(.global):
      return Failure(.usage, "no global configuration file: HOME is not set", hint: "set HOME or SEA_CONFIG_GLOBAL")
    case .noFile(.system): return Failure(.usage, "no system configuration file: SEA_CONFIG_NOSYSTEM is set")
    case .noFile(.shared):
      return Failure(
        .usage, "shared settings are not stored in a file", hint: "to list them, run: sea config list --shared")
    case .noFile(let scope): return Failure(.usage, "cannot write the \(scope.rawValue) layer")
    case .notShareable(let key):
      return Failure(.denied, "\(key) cannot be shared", hint: "to set it, use --global or --local")
    case .valueNotShareable(let key, let value):
      let rule = key.hasPrefix("type.") ? ConfigKey(key).flatMap { SettingRule($0) } : nil
      return Failure(
        .badData, "\(key): '\(value)' cannot be shared",
        hint: rule.map { "use \($0.words); see sea-config(5)" }
          ?? "for values that can be shared, see sea-conflicts(7)",
        ["name": key])
    case .badDefault(let key, let value, let origin):
      return Failure(
        .badData, "\(origin.words): \(key): invalid JSON after ':=' in '\(value)'", hint: "see sea-config(5)",
        ["name": key]
      )
    case .notADefault(let key):
      return Failure(
        .badData, "\(key) has no effect",
        hint: "to set a property's default, use \(key.defaultName); for rules, see sea-config(5)", ["name": key])
    case .badIndex(let key, let value, let origin):
      return Failure(
        .badData, "\(origin.words): \(key): invalid index '\(value)'", hint: "see sea-reindex(1)", ["name": key])
    case .noIndex(let name):
      return Failure(.notFound, "index '\(name)' does not exist", hint: "to list indexes, run: sea reindex --list")
    case .otherIndex(let name, let isShared):
      return Failure(
        .notFound, "index '\(name)' is \(isShared ? "shared by all instances" : "local to this instance")",
        hint: "to remove it, run: sea reindex --remove=\(Escape.shellWord(name))\(isShared ? " --shared" : "")")
    case .tooManyIndexes(let most, let isShared):
      return Failure(
        .badData, "too many \(isShared ? "shared" : "local") indexes (limit: \(most))",
        hint: isShared ? "to remove one, run: sea reindex --remove=NAME --shared" : nil)
    case .tooLong(let key, let limit):
      return Failure(.badData, "\(key): a shared setting can have at most \(limit) bytes")
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
    case .badName: "invalid setting name"
    case .nameOutsideSection: "setting before the first section header"
    case .badEscape: "unknown escape (for a backslash, write \\\\)"
    case .openQuote: "a quote is not closed"
    case .notUTF8: "the file is not UTF-8"
    case .tooLarge: "the file is larger than 1 MiB"
    }
  }
}

extension SettingRule {
  package var words: String {
    let duration = "a duration: seconds, or a number followed by s, m, h, d or w"
    switch self {
    case .bool: return "true or false"
    case .size: return "a size: bytes, or a number followed by K, M, G or T"
    case .duration: return duration
    case .durationOrForever: return duration + "; or forever"
    case .integer(let least, let most?): return "a number from \(least) to \(most)"
    case .integer(let least, nil): return "a number, \(least) or more"
    case .oneOf(let words, _): return "one of " + words.joined(separator: ", ")
    case .color: return "a color, such as red, brightblue, 208, #ff8000, bold green"
    case .groups: return "a group of paths, such as /lat,/lon"
    case .policies: return "POLICY or PATH=POLICY, with one of " + MergeSettings.policies.joined(separator: ", ")
    case .drivers: return "DRIVER or PATH=DRIVER"
    case .text: return "any text"
    case .words: return "a command, with every quote closed"
    case .path: return "a path"
    case .assets: return "all, none, or KEY=VALUE,... of max-size, min-size, mime, type"
    case .index: return "TYPE:PATH[,PATH]..."
    case .value: return "text, or JSON after ':='"
    case .rule(.required), .rule(.unique): return "true or false"
    case .rule(.type): return "one of " + choices.joined(separator: ", ")
    case .rule(.minimum), .rule(.maximum): return "a number, a day such as 2026-03-01, or a date"
    case .rule(.enum): return "a JSON array of values, such as [\"male\",\"female\"]"
    case .rule(.pattern): return "a regular expression of at most \(TypeRule.mostPattern) bytes, see sea-query(7)"
    }
  }
}

extension String {
  /// The setting that was probably meant by a name such as `type.bird.default.status`.
  package var defaultName: String {
    let parts = dropFirst("type.".utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let word = parts.firstIndex(where: { $0.lowercased() == "default" }), word > 0 else {
      return "type.TYPE/PROPERTY.default"
    }
    return "type.\(parts[0])/\(parts[word == 1 ? 2 : 1]).default"
  }
}
