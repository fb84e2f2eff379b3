import SeaCommands
import SeaSystem
import Testing

/// A hint can be typed as it stands: what it names is there.
@Suite struct HintTests {
  /// The texts of the sources, a line each; strings that are put together of several stand in lines of their own.
  private func texts() throws -> [(place: String, text: String)] {
    var found: [(place: String, text: String)] = []
    for entry in try Directory(Path.join(packageRoot, "Sources/SeaCommands")).list().entries {
      let folder = "Sources/SeaCommands/\(entry.name)"
      guard try Path.statusFollowing(Path.join(packageRoot, folder))?.kind == .directory else { continue }
      for file in try Directory(Path.join(packageRoot, folder)).list().entries where file.name.hasSuffix(".swift") {
        for line in try read("\(folder)/\(file.name)").split(separator: "\n") where line.contains("\"") {
          found.append(("\(folder)/\(file.name)", String(line)))
        }
      }
    }
    return found
  }

  private func options(_ name: String) -> Set<String>? {
    Commands.find(name).map { Set(($0.options + GlobalOptions.all).map(\.dashed)) }
  }

  /// What is done in place of an option of another program: the command is there and lacks it, and has what is named.
  @Test func suggestedReplacementsForOptionsExist() throws {
    for (habit, words) in Habits.options {
      let parts = habit.split(separator: " ").map(String.init)
      let command = try #require(Commands.find(parts[0]), "\(habit)")
      #expect(parts.count == 2 && options(parts[0])?.contains(parts[1]) == false, "\(habit)")
      #expect(Hint.fitting(words, command) == words, "\(habit): \(words)")
    }
  }

  /// Of a command that is not there, and of a word too many for one that is.
  @Test func suggestedReplacementsForCommandsExist() {
    for (word, words) in Habits.commands {
      let named = Hint.commands(in: words[...])
      #expect(
        Commands.find(word) == nil && !named.isEmpty && named.allSatisfy { Commands.find($0.name) != nil }, "\(word)")
    }
    for (name, words) in Habits.operands {
      let command = Commands.find(name)
      #expect(command != nil && Hint.fitting(words, command) == words, "\(name): \(words)")
    }
  }

  /// The table of errors, and every other text that says what to type.
  @Test func optionsNamedInHintsExist() throws {
    var seen = 0
    let every = Commands.all.reduce(into: Set(GlobalOptions.all.map(\.dashed))) { all, command in
      all.formUnion(command.options.map(\.dashed))
    }
    for (place, text) in try texts() where text.contains("sea ") || text.contains("hint:") {
      for part in text.split(separator: "; ") {
        for (name, named) in Hint.commands(in: part) {
          guard let known = options(name) else { continue }
          seen += 1
          for option in named { #expect(known.contains(option), "\(place): sea \(name) has no \(option): \(text)") }
        }
        guard text.contains("hint:") else { continue }
        for option in Hint.options(in: part) { #expect(every.contains(option), "\(place): \(option): \(text)") }
      }
    }
    #expect(seen > 60)
  }

  @Test func commandsAndOptionsAreParsedFromHints() {
    #expect(Hint.options(in: "use --add, or (--all)") == ["--add", "--all"])
    #expect(Hint.options(in: "see: sea get --raw") == [])
    let found = Hint.commands(in: "see 'sea get --raw -x' and sea log --stat=1")
    #expect(found.map(\.name) == ["get", "log"] && found.map(\.options) == [["--raw"], ["--stat"]])
  }

  /// A fault can be met by several commands: each tells only what it has.
  @Test func hintOmitsOptionsUnknownToCommand() {
    func fitting(_ hint: String) -> String? { Hint.fitting(hint, Commands.find("config")) }
    #expect(fitting("use --add to add one; or --take-over") == "use --add to add one")
    #expect(fitting("--take-over replaces it") == nil)
    #expect(fitting("sea drop-assets --force; or wait with --lock-wait=5") != nil)
  }

  /// Every fixed set of words, of options and operands, knows what was meant.
  @Test func mistypedChoiceGetsSuggestion() {
    var seen = 0
    for command in Commands.all {
      for option in command.options + GlobalOptions.all {
        guard case .choice(let words) = option.value, let word = words.first(where: { $0.count > 4 }) else { continue }
        let slip = String(word.dropLast(2)) + String(word.suffix(2).reversed())
        if words.contains(slip) { continue }
        let outcome = Run().run([command.name, "\(option.dashed)=\(slip)"])
        #expect(outcome.status == 2 && outcome.err.contains("did you mean: \(option.dashed)=\(word)"), "\(outcome.err)")
        seen += 1
      }
      for operand in command.operands {
        guard case .choice(let words) = operand.value, let word = words.first(where: { $0.count > 3 }) else { continue }
        let outcome = Run().run([command.name, String(word.dropLast())])
        #expect(outcome.err.contains("did you mean: \(word)"), "\(outcome.err)")
        seen += 1
      }
    }
    #expect(seen > 10)
  }

  @Test func usageErrorHintsAtHelpOrCorrection() {
    #expect(Run()("config").err.contains("sea config -h"))
    #expect(Run()("config", "user.name", "x").err.contains("sea config set user.name VALUE"))
    #expect(Run()("config", "user.name", "--json").err.contains("\"hint\""))
    #expect(Run()("config", "core.abbrv=1 2").err.contains("sea config set core.abbrev '1 2'"))
    #expect(Run()("config", "--global", "set", "user.name").err.contains("sea config set --global user.name VALUE"))
  }
}
