import SeaCore
import SeaSystem
import SeaContainer
import SeaStore

/// One row of the table of errors: the text for the user. The kind and its status are stable, the text is not.
///
/// The libraries throw errors without text; only the rows in this folder have text. There is a switch for each enum of
/// errors, so the compiler reports a missing row.
package struct Failure: Error {
  package let kind: ErrorKind
  package let status: ExitStatus
  /// The message: lower case, the fault first, no period.
  package let message: String
  package var hint: String?
  /// More keys of the JSON event.
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

  /// Returns the same failure with the message of a larger context.
  package func within(_ message: String) -> Failure {
    var failure = Failure(kind, message, hint: hint, status: status)
    failure.details = details
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
    let list = "see what there is: sea ops"
    switch fault {
    case .notFound(let text): return Failure(.notFound, "there is no operation '\(text)'", hint: list)
    case .ambiguous(let text):
      return Failure(.ambiguous, "'\(text)' means several operations", hint: "give more digits")
    case .nothing: return Failure(.notFound, "there is nothing to undo", hint: "\(list); an undo is undone by its name")
    case .untouched(let id, let operation):
      return Failure(
        .notFound, "\(operation) did nothing to \(id)", hint: "see what it did: sea ops --show=\(operation)",
        ["id": id, "op": operation])
    case .changedSince(let operation, let ids):
      let isOne = ids.count == 1
      return Failure(
        .stale, "\(isOne ? "\(ids[0]) has" : "\(ids.count) records have") changed since \(operation)",
        hint: "see: sea log \(Escape.shellWord(ids[0])); by hand: sea revert RECORD@REV; "
          + "of several records the others are taken back with: --only=RECORD",
        ["op": operation, "id": isOne ? ids[0] : nil],
        lines: isOne ? [] : ids.prefix(20) + (ids.count > 20 ? ["... and \(ids.count - 20) more"] : []))
    }
  }
}

extension EntityFault {
  /// - Parameter key: the name of the property or key at fault.
  package func words(_ key: String) -> String {
    switch self {
    case .notEntities: "not Datastore's interchange, which is {\"entities\":[...]}"
    case .otherKey: "only \"entities\" may stand in the outermost object, once"
    case .array: "\(key): an array is no value of an entity"
    case .noValue: "\(key): none of string, integer, double, boolean, date, entity and data"
    case .unknownKey: "a value has no key '\(key)'"
    case .badType: "the type of a value is 1 to 255 bytes of text, of an entity 1024, without control characters"
    case .notText: "\"\(key)\" must be text"
    case .notInteger: "\"\(key)\" must be a whole number"
    case .notNumber: "\"\(key)\" must be a number"
    case .notBoolean: "\"\(key)\" must be true or false"
    case .notADate: "\(key) is no date"
    case .datestamps: "\(key) is no dictionary of dates, and here the datestamps of properties would go into it"
    }
  }

  package var hint: String? {
    switch self {
    case .notEntities: "other JSON is loaded with: --format=json"
    case .array, .noValue, .unknownKey: "the forms are in sea-datastore(5)"
    default: nil
    }
  }
}

extension Failure {
  /// Returns the row of a library error. An error without a row is a bug.
  package static func ofLibrary(_ error: any Error) -> Failure {
    known(error) ?? Failure(.bug, "unexpected error: \(String(describing: error))", hint: defect)
  }

  /// Returns the row of a library error; nil for any other error.
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

  package static let defect = "this is a defect of sea; please report it with the command and this line"
  package static let roomNeeded =
    "free some space there, and run the same command again; what this database does not need is freed by: sea gc"
  /// The commands that use this text have at least one of these options.
  package static let dividing =
    "divide them with: --chunk; take back fewer with: --only; take a narrower condition with: --where"
  package static let point = "a number has a point: 1.5"
  package static let times = "write 2026-08-22T03:41:00Z, 2026-08-22, @1787370060, 3h or \"2 hours ago\""
}

extension Failure {
  package static func stillArriving(_ path: String, _ what: ArrivingPart) -> Failure {
    let text =
      switch what {
      case .info: "'\(path)' is still arriving: what it says of itself is not whole"
      case .blocks: "'\(path)' may still be arriving: the first blocks are not there yet"
      case .keys: "'\(path)' is still arriving: no slot for this passphrase is there yet, or it is wrong"
      }
    let hint = "try again when the cloud client has brought everything"
    let more =
      what == .blocks
      ? "; or nobody has synced into it yet: sea sync, where it was made; if nothing more comes, clone from another container"
      : ""
    return Failure(.partial, text, hint: hint + more, ["path": path])
  }

  package static func unproven(_ place: String, _ isBundle: Bool) -> Failure {
    let hint =
      isBundle
      ? "a bundle with everything is lacking; who has the database writes one with: sea export --full --to=DIR"
      : "if it is still arriving, wait; else clone from another container"
    return Failure(
      .corrupt, "'\(place)': nothing here proves what it is: the founder's first block is not there", hint: hint,
      ["path": place])
  }

  package static func namelessContainer(_ path: String) -> Failure {
    Failure(
      .incompatible,
      "'\(path)' has transactions and no info.json: nothing says which container it is; nothing was written",
      hint: "it is written again by a sync of an instance that knows the container: sea sync", ["path": path])
  }

  package static func mismatch(
    _ name: String, _ field: KitError.ContainerField, _ text: String, _ have: String, _ want: String
  ) -> Failure {
    let other = "two databases do not mix: one more instance of that other one is made with: sea clone LOCATION FOLDER"
    return Failure(.incompatible, text, hint: field == .database ? other : nil, ["have": have, "want": want])
  }

  package static func notAllHere(_ name: String) -> Failure {
    Failure(
      .partial, "not all is here that may say who belongs to the database; nothing was taken out of \(name)",
      hint: "see: sea sync; sea verify", ["container": name])
  }
}

// The rows for faults of helpers.

extension Failure {
  package static func row(_ fault: HelperFault, _ place: String) -> Failure {
    func failure(_ kind: ErrorKind, _ text: String, hint: String? = nil) -> Failure {
      Failure(kind, "'\(place)': \(text)", hint: hint, ["path": place])
    }
    let again = "what was exchanged is kept; run it again"
    switch fault {
    case .notStarted(let error): return failure(.refused, "its helper cannot be started: \(error.reason)")
    case .badPlace:
      return failure(
        .usage, "this is no location of a container elsewhere",
        hint: place.hasPrefix("ssh:") ? "write ssh://[USER@]HOST[:PORT]/PATH" : "it begins with SCHEME:")
    case .ended(127, false):
      return failure(.unreachable, "sea was not found there", hint: "sea has to be in PATH there")
    case .ended(let status, false):
      return failure(.unreachable, "its helper ended with status \(status) before it said anything")
    case .ended(let status, true):
      return failure(.unreachable, "the connection broke off: its helper ended with status \(status)", hint: again)
    case .silent(let seconds): return failure(.unreachable, "no answer in \(seconds) s", hint: again)
    case .late: return failure(.unreachable, "no answer within --time-limit", hint: again)
    case .version(let version): return failure(.incompatible, "its helper speaks version \(version) of the protocol")
    case .unruly(let what):
      return failure(
        .refused, "its helper does not keep to the protocol: \(what)", hint: "check it with: sea test-helper")
    case .refused(let code, let text):
      return failure(code.kind, text.isEmpty ? code.words : "\(code.words): \(text)")
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
    case .notFound: "it is not there"
    case .exists: "something is in the way"
    case .denied: "this is not allowed"
    case .busy: "it is busy"
    case .gone: "it cannot be reached"
    case .full: "no space is left"
    case .tooLarge: "a file is too large for it"
    case .unsupported: "its helper cannot do this"
    case .badRequest: "its helper did not understand a request"
    case .failed: "its helper failed"
    }
  }
}

extension Failure {
  /// Returns the row for records in conflict whose history was to be purged.
  package static func neededForConflicts(_ ids: [String]) -> Failure {
    let one = ids.count == 1 ? ids.first : nil
    return Failure(
      .conflict, one.map { "\($0) is in conflict" } ?? "\(Count(ids.count, "record")) are in conflict",
      hint: "end that first, what would go is needed for it: sea conflicts",
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
      kind, text(problem, block: problem.chainText.map { $0 + place(problem) }),
      ["problem": problem.code.rawValue])
  }

  package static func place(_ problem: Problem) -> String { problem.index.map { "/\($0)" } ?? "" }

  package static func text(_ problem: Problem, block: String?, withPlace: Bool = true) -> String {
    let place = problem.place.isEmpty || !withPlace ? "" : "\(problem.place): "
    let kind = problem.isAsset ? "asset" : problem.index == nil ? "chain" : "block"
    let subject = block.map { "\(kind) \($0) " } ?? ""
    let rest = problem.isKept && problem.isWrong ? "; it is kept and passed on, and not applied" : ""
    return place + subject + predicate(problem) + rest
  }

  /// - Parameter order: the block with an invalid purge order; may be empty.
  private static func removal(_ order: String) -> String {
    order.isEmpty
      ? "was taken out; nobody who may has ordered that; a whole copy is looked for"
      : "was taken out; the order for that, block \(order), does not count; a whole copy, or an order of who may, heals that"
  }

  /// Describes the problem, without its subject.
  package static func predicate(_ problem: Problem) -> String {
    let detail = problem.detail
    switch problem.code {
    case .badMagic: return "does not begin as a block does"
    case .badMode: return "has a mode that is not known"
    case .badSize: return "has a wrong size"
    case .badIndex: return "stands in the place of another"
    case .badLamport:
      return problem.isKept
        ? "and what is behind it have a clock that does not follow from the blocks that it names"
        : "has a clock that does not go on from those before"
    case .badPrevious: return "does not follow the block before it"
    case .badData: return "does not match its checksum"
    case .badSignature: return "is not signed by its instance"
    case .badKey: return "announces a key that is not its instance's"
    case .badPayload: return "says something that is not in the format"
    case .badDepth: return "record \(detail) has a revision whose depth does not follow from its parent"
    case .badTag: return "does not open under its key"
    case .badRemoval: return removal(detail)
    case .truncated: return detail.isEmpty ? "is cut short" : "is cut short: \(detail)"
    case .incomplete where problem.perhapsEnded != nil:
      return "\(problem.perhapsEnded!) is gone, and a block that is not known here may have ended it"
    case .incomplete where problem.instance == nil && detail.hasSuffix("/"):
      return "\(detail) lacks files that were there"
    case .incomplete where problem.instance == nil: return "\(detail) has not fully arrived yet: only a placeholder"
    case .incomplete: return detail.isEmpty ? "has not fully arrived yet" : "has not fully arrived yet: \(detail)"
    case .gap where problem.wasThere: return "is missing or not whole, and was there before"
    case .gap where problem.instance == nil:
      return "\(Count(Int(detail) ?? 0, "slot")) of keys \(detail == "1" ? "is" : "are") missing or not whole, and "
        + "\(detail == "1" ? "was" : "were") there before"
    case .gap where detail == Problem.placeholder: return "is missing: \(detail) stands for it"
    case .gap: return detail.isEmpty ? "is missing" : "is missing, while \(detail)"
    case .fork:
      return detail.isEmpty
        ? "is another one than the one known here" : "is on a second branch of its instance; both count"
    case .mended where detail == Problem.extra: return "has a file that does not belong there: it is set aside"
    case .mended:
      return detail.isEmpty
        ? "was damaged: the file is set aside, and the block written again"
        : "\(detail) was lost or damaged, and is written again"
    case .inTheWay:
      return "cannot be written: what stands in its place is no good, and cannot be moved: \(detail)"
    case .rolledBack: return "was lost by the container: \(detail)"
    case .withheld:
      return (problem.place.isEmpty ? "has been seen by others, and no container has it" : "is neither here nor in it")
        + (detail.isEmpty ? "" : "; what is here ends with block \(detail)")
    case .foreignFile where problem.isOfBundles:
      return "ignored \"\(detail)\": sea export has written it, and it is no part of the container"
    case .foreignFile: return "ignored \"\(detail)\""
    case .badSlot: return "ignored \"\(detail)\": it is no slot of a key"
    case .crowded:
      return "\(Count(Int(detail) ?? 0, "file")) in its folder keys that no member has put there are in the way of "
        + "passphrases and keys: sea containers --drop-held=\(Escape.shellWord(problem.place))"
    case .badRounds: return "ignored \"\(detail)\": it asks for fewer or more rounds than a slot may"
    case .notReadable: return "can only be read by a newer program; it is kept and passed on"
    case .noKey where problem.isUnreadRemoval:
      return "was taken out; whether that was ordered cannot be read without a key that is not here, and so it waits"
    case .noKey where problem.isUnvouched:
      return "opens under a key that nothing vouches for; it is kept and passed on, and its changes are not applied"
    case .noKey: return "is sealed under a key that is not here; it is kept and passed on"
    case .unauthorized: return "does not count: its author is not entitled to it (\(detail) in all)"
    case .missingAsset: return detail.isEmpty ? "is not there" : "was there and is gone"
    case .badAsset:
      switch detail {
      case "size": return "has another size than the records say"
      case "sha256": return "does not match its SHA-256"
      case "seal": return "does not open under its key"
      case "reference": return "cannot be what the records say"
      default: return "could not be read: \(detail)"
      }
    case .notPurged: return "is not purged yet: \(detail)"
    case .tooMuchWork:
      return detail.isEmpty
        ? "more conflicts are left: to merge all takes more work than one command may do; to go on, run: sea sync"
        : "record \(detail) is not merged: it takes more work than one command may do; to merge it, run: sea resolve"
    case .projection:
      return "what the store shows differs from what the chains say" + (detail.isEmpty ? "" : ": \(detail)")
    }
  }
}

// The rows for faults of settings.

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
  /// Describes the values that the setting allows.
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
  /// The setting that `type.bird.default.status` was probably intended to be.
  package var defaultName: String {
    let parts = dropFirst("type.".utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let word = parts.firstIndex(where: { $0.lowercased() == "default" }), word > 0 else {
      return "type.TYPE/PROPERTY.default"
    }
    return "type.\(parts[0])/\(parts[word == 1 ? 2 : 1]).default"
  }
}
