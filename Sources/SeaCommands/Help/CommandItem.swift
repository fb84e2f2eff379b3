import SeaWords

/// The command table as data: what `sea help --json` prints.
enum CommandItem {
  static func print(_ commands: [any Command.Type], _ session: Session) throws -> ExitStatus {
    for command in commands { try session.terminal.object(of(command)) }
    return .success
  }

  /// `sea` itself, then every command.
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
