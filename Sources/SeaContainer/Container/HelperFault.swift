import SeaSystem

/// The reason of a refusal by a helper.
package enum WireCode: String, CaseIterable, Sendable {
  case notFound = "not-found"
  case exists
  case denied
  /// A later attempt may succeed.
  case busy
  /// The place is unreachable.
  case gone
  case full
  case tooLarge = "too-large"
  case unsupported
  case badRequest = "bad-request"
  case failed
}

/// A fault of a helper, or an error that it reports.
package enum HelperFault: Error, Equatable, Sendable {
  case notStarted(SystemError)
  /// The location is invalid for this scheme.
  case badPlace
  /// The helper ended too early, after or before its greeting; the status is that of a shell.
  case ended(status: Int32, greeted: Bool)
  /// The helper sent nothing for this time.
  case silent(seconds: Int)
  /// The helper has not answered within the time limit of the run.
  case late
  /// The helper has an unknown protocol version.
  case version(Int64)
  /// The helper violated the protocol.
  case unruly(String)
  /// The helper refused a request, with its reason.
  case refused(WireCode, String)

  /// Whether a later attempt may succeed.
  package var isAbsence: Bool {
    switch self {
    case .ended, .silent, .late, .refused(.gone, _), .refused(.busy, _), .refused(.notFound, _): true
    case .notStarted, .badPlace, .version, .unruly, .refused: false
    }
  }
}
