import SeaEngine
import SeaSystem

extension Session {
  /// Opens the user's editor on a file and waits until it is closed.
  func edit(_ path: String) throws {
    let editor = ["SEA_EDITOR", "VISUAL", "EDITOR"].compactMap(host.given).first ?? "vi"
    guard host.isTerminal(0) && host.isTerminal(1) || !NoTerminal.isMeant(by: editor) else {
      throw NoTerminal(editor: editor)
    }
    // As in git, the shell splits the options of the editor's command.
    let ending = try run(
      Program(path: "/bin/sh", arguments: ["sh", "-c", "\(editor) \"$@\"", editor, path]), named: editor)
    if ending.isInterrupt { throw ProgramError.interrupted }
    guard ending == .exited(0) else { throw CommandError.programFailed(editor, ending.status) }
  }

  /// Runs a program to its end, after printing buffered output. Output of a noninteractive program may contain data of
  /// other people, so it must not control the terminal.
  /// - Parameter name: the name in messages.
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

extension NoTerminal {
  /// Editors that would wait for input forever without a terminal. Others may need none, such as a script.
  fileprivate static func isMeant(by editor: String) -> Bool {
    let word = editor.split(separator: " ").first.map(String.init) ?? ""
    let known: Set = [
      "vi", "vim", "nvim", "view", "nano", "pico", "ed", "ex", "joe", "jed", "mcedit", "micro", "ne", "hx", "helix",
      "kak", "emacs",
    ]
    return known.contains(Path.name(word))
  }
}
