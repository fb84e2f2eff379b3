import SeaKit
import SeaSystem

extension Session {
  /// Opens the user's editor on a file and waits until it is closed.
  func edit(_ path: String) throws {
    let editor = ["SEA_EDITOR", "VISUAL", "EDITOR"].compactMap(host.given).first ?? "vi"
    // The shell splits an editor that has options, as it does for git.
    let ending = try run(
      Program(path: "/bin/sh", arguments: ["sh", "-c", "\(editor) \"$@\"", editor, path]), named: editor)
    if ending.isInterrupt { throw ProgramError.interrupted }
    guard ending == .exited(0) else { throw CommandError.programFailed(editor, ending.status) }
  }

  /// Runs a program to its end; what was printed before is printed first. What a program prints that has nobody to talk
  /// with may be what others wrote: it does not steer a terminal.
  /// - Parameter name: what people call it.
  func run(_ program: Program, named name: String) throws -> Launch.Ending {
    try terminal.clear()
    let relay = program.printsToError && host.isTerminal(2) ? Relay(terminal) : nil
    defer { relay?.end() }
    do {
      return try host.run(program, relay.map { relay in { relay.take($0) } })
    } catch let error as SystemError {
      throw CommandError.notStarted(name, error)
    }
  }
}
