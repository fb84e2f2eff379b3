internal import SeaEngine
internal import SeaSystem

/// What this library could not do.
///
///     do { try await database.save(bird) } catch let error as SeaError where error.code == .stale { … }
///
/// Calls that wait throw `CancellationError`, too, if their task is cancelled. Nothing else is thrown but what your own closures throw.
public struct SeaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of error it is. The words are those that the commands print, and do not change.
  public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// As `not-found`.
    public let rawValue: String

    /// Any word; those of this library are below.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The word.
    public var description: String { rawValue }

    /// A call that cannot be meant.
    public static let usage = Code(rawValue: "usage")
    /// Records disagree where they may not.
    public static let conflict = Code(rawValue: "conflict")
    /// The record is another one by now than it was written from.
    public static let stale = Code(rawValue: "stale")
    /// Several things have the name.
    public static let ambiguous = Code(rawValue: "ambiguous")
    /// Nothing has the name.
    public static let notFound = Code(rawValue: "not-found")
    /// A position that is not known any more.
    public static let expired = Code(rawValue: "expired")
    /// What lies in the database or a container is damaged.
    public static let corrupt = Code(rawValue: "corrupt")
    /// What lies in a file or container ends too early.
    public static let truncated = Code(rawValue: "truncated")
    /// Two devices have written in the name of one.
    public static let fork = Code(rawValue: "fork")
    /// The bytes of an asset are not what the records say.
    public static let badAsset = Code(rawValue: "bad-asset")
    /// Another one was writing for too long.
    public static let locked = Code(rawValue: "locked")
    /// The system does not allow it.
    public static let denied = Code(rawValue: "denied")
    /// This instance may not do that.
    public static let unauthorised = Code(rawValue: "unauthorised")
    /// The password opens nothing.
    public static let badPassword = Code(rawValue: "bad-password")
    /// A key is needed and not here.
    public static let noKey = Code(rawValue: "no-key")
    /// A folder that others could have filled.
    public static let unsafeDirectory = Code(rawValue: "unsafe-directory")
    /// Not everything has arrived yet.
    public static let partial = Code(rawValue: "partial")
    /// A bundle goes on from something that is not here.
    public static let baseMissing = Code(rawValue: "base-missing")
    /// A place does not answer, or is not there.
    public static let unreachable = Code(rawValue: "unreachable")
    /// The content of an asset is not on this device.
    public static let assetMissing = Code(rawValue: "asset-missing")
    /// There is no database.
    public static let noDatabase = Code(rawValue: "no-database")
    /// Another database, another version, another type of content.
    public static let incompatible = Code(rawValue: "incompatible")
    /// The system failed.
    public static let system = Code(rawValue: "system")
    /// Something is there already.
    public static let exists = Code(rawValue: "exists")
    /// A file became another one while it was read.
    public static let fileChanged = Code(rawValue: "file-changed")
    /// No room is left.
    public static let noSpace = Code(rawValue: "no-space")
    /// A record, a value or a name that cannot be.
    public static let badData = Code(rawValue: "bad-data")
    /// A condition or statement that cannot be understood.
    public static let badQuery = Code(rawValue: "bad-query")
    /// Something that was asked said no.
    public static let refused = Code(rawValue: "refused")
    /// A fault of this library.
    public static let bug = Code(rawValue: "bug")
    /// It was asked to stop.
    public static let interrupted = Code(rawValue: "interrupted")
  }

  /// What kind of error it is.
  public let code: Code
  /// What went wrong, in one line, for who writes the program.
  public let message: String
  /// What it is about, by names as `id` and `path`.
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

  /// The same, of a record.
  func about(_ id: String) -> SeaError { SeaError(code, message, details.merging(["id": id]) { one, _ in one }) }

  /// The same, of what lies at a path.
  func within(_ names: [String]) -> SeaError {
    guard details["path"] == nil else { return self }
    let path = names.joined(separator: ".")
    return SeaError(code, "'\(path)': \(message)", details.merging(["path": path]) { $1 })
  }
}

extension SeaError {
  /// What the layers below have found, in words; what is none of theirs, as of a closure of the program, is as it is.
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
  /// What the layers below have found, or else what was thrown by others as a fault of this library.
  init(known error: any Error) {
    switch SeaError.of(error) {
    case let error as SeaError: self = error
    default: self.init(Failure.ofLibrary(error))
    }
  }
}
