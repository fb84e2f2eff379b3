import SeaEngine
import SeaSystem

extension Session {
  func edit(_ path: String) throws {
    let editor = ["SEA_EDITOR", "VISUAL", "EDITOR"].compactMap(host.given).first ?? "vi"
    guard host.isTerminal(0) && host.isTerminal(1) || !NoTerminal.isMeant(by: editor) else {
      throw NoTerminal(editor: editor)
    }
    // As in git, the shell splits the editor command into words.
    let ending = try run(
      Program(path: "/bin/sh", arguments: ["sh", "-c", "\(editor) \"$@\"", editor, path]), named: editor)
    if ending.isInterrupt { throw ProgramError.interrupted }
    guard ending == .exited(0) else { throw CommandError.programFailed(editor, ending.status) }
  }

  /// Flushes buffered output, then runs a program until it exits. The output of a noninteractive program may contain
  /// other users' data, so it must not control the terminal.
  /// - Parameter name: the name to use in messages.
  func run(_ program: Program, named name: String) throws -> Launch.Ending {
    try terminal.clear()
    let relay = program.printsToError && host.isTerminal(2) ? Relay(terminal) : nil
    defer { relay?.end() }
    do {
      return try host.run(program, relay.map { relay in { relay.write($0) } })
    } catch let error as SystemError {
      throw CommandError.notStarted(name, error)
    }
  }
}

extension NoTerminal {
  /// Returns whether the editor needs a terminal and would otherwise wait forever. Other editors, such as scripts, may
  /// not need a terminal.
  fileprivate static func isMeant(by editor: String) -> Bool {
    let word = editor.split(separator: " ").first.map(String.init) ?? ""
    let known: Set = [
      "vi", "vim", "nvim", "view", "nano", "pico", "ed", "ex", "joe", "jed", "mcedit", "micro", "ne", "hx", "helix",
      "kak", "emacs",
    ]
    return known.contains(Path.name(word))
  }
}
