import SeaEngine
import SeaSystem

enum ServeCommand: Command {
  static var title: Title { Title("serve", .sync, .porcelain, "serve a container to another sea through a pipe") }
  static var synopsis: [String] { ["--stdio [--append-only | --read-only] DIR"] }
  static let stdio = Option("stdio", help: "use standard input and standard output")
  static let appendOnly = Option("append-only", help: "accept new files only; existing files cannot be changed")
  static let readOnly = Option("read-only", help: "accept no files")
  static var options: [Option] { [stdio, appendOnly, readOnly] }
  static var operands: [Operand] { [.one("DIR", .directory)] }
  static var exits: [Exit] {
    [
      Exit(.success, "the other side has closed the connection"),
      Exit(.denied, "a key in authorized_keys is for DIR, but another folder was requested"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    _ = try arguments.only(of: [appendOnly, readOnly])
    guard arguments.has(stdio) else { throw UsageFault.needsOneOf([stdio.dashed]) }
    session.ignoresDatabase = true
    let path = try Path.absolute(session.path(arguments.operands[0]))
    if let asked = session.host.given("SSH_ORIGINAL_COMMAND") { try check(asked, path, session) }
    do {
      try Containers.serve(
        path, appendOnly: arguments.has(appendOnly), readOnly: arguments.has(readOnly), .standardInput(),
        .standardOutput())
    } catch let error as SystemError where error.isBrokenPipe {
      // The client closed the connection.
    }
    return .success
  }

  /// Checks the command that an SSH client requested. Because of a forced command, the requested one is not run, but it
  /// must name this folder.
  private static func check(_ asked: String, _ path: String, _ session: Session) throws {
    let words = CommandWords.split(asked) ?? []
    guard words.count == 4, words.dropLast() == ["sea", "serve", "--stdio"], let last = words.last, !last.hasPrefix("-")
    else { throw CommandError.notServed(asked) }
    // The client may use another path to the same folder.
    let wanted = try Path.absolute(session.path(last))
    guard wanted == path || (try? Path.real(wanted)) == (try? Path.real(path)) else {
      throw CommandError.notServed(last)
    }
  }
}
