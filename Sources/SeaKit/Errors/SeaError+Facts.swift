internal import SeaEngine
internal import SeaSystem
internal import SeaWords

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
