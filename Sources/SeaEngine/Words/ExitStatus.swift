/// The exit status of a command, as listed in sea-cli(7). An unknown non-zero status is a failure.
package struct ExitStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let success = ExitStatus(rawValue: 0)
  /// The answer "no": no match, differs, not set. This status is not an error, so nothing is printed on standard error.
  package static let no = ExitStatus(rawValue: 1)
  package static let usage = ExitStatus(rawValue: 2)
  package static let conflict = ExitStatus(rawValue: 3)
  package static let notFound = ExitStatus(rawValue: 4)
  package static let corrupt = ExitStatus(rawValue: 5)
  package static let locked = ExitStatus(rawValue: 6)
  package static let denied = ExitStatus(rawValue: 7)
  package static let partial = ExitStatus(rawValue: 8)
  package static let unreachable = ExitStatus(rawValue: 9)
  package static let noDatabase = ExitStatus(rawValue: 10)
  package static let incompatible = ExitStatus(rawValue: 11)
  package static let system = ExitStatus(rawValue: 12)
  package static let badData = ExitStatus(rawValue: 13)
  package static let refused = ExitStatus(rawValue: 14)
  package static let bug = ExitStatus(rawValue: 70)
  /// A program could not be executed (126) or was not found (127), with the same statuses as in a shell.
  package static let notExecutable = ExitStatus(rawValue: 126)
  package static let vanished = ExitStatus(rawValue: 127)
  /// The program that reads standard output has exited. Shells report the same status for SIGPIPE.
  package static let brokenPipe = ExitStatus(rawValue: 141)
  package static let interrupted = ExitStatus(rawValue: 130)

  private static let precedence: [ExitStatus] = [
    .bug, .system, .corrupt, .denied, .incompatible, .refused, .badData, .locked, .conflict, .notFound, .unreachable,
    .partial, .no, .success,
  ]

  private var rank: Int {
    if rawValue > 128 { return -1 }
    return ExitStatus.precedence.firstIndex(of: self) ?? 0
  }

  package func and(_ other: ExitStatus) -> ExitStatus { other.rank < rank ? other : self }
}
