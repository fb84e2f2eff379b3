internal import SeaEngine
internal import SeaSystem

/// An error of this library.
///
///     do { try await database.save(bird) } catch let error as SeaError where error.code == .stale { … }
///
/// Apart from `SeaError`, calls throw only `CancellationError` and the errors of your own closures.
public struct SeaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error, as a word that the commands also print. Words never change from release to release.
  public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The word, such as `not-found`.
    public let rawValue: String

    /// Creates a code from any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The word.
    public var description: String { rawValue }

    /// The call is invalid.
    public static let usage = Code(rawValue: "usage")
    /// Records are in conflict where that is not allowed.
    public static let conflict = Code(rawValue: "conflict")
    /// The record has changed since it was read.
    public static let stale = Code(rawValue: "stale")
    /// A name matches several objects.
    public static let ambiguous = Code(rawValue: "ambiguous")
    /// No object has this name.
    public static let notFound = Code(rawValue: "not-found")
    /// The position is no longer known.
    public static let expired = Code(rawValue: "expired")
    /// Data in the database or a container is damaged.
    public static let corrupt = Code(rawValue: "corrupt")
    /// Data in a file or container ends prematurely.
    public static let truncated = Code(rawValue: "truncated")
    /// Two devices have written as the same instance.
    public static let fork = Code(rawValue: "fork")
    /// The content of an asset does not match the record.
    public static let badAsset = Code(rawValue: "bad-asset")
    /// Another process held the write lock for too long.
    public static let locked = Code(rawValue: "locked")
    /// The system denied permission.
    public static let denied = Code(rawValue: "denied")
    /// This instance is not authorized for the operation.
    public static let unauthorized = Code(rawValue: "unauthorized")
    /// The password is wrong.
    public static let badPassword = Code(rawValue: "bad-password")
    /// A required key is missing.
    public static let noKey = Code(rawValue: "no-key")
    /// The folder cannot be trusted, because others may have created the database in it.
    public static let unsafeDirectory = Code(rawValue: "unsafe-directory")
    /// Some data has not arrived yet.
    public static let partial = Code(rawValue: "partial")
    /// Earlier blocks that a bundle requires are missing.
    public static let baseMissing = Code(rawValue: "base-missing")
    /// A location is unavailable.
    public static let unreachable = Code(rawValue: "unreachable")
    /// The content of an asset is not on this device.
    public static let assetMissing = Code(rawValue: "asset-missing")
    /// There is no database.
    public static let noDatabase = Code(rawValue: "no-database")
    /// The database, the version or the content type does not match.
    public static let incompatible = Code(rawValue: "incompatible")
    /// A system call failed.
    public static let system = Code(rawValue: "system")
    /// The object already exists.
    public static let exists = Code(rawValue: "exists")
    /// A file changed while it was being read.
    public static let fileChanged = Code(rawValue: "file-changed")
    /// The storage is full.
    public static let noSpace = Code(rawValue: "no-space")
    /// A record, a value or a name is invalid.
    public static let badData = Code(rawValue: "bad-data")
    /// A condition or statement is invalid.
    public static let badQuery = Code(rawValue: "bad-query")
    /// The request was refused: by a server or program, or because it would lose data.
    public static let refused = Code(rawValue: "refused")
    /// There is a bug in this library.
    public static let bug = Code(rawValue: "bug")
    /// The operation was stopped.
    public static let interrupted = Code(rawValue: "interrupted")
  }

  /// The kind of the error.
  public let code: Code
  /// The description of the error in one line, for developers.
  public let message: String
  /// The objects that the error concerns, keyed by names such as `id` and `path`.
  public let details: [String: String]

  init(_ code: Code, _ message: String, _ details: [String: String] = [:]) {
    (self.code, self.message, self.details) = (code, message, details)
  }

  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}

extension SeaError {
  static func badProperty(_ id: String, _ path: String, _ what: String) -> SeaError {
    SeaError(.badData, "record '\(id)': '\(path)' \(what)", ["id": id, "path": path])
  }

  func about(_ id: String) -> SeaError { SeaError(code, message, details.merging(["id": id]) { one, _ in one }) }

  func within(_ names: [String]) -> SeaError {
    guard details["path"] == nil else { return self }
    let path = names.joined(separator: ".")
    return SeaError(code, "'\(path)': \(message)", details.merging(["path": path]) { $1 })
  }
}

extension SeaError {
  /// Converts errors from lower layers. Other errors, such as those thrown by closures, are returned unchanged.
  static func of(_ error: any Error) -> any Error {
    switch error {
    case is SeaError, is CancellationError: error
    case is Stopped: CancellationError()
    default: Failure.known(error).map { SeaError($0) } ?? error
    }
  }

  init(_ error: SystemError) { self.init(Failure.ofLibrary(error)) }

  private init(_ failure: Failure) {
    let details = Dictionary(failure.details.map { ($0, $1) }, uniquingKeysWith: { one, _ in one })
    self.init(
      Code(rawValue: failure.slug), ([failure.message] + failure.lines).joined(separator: "; "), details)
  }
}

extension SeaError {
  /// Converts an error from a lower layer, and reports any other error as a bug.
  init(known error: any Error) {
    switch SeaError.of(error) {
    case let error as SeaError: self = error
    default: self.init(Failure.ofLibrary(error))
    }
  }
}
