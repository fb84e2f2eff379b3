import SeaCore
import SeaEngine

/// The resolution requested by the arguments of `sea resolve`.
struct ResolveChoice {
  enum Way {
    case whole(Resolution)
    case document(ResolvedDocument)
    case merge(MergeChoices)
    case driver(String, MergeChoices)
    case tool(String?)
    case edit(MergeChoices)
  }

  let way: Way
  let assignments: [Assignment]
  let label: String

  init(_ session: Session, _ arguments: Arguments, isSeveral: Bool) throws {
    typealias Command = ResolveCommand
    let choice = try arguments.only(of: [
      Command.take, Command.winner, Command.ours, Command.theirs, Command.merge, Command.driver, Command.tool,
      Command.edit, Command.with,
    ])
    let picking = [Command.prefer, Command.pick].filter(arguments.has)
    if let choice, isSeveral, [Command.take.key, Command.with.key].contains(choice.key) {
      throw UsageFault.excluded([choice.dashed, "several records"])
    }
    if let choice, let first = picking.first,
      ![Command.merge.key, Command.edit.key, Command.driver.key].contains(choice.key)
    {
      throw UsageFault.excluded([choice.dashed, first.dashed])
    }
    assignments = try arguments.texts(Command.set).map { try Assignment($0, session) }
    let choices = MergeChoices(
      prefer: try arguments.text(Command.prefer).map(ResolveChoice.preference),
      picks: try arguments.texts(Command.pick).map(ResolveChoice.pick))
    way =
      switch choice?.key {
      case Command.take.key: .whole(.take(arguments.text(Command.take) ?? ""))
      case Command.winner.key: .whole(.winner)
      case Command.ours.key: .whole(.ours)
      case Command.theirs.key: .whole(.theirs)
      case Command.with.key: .document(try ResolvedDocument(arguments.text(Command.with) ?? "", session))
      case Command.driver.key: .driver(arguments.text(Command.driver) ?? "", choices)
      case Command.tool.key: .tool(arguments.text(Command.tool))
      case Command.edit.key: .edit(choices)
      default: .merge(choices)
      }
    let values = [Command.prefer, Command.driver].flatMap { option in
      arguments.texts(option).map { "\(option.dashed)=\($0)" }
    }
    let words =
      ["resolve"] + (choice.map { $0.key == Command.driver.key ? [] : [$0.dashed] } ?? []) + values
      + arguments.texts(Command.pick).map { "--pick=\($0)" } + assignments.map { "--set=\($0.path)" }
    let label = words.joined(separator: " ")
    self.label = label.utf8.count > Payload.longestLabel ? words[0] : label
  }

  /// Parses the value of `--prefer`. The value applies to several properties, so it cannot name a revision.
  static func preference(_ text: String) throws -> MergeChoices.Choice {
    let choice = MergeChoices.Choice(text)
    if case .revision(let name) = choice, Policy(rawValue: name) == nil {
      throw UsageFault.badValue(option: ResolveCommand.prefer.dashed, value: text, expected: .preference)
    }
    return choice
  }

  /// Parses `PATH=CHOICE`. A path may contain `=`, but a choice never does.
  private static func pick(_ text: String) throws -> (path: PropertyPath, choice: MergeChoices.Choice) {
    guard let equals = text.utf8.lastIndex(of: UInt8(ascii: "=")), equals != text.startIndex else {
      throw UsageFault.badPick(text)
    }
    let choice = String(text[text.utf8.index(after: equals)...])
    // A name similar to a keyword is probably a typo. Any other name is a revision or an author.
    if case .revision(let name) = MergeChoices.Choice(choice), Policy(rawValue: name) == nil,
      name.isEmpty || ValueKind.preference.meant(by: name) != nil
    {
      throw UsageFault.badPick(text)
    }
    return (try PropertyPath(String(text[..<equals])), MergeChoices.Choice(choice))
  }
}

extension MergeChoices {
  var programs: [String] {
    ([prefer].compactMap { $0 } + picks.map(\.choice)).compactMap { choice in
      if case .program(let name) = choice { name } else { nil }
    }
  }
}

struct ResolvedDocument {
  private var id: String?
  let resolution: Resolution

  init(_ file: String, _ session: Session) throws {
    var id: String?
    var resolution: Resolution?
    let name = file == "-" ? "standard input" : file
    let reader = DocumentReader(name, try session.reader(file))
    while try reader.next({ tape, bytes in
      guard resolution == nil else { throw CoreError.badJSON(.trailingText, offset: 0) }
      var writer = ByteWriter()
      let input = try encodeRecord(tape, bytes, into: &writer)
      id = input.id
      let body = try Value.decodeDraft(UnsafeBufferPointer(rebasing: writer.bytes[input.body]))
      resolution = .with(input.deleted ? nil : body, type: input.type, revision: input.rev)
    }) {}
    guard let resolution else { throw CommandError.emptyInput(name: name) }
    self.id = id
    self.resolution = resolution
  }

  func check(_ ids: [String]) throws {
    guard let id, let want = ids.first, !UTF8Text.equal(id, want) else { return }
    throw CommandError.otherRecord(have: id, want: want)
  }
}
