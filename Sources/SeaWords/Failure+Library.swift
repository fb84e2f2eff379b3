import SeaCore
import SeaEngine
import SeaSystem

import enum SeaContainer.BundleError
import enum SeaContainer.ContainerError
import enum SeaStore.QueryFault
import enum SeaStore.StoreError

extension Failure {
  /// The row of an error that the libraries throw. One that has none is a bug of theirs.
  package static func ofLibrary(_ error: any Error) -> Failure {
    known(error) ?? Failure(.bug, "unexpected error: \(String(describing: error))", hint: defect)
  }

  /// The row of an error that the libraries throw; nil of any other.
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
  /// Each command has one of these.
  package static let dividing =
    "divide them with: --chunk; take back fewer with: --only; take a narrower condition with: --where"
  package static let point = "a number has a point: 1.5"
  package static let times = "write 2026-08-22T03:41:00Z, 2026-08-22, @1787370060, 3h or \"2 hours ago\""
}
