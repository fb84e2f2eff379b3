import SeaEngine
import SeaCommands
import Testing

/// What must hold for every row of the command table.
@Suite struct TableTests {
  @Test func commandNamesMatchTypesAndAreUnique() {
    for command in Commands.all {
      let camel = command.name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
      #expect("\(command)" == "\(camel)Command")
    }
    #expect(Set(Commands.names).count == Commands.names.count)
    for synonym in Commands.synonyms { #expect(Commands.all.filter { $0.name == synonym.name }.isEmpty) }
  }

  /// What is suggested for a word of another program is a command, and the word is none.
  @Test func wordsOfOtherProgramsMapToCommands() {
    for (word, command) in Habits.names {
      #expect(Commands.find(word) == nil && Commands.find(command) != nil, "\(word)")
    }
  }

  @Test func optionsAreDistinct() {
    for command in Commands.all {
      let all = command.options + GlobalOptions.all
      // `sea rev-parse --sea-dir` prints what `sea --sea-dir=DIR` sets, as git's does.
      let shadows = command.name == "rev-parse" ? ["sea-dir"] : []
      let longs =
        command.options.map(\.long) + GlobalOptions.all.map(\.long).filter { !shadows.contains($0) && !$0.isEmpty }
      #expect(Set(longs).count == longs.count, "\(command.name)")
      let shorts = all.compactMap(\.short)
      #expect(Set(shorts).count == shorts.count, "\(command.name)")
      #expect(command.options.filter(\.digits).count <= 1)
      for option in all {
        #expect((option.value == .none) == option.metavar.isEmpty, "\(command.name) \(option.dashed)")
      }
    }
  }

  @Test func helpLinesAreShortAndPlain() {
    for command in Commands.all {
      for text in [command.summary] + command.options.map(\.help) + command.exits.map(\.meaning) {
        #expect(!text.isEmpty && !text.hasSuffix(".") && text.count <= 100, "\(command.name): \(text)")
      }
      for line in Usage.text(command, as: command.name).split(separator: "\n") {
        #expect(line.utf8.count < 80, "\(line)")
      }
    }
  }

  @Test func exitStatusesAreUniqueAndKnown() {
    let known: Set<Int32> = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
    for command in Commands.all {
      let codes = command.exits.map(\.status.rawValue)
      #expect(Set(codes).count == codes.count && known.isSuperset(of: codes), "\(command.name)")
    }
  }

  /// The options that a synopsis names, as they are dashed in the table.
  private func named(_ command: any Command.Type) -> Set<String> {
    var found: Set<String> = []
    for form in command.synopsis {
      for word in form.split(whereSeparator: { " []()|=.".contains($0) }) where word.hasPrefix("-") && word != "-" {
        found.insert(String(word))
      }
    }
    return found
  }

  @Test func synopsesNameEveryOptionAndNoOther() {
    for command in Commands.all {
      var open = named(command)
      for option in command.options {
        let scoped = command.name == "config" && ["system", "global", "shared", "local"].contains(option.long)
        var forms = ["--\(option.long)"] + (option.short.map { ["-\($0)"] } ?? [])
        if option.digits { forms.append("-\(option.metavar)") }
        let found = forms.filter(open.contains)
        #expect(scoped || !found.isEmpty, "the synopsis of \(command.name) lacks \(option.dashed)")
        open.subtract(found)
      }
      let globals = Set(GlobalOptions.all.flatMap { ["--\($0.long)", $0.short.map { "-\($0)" } ?? ""] })
      #expect(open.subtracting(globals).isEmpty, "the synopsis of \(command.name) names \(open)")
    }
  }

  /// A value that an option of this kind takes.
  private func sample(_ value: ValueKind) -> String {
    switch value {
    case .integer, .size, .duration: "5"
    case .rounds: "auto"
    case .atOnce: "4"
    case .choice(let values): values[0]
    default: "x"
    }
  }

  @Test func everyOptionParsesAndNoOther() throws {
    for command in Commands.all {
      let operands = command.operands.filter { $0.count == .one || $0.count == .several }.map { sample($0.value) }
      for option in command.options {
        var forms = option.long.isEmpty ? [] : [["--\(option.long)"]]
        if let short = option.short { forms.append(["-\(short)"]) }
        for form in forms {
          var words = form
          if option.value != .none, !option.valueIsOptional { words.append(sample(option.value)) }
          var parser = Parser([command.name] + words + operands)
          _ = try parser.commandName()
          let arguments = try parser.arguments(of: command)
          #expect(arguments.has(option), "\(command.name) \(words)")
        }
      }
      for unknown in ["--no-such-option", "-§"] {
        let outcome = Run().run([command.name, unknown] + operands)
        #expect(outcome.status == 2 && outcome.out.isEmpty, "\(command.name) \(unknown)")
      }
    }
  }

  @Test func usageIsPrintedByEveryCommand() {
    for name in Commands.names where Commands.find(name) != nil {
      let outcome = Run()(name, "-h")
      #expect(outcome.status == 0 && outcome.err.isEmpty && outcome.out.contains("usage: sea \(name)"))
      #expect(outcome.out.contains("Exit status:\n  0 "))
    }
  }
}
