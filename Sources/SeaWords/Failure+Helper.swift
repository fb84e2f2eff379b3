import SeaSystem

import enum SeaContainer.HelperFault
import enum SeaContainer.WireCode

// The rows of what helpers do, and do not.

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
