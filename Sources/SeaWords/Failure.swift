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

  /// The same, found in a larger text.
  package func within(_ message: String) -> Failure {
    var failure = Failure(kind, message, hint: hint, status: status)
    failure.details = details
    return failure
  }
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
