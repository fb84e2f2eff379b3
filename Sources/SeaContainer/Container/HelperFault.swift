import SeaSystem

/// What a helper says that it could not do.
package enum WireCode: String, CaseIterable, Sendable {
  case notFound = "not-found"
  case exists
  case denied
  /// Later it may be possible.
  case busy
  /// The place itself cannot be reached.
  case gone
  case full
  case tooLarge = "too-large"
  case unsupported
  case badRequest = "bad-request"
  case failed
}

/// What is wrong with a helper, or what it could not do.
package enum HelperFault: Error, Equatable, Sendable {
  case notStarted(SystemError)
  /// The location is none that this kind of place has.
  case badPlace
  /// It ended, before it was done or before it said anything; the status is as a shell tells it.
  case ended(status: Int32, greeted: Bool)
  /// It said nothing for so many seconds.
  case silent(seconds: Int)
  /// It has not answered in the time that the whole run has.
  case late
  /// It speaks no version that is known here.
  case version(Int64)
  /// It said what the protocol does not allow.
  case unruly(String)
  /// It could not, and says why.
  case refused(WireCode, String)

  /// Whether later all may be well.
  package var isAbsence: Bool {
    switch self {
    case .ended, .silent, .late, .refused(.gone, _), .refused(.busy, _), .refused(.notFound, _): true
    case .notStarted, .badPlace, .version, .unruly, .refused: false
    }
  }
}
