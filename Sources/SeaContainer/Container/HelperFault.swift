import SeaSystem

package enum WireCode: String, CaseIterable, Sendable {
  case notFound = "not-found"
  case exists
  case denied
  case busy
  case gone
  case full
  case tooLarge = "too-large"
  case unsupported
  case badRequest = "bad-request"
  case failed
}

package enum HelperFault: Error, Equatable, Sendable {
  case notStarted(SystemError)
  case badPlace
  /// The helper exited prematurely. `status` is its exit status as in a shell.
  case ended(status: Int32, greeted: Bool)
  case silent(seconds: Int)
  case late
  case version(Int64)
  case protocolViolation(String)
  case refused(WireCode, String)

  /// Whether a later attempt might succeed.
  package var isTemporary: Bool {
    switch self {
    case .ended, .silent, .late, .refused(.gone, _), .refused(.busy, _), .refused(.notFound, _): true
    case .notStarted, .badPlace, .version, .protocolViolation, .refused: false
    }
  }
}
