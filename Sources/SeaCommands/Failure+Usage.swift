extension Failure {
  static func describing(_ fault: UsageFault) -> Failure {
    func usage(_ message: String, hint: String? = nil) -> Failure { Failure("usage", .usage, message, hint: hint) }
    switch fault {
    case .noCommand: return usage("no command given", hint: "see the list of commands: sea help")
    case .notUTF8(let index): return usage("argument \(index) is not UTF-8")
    case .unknownCommand(let name, let similar):
      return usage(
        "there is no command '\(name)'",
        hint: similar.map { "did you mean: sea \($0)" } ?? "see the list of commands: sea help")
    case .unknownOption(let option, let command, let similar):
      let help = command.map { "see the options: sea \($0) -h" } ?? "see the options: sea -h"
      return usage("there is no option '\(option)'", hint: similar.map { "did you mean: \($0)" } ?? help)
    case .missingValue(let option, let metavar): return usage("option '\(option)' needs a value: \(metavar)")
    case .unexpectedValue(let option): return usage("option '\(option)' takes no value")
    case .badValue(let option, let value, let expected):
      return usage("option '\(option)': '\(value)' is not \(name(of: expected))")
    case .missingOperand(let name): return usage("\(name) is missing")
    case .extraOperand(let word): return usage("too many arguments: '\(word)'")
    case .excluded(let options): return usage("\(list(options, "and")) exclude each other")
    case .needsOneOf(let choices): return usage("\(list(choices, "or")) is needed")
    case .needs(let option, let other): return usage("option '\(option)' has a meaning only with '\(other)'")
    case .noFormat(let option, let command): return usage("'\(command)' has no '\(option)' format")
    case .unknownField(let field, let known):
      return usage("--format: there is no field '\(field)'", hint: "the fields are: \(known.joined(separator: " "))")
    case .badFormat(let text):
      return usage("--format: cannot read '\(text)'", hint: "write %(field), %(field:short), %% or %0a")
    case .badTime(let text):
      return usage(
        "'\(text)' is not a time", hint: "write 2026-08-22T03:41:00Z, 2026-08-22, @1787370060, 3h or \"2 hours ago\"")
    case .badOperand(let operand, let value, let expected):
      return usage("\(operand): '\(value)' is not \(name(of: expected))")
    case .badAssignment(let text):
      return usage(
        "'\(text)' is not KEY=VALUE",
        hint: "forms: key=text key:=JSON key:TYPE=text key:TYPE@FILE key+=value key-=value")
    case .badPick(let text):
      return usage(
        "'\(text)' is not PATH=CHOICE",
        hint: "a choice is a revision, ours, theirs, base, a policy such as max, or driver:NAME")
    case .secretVariable(let name):
      return usage(
        "\(name) is not read: other programs can see it",
        hint: "use --password-file, --password-command, --password-fd or the prompt")
    }
  }

  /// `a`, `a and b`, `a, b and c`.
  static func list(_ words: [String], _ last: String) -> String {
    guard let end = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(last) \(end)"
  }

  private static func name(of value: ValueKind) -> String {
    switch value {
    case .integer: "a number from 0 to 4294967295"
    case .size: "a size (such as 65536, 64K or 2M)"
    case .duration: "a duration (such as 90, 5m or 2h)"
    case .choice(let values): list(values, "or")
    case .revision: "a full revision (DEPTH-HEX with 64 digits)"
    case .uuid: "a UUID in lower case"
    case .rounds: "'auto' or a number from 600000 to 10000000"
    case .configKey: "of the form SECTION.NAME=VALUE"
    default: "allowed"
    }
  }
}
