import SeaEngine

package enum Usage {
  static func page(_ command: any Command.Type, as name: String, _ session: Session) throws -> ExitStatus {
    if session.options.json { return try CommandItem.print([command], session) }
    for line in lines(command, as: name, columns(session)) { try session.terminal.painter.line(line) }
    return .success
  }

  package static func text(_ command: any Command.Type, as name: String, columns: Int = widest) -> String {
    lines(command, as: name, columns).map { "\($0.text)\n" }.joined()
  }

  private static func lines(_ command: any Command.Type, as name: String, _ columns: Int) -> [Painted] {
    var lines = TextWidth.filled("sea \(name): \(command.summary)", to: columns).map { Painted($0) } + [""]
    for (k, form) in command.synopsis.enumerated() {
      lines += wrapped(k == 0 ? "usage:" : "   or:", "sea \(name)", form, columns)
    }
    if !command.options.isEmpty {
      lines += ["", heading("Options:")] + table(command.options.map { ($0.spelling, $0.help) }, columns)
    }
    lines += ["", heading("Exit status:")]
    lines += table(exits(of: command).map { (String($0.status.rawValue), $0.meaning) }, columns)
    let more = "For global options, run: sea -h. For the manual page, run: sea help \(name)"
    return lines + [""] + TextWidth.filled(more, to: columns).map { Painted($0) }
  }

  private static func heading(_ text: String) -> Painted { Painted(text, .heading) }

  package static let widest = TextWidth.widest

  static func columns(_ session: Session) -> Int { columns(session.terminal.width) }

  private static func columns(_ width: Int?) -> Int { min(widest, max(width ?? widest, 20)) }

  /// Formats one form of the command line. If it needs several lines, the later lines are aligned with the first
  /// option.
  private static func wrapped(_ word: String, _ name: String, _ form: String, _ columns: Int) -> [Painted] {
    var pieces: [String] = []
    var depth = 0
    for word in form.split(separator: " ") {
      // Never break a line within brackets.
      if depth == 0 { pieces.append(String(word)) } else { pieces[pieces.count - 1] += " \(word)" }
      depth += word.utf8.reduce(0) { $0 + ($1 == 0x5B ? 1 : $1 == 0x5D ? -1 : 0) }
    }
    let head = " \(name)"
    // On a narrow terminal, use a smaller indentation.
    let indent = min(word.utf8.count + head.utf8.count, columns / 3)
    let room = columns - indent - 1
    var lines: [Painted] = [Painted(word, .heading) + Painted(head)]
    var used = word.utf8.count + head.utf8.count
    for piece in pieces.flatMap({ $0.utf8.count > room ? $0.split(separator: " ").map(String.init) : [$0] }) {
      if used + piece.utf8.count >= columns, used > indent {
        lines.append(Painted(String(repeating: " ", count: indent)))
        used = indent
      }
      lines[lines.count - 1] += " \(piece)"
      used += piece.utf8.count + 1
    }
    return lines
  }

  /// Returns the exit statuses of a command in numeric order, including those that result from its `needs`.
  package static func exits(of command: any Command.Type) -> [Exit] {
    var exits = command.exits
    func add(_ status: ExitStatus, _ meaning: String) {
      if !exits.contains(where: { $0.status == status }) { exits.append(Exit(status, meaning)) }
    }
    add(.success, "done")
    add(.usage, "bad command line")
    if command.needs.contains(.lock) { add(.locked, "another process was writing for longer than --lock-wait") }
    if command.needs.contains(.database) {
      let foreign = "the database belongs to another user and is not listed in safe.directory"
      add(.denied, (command.needs.contains(.lock) ? "no key, this instance may not write, or " : "") + foreign)
      add(.noDatabase, "no database found")
    }
    add(.system, "input/output error, disk full, permission denied")
    return exits.sorted { $0.status.rawValue < $1.status.rawValue }
  }

  static func overview(_ session: Session) throws -> ExitStatus {
    if session.options.json { return try CommandItem.all(session) }
    for line in overview(columns(session)) { try session.terminal.painter.line(line) }
    return .success
  }

  private static func overview(_ columns: Int) -> [Painted] {
    var lines =
      TextWidth.filled("sea: a database of records that syncs through plain folders", to: columns).map { Painted($0) }
      + [""]
    lines += call(columns) + [""]
    for group in Group.allCases {
      let commands = Commands.listed(in: group)
      if commands.isEmpty { continue }
      lines += [heading("\(group.rawValue):")] + table(commands, columns) + [""]
    }
    lines.append(heading("Options, before or after the command:"))
    lines += table(GlobalOptions.all.map { ($0.spelling, $0.help) }, columns)
    lines += ["", heading("Guides:")] + table(Commands.guides.map { ($0.name, $0.about) }, columns)
    let more = "For a page, run: sea help NAME. For a tour, run: sea help tutorial"
    return lines + [""] + TextWidth.filled(more, to: columns).map { Painted($0) }
  }

  static func topics(_ found: [(name: String, about: String)], _ session: Session) throws -> ExitStatus {
    for line in table(found.map { ("sea help \($0.name)", $0.about) }, columns(session)) {
      try session.terminal.painter.line(line)
    }
    return .success
  }

  /// Returns the text of `sea` without arguments: the command names by group.
  static func commandList(_ terminal: Terminal) -> String {
    let columns = columns(terminal.talkWidth)
    var rows: [(String, String)] = []
    for group in Group.allCases {
      let names = Commands.listed(in: group).map(\.name)
      if !names.isEmpty { rows.append((group.rawValue, names.joined(separator: " "))) }
    }
    let lines = call(columns) + [""] + table(rows, columns)
    return lines.map { "\($0.text)\n" }.joined()
  }

  private static func call(_ columns: Int) -> [Painted] {
    wrapped("usage:", "sea", "[OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]", columns)
  }

  /// Formats two columns. A wide left cell gets a line to itself; a wide right cell wraps within its column.
  private static func table(_ rows: [(String, String)], _ columns: Int) -> [Painted] {
    let width = min(rows.map { TextWidth.of($0.0) }.max() ?? 0, columns / 3)
    let indent = String(repeating: " ", count: width + 4)
    return rows.flatMap { left, right in
      var lines = TextWidth.filled(right, to: columns - width - 4).map { indent + $0 }
      let space = width - TextWidth.of(left)
      if space >= 0 {
        lines[0] = "  \(left)\(String(repeating: " ", count: space + 2))\(lines[0].dropFirst(width + 4))"
      } else {
        lines.insert("  \(left)", at: 0)
      }
      return lines.map { Painted($0) }
    }
  }
}

enum CommandItem {
  static func print(_ commands: [any Command.Type], _ session: Session) throws -> ExitStatus {
    for command in commands { try session.terminal.object(of(command)) }
    return .success
  }

  static func all(_ session: Session) throws -> ExitStatus {
    try session.terminal.object(["command": .text("sea"), "options": .items(GlobalOptions.all, option)])
    return try print(Commands.all, session)
  }

  private static func of(_ command: any Command.Type) -> Item {
    let name = command.name
    let kind =
      switch command.kind {
      case .porcelain: "porcelain"
      case .frozenPorcelain: "frozen"
      case .plumbing: "plumbing"
      }
    return [
      "command": .text(name), "group": .text(command.group.rawValue), "kind": .text(kind),
      "summary": .text(command.summary), "synopsis": .texts(command.synopsis),
      "synonyms": .texts(Commands.synonyms.filter { $0.command == name }.map(\.name)),
      "options": .items(command.options, option),
      "operands": .items(command.operands) {
        [
          "name": .text($0.name), "value": .text($0.value.word), "count": .text("\($0.count)"),
          "choices": $0.value.choices,
        ]
      },
      "exits": .items(Usage.exits(of: command)) {
        ["status": .integer($0.status.rawValue), "meaning": .text($0.meaning)]
      },
      "schema": .text("\(name).json"),
    ]
  }

  private static func option(_ option: Option) -> Item {
    [
      "long": option.long.isEmpty ? .absent : .text(option.long), "short": .text(option.short),
      "value": .text(option.value.word), "choices": option.value.choices,
      "metavar": option.metavar.isEmpty ? .absent : .text(option.metavar), "help": .text(option.help),
      "repeatable": .mark(option.repeatable), "value_optional": .mark(option.valueIsOptional),
    ]
  }
}

extension ValueKind {
  fileprivate var word: String {
    if case .choice = self { return "choice" }
    if case .offered = self { return "text" }
    return "\(self)"
  }

  fileprivate var choices: Field {
    if case .choice(let values) = self { return .texts(values) }
    if case .offered(let values) = self { return .texts(values) }
    return .absent
  }
}
