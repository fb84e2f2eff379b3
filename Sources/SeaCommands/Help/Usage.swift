/// The texts of `-h`, made from the tables.
package enum Usage {
  /// `sea NAME -h`.
  static func page(_ command: any Command.Type, as name: String, _ session: Session) throws -> ExitStatus {
    if session.options.json { return try CommandItem.print([command], session) }
    try session.terminal.output.write(text(command, as: name))
    return .success
  }

  package static func text(_ command: any Command.Type, as name: String) -> String {
    var text = filled("sea \(name): \(command.summary)", columns).joined(separator: "\n") + "\n\n"
    for (k, form) in command.synopsis.enumerated() {
      text += wrapped("\(k == 0 ? "usage:" : "   or:") sea \(name)", form)
    }
    if !command.options.isEmpty { text += "\nOptions:\n" + lines(command.options.map { ($0.spelling, $0.help) }) }
    text += "\nExit status:\n" + lines(exits(of: command).map { (String($0.status.rawValue), $0.meaning) })
    return text + "\nThe options of sea itself: sea -h. The whole page: sea help \(name).\n"
  }

  /// One form of the command line; a long one goes on below its first option.
  private static func wrapped(_ head: String, _ form: String) -> String {
    var pieces: [String] = []
    var depth = 0
    for word in form.split(separator: " ") {
      // What stands in brackets stays together.
      if depth == 0 { pieces.append(String(word)) } else { pieces[pieces.count - 1] += " \(word)" }
      depth += word.utf8.reduce(0) { $0 + ($1 == 0x5B ? 1 : $1 == 0x5D ? -1 : 0) }
    }
    var lines = [head]
    let room = columns - head.utf8.count - 1
    for piece in pieces.flatMap({ $0.utf8.count > room ? $0.split(separator: " ").map(String.init) : [$0] }) {
      let used = lines[lines.count - 1].utf8.count
      if used + piece.utf8.count >= columns, used > head.utf8.count {
        lines.append(String(repeating: " ", count: head.utf8.count))
      }
      lines[lines.count - 1] += " \(piece)"
    }
    return lines.map { "\($0)\n" }.joined()
  }

  /// The statuses of a command, with those that follow from what it needs, in order of their numbers.
  package static func exits(of command: any Command.Type) -> [Exit] {
    var exits = command.exits
    func add(_ status: ExitStatus, _ meaning: String) {
      if !exits.contains(where: { $0.status == status }) { exits.append(Exit(status, meaning)) }
    }
    add(.success, "done")
    add(.usage, "bad command line")
    if command.needs.contains(.lock) { add(.locked, "another process kept writing for longer than --lock-wait") }
    if command.needs.contains(.database) {
      let foreign = "the database belongs to another user and is not listed in safe.directory"
      add(.denied, (command.needs.contains(.lock) ? "there is no key, this instance may not write, or " : "") + foreign)
      add(.noDatabase, "no database found")
    }
    add(.system, "input/output error, disk full, permission denied")
    return exits.sorted { $0.status.rawValue < $1.status.rawValue }
  }

  /// `sea -h`.
  static func overview(_ session: Session) throws -> ExitStatus {
    if session.options.json { return try CommandItem.all(session) }
    var text = "sea: a database of records that syncs through plain folders\n\n"
    text += "usage: sea [OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]\n\n"
    for group in Group.allCases {
      let commands = Commands.all.filter { $0.group == group }
      if commands.isEmpty { continue }
      text += "\(group.rawValue):\n" + lines(commands.map { ($0.name, $0.summary) }) + "\n"
    }
    text += "Options, before or after the command:\n" + lines(GlobalOptions.all.map { ($0.spelling, $0.help) })
    text += "\nThe page of a command: sea help COMMAND.\n"
    try session.terminal.output.write(text)
    return .success
  }

  /// What `sea` alone says: the names by group.
  static func commandList() -> String {
    var rows: [(String, String)] = []
    for group in Group.allCases {
      let names = Commands.all.filter { $0.group == group }.map { $0.name }
      if !names.isEmpty { rows.append((group.rawValue, names.joined(separator: " "))) }
    }
    return "usage: sea [OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]\n\n\(lines(rows))"
  }

  /// What a line has room for everywhere.
  private static let columns = 79

  /// Two columns; a left cell that is too wide stands on a line of its own, and a right one goes on below itself.
  private static func lines(_ rows: [(String, String)]) -> String {
    let width = min(rows.map { TextWidth.of($0.0) }.max() ?? 0, 26)
    let indent = String(repeating: " ", count: width + 4)
    return rows.map { left, right in
      let space = width - TextWidth.of(left)
      let gap = space >= 0 ? String(repeating: " ", count: space) : "\n" + String(repeating: " ", count: width + 2)
      return "  \(left)\(gap)  \(filled(right, columns - width - 4).joined(separator: "\n\(indent)"))\n"
    }.joined()
  }

  /// Lines that break between words only.
  private static func filled(_ text: String, _ width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if TextWidth.of(last) + 1 + TextWidth.of(String(word)) > width {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] += " \(word)"
      }
    }
    return lines
  }
}
