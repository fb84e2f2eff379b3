import SeaKit

extension Failure {
  static func describing(_ error: PasswordError) -> Failure {
    let ways = "use --password-file, --password-command or --password-fd"
    switch error {
    case .empty(let source): return Failure("bad-password", .denied, "\(source): the password is empty")
    case .tooLong(let source):
      return Failure("bad-password", .denied, "\(source): the password is longer than \(Context.longestPassword) bytes")
    case .notRepeated:
      return Failure("bad-password", .denied, "no passphrase was typed twice the same", hint: "run the command again")
    case .noDescriptor(let source):
      return Failure(
        "usage", .usage, "\(source) does not name an open file descriptor", hint: "open it in the shell: \(example)")
    case .badCommand(let source): return Failure("usage", .usage, "\(source) is no command, or a quote is not closed")
    case .none(.open(let place)):
      return Failure("no-key", .denied, "the password of \(place) is needed, and there is nobody to ask", hint: ways)
    case .none(.new(let place)):
      return Failure("usage", .usage, "a new password for \(place) is needed, and there is nobody to ask", hint: ways)
    }
  }

  private static let example = "sea --password-fd=3 ... 3<FILE"
}
