/// One row of the table of errors: what a user is told. The kind and its status are stable, the words are not.
///
/// The libraries throw facts; they become words in the rows of this folder, and nowhere else. There is a switch for each
/// enum of errors, so that the compiler misses a row for a new case.
package struct Failure: Error {
  package let kind: ErrorKind
  package let status: ExitStatus
  /// What went wrong first, lower case, no full stop.
  package let message: String
  package var hint: String?
  /// More keys of the JSON event.
  package var details: [(key: String, value: String)]
  package var numbers: [(key: String, value: Int)]
  /// Further lines of the message, shown indented.
  package var lines: [String]

  package var slug: String { kind.rawValue }

  init(
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

  /// Where to read on when a command line is wrong and nothing better can be said.
  private func usage(_ terminal: Terminal) -> String? {
    guard kind == .usage, let command = terminal.command else { return nil }
    return "how it is called, says: sea \(command.name) -h"
  }

  /// The same, found in a larger text.
  func within(_ message: String) -> Failure {
    var failure = Failure(kind, message, hint: hint, status: status)
    failure.details = details
    return failure
  }

  /// Tells the error on standard error, as text or as an event.
  func tell(_ terminal: Terminal) {
    let hint = terminal.givesHints ? Hint.fitting(hint, terminal.command) ?? usage(terminal) : nil
    guard terminal.options.json else {
      terminal.say("sea: error[\(slug)]: \(Escape.shown(message))")
      for line in lines { terminal.say("  \(Escape.shown(line))") }
      if let hint { terminal.say("hint: \(Escape.shown(hint))") }
      return
    }
    var item = Item(event: "error", ["code": .text(slug), "exit": .integer(status.rawValue)])
    for (key, value) in details { item[key] = .text(value) }
    for (key, value) in numbers { item[key] = .integer(value) }
    item.add(["message": .text(message), "lines": lines.isEmpty ? .absent : .texts(lines), "hint": .text(hint)])
    terminal.say(item)
  }
}

extension Terminal {
  /// What is wrong, and does not stop the command.
  func warn(_ failure: Failure) { warning(failure.slug, failure.message, hint: failure.hint) }
}

/// What kind of error it is: the word that programs go by, and the status that goes with it.
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
  case denied, unauthorised
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
    case .denied, .badPassword, .noKey, .unauthorised, .unsafeDirectory: .denied
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
