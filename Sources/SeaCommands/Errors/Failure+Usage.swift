import SeaCore
import SeaEngine

// Descriptions of faults in a command line.

extension Failure {
  static func row(_ fault: UsageFault) -> Failure {
    func usage(_ message: String, hint: String? = nil) -> Failure { Failure(.usage, message, hint: hint) }
    switch fault {
    case .noCommand:
      return usage(
        "no command given", hint: "all commands: sea help; a tour: sea help tutorial; begin with: sea init DIR")
    case .notUTF8(let index): return usage("argument \(index) is not UTF-8")
    case .unknownCommand(let name, let similar):
      return usage(
        "there is no command '\(name)'",
        hint: Habits.commands[name] ?? similar.map { "did you mean: sea \($0)" } ?? "see the list of commands: sea help"
      )
    case .noRecordBefore(let text):
      let literal = text == nil ? "" : "; of that id: --literal-ids"
      return usage("RECORD is missing" + (text.map { " before '\($0)'" } ?? ""), hint: NameHints.noRecord + literal)
    case .unknownOption(let option, let command, let similar):
      let habit = command.flatMap { Habits.options["\($0) \(option)"] }
      let help = command.map { "see the options: sea \($0) -h" } ?? "see the options: sea -h"
      return usage("there is no option '\(option)'", hint: habit ?? similar.map { "did you mean: \($0)" } ?? help)
    case .missingValue(let option, let metavar): return usage("option '\(option)' needs a value: \(metavar)")
    case .unexpectedValue(let option): return usage("option '\(option)' takes no value")
    case .badValue(let option, let value, let expected):
      return usage(
        "option '\(option)': '\(value)' is not \(expected.words)",
        hint: Habits.values["\(option) \(value)"]
          ?? expected.meant(by: value).map { "did you mean: \(option)=\($0)" })
    case .missingOperand(let name): return usage("\(name) is missing")
    case .extraOperand(let word, let command?) where Habits.operands[command] != nil:
      return usage("too many arguments: '\(word)'", hint: Habits.operands[command])
    case .extraOperand(let word, _):
      // The hint is dropped if the command lacks this option.
      let (what, option) = word.holds(".sea.tar") ? ("the file of a bundle", "--output") : ("where bundles go", "--to")
      return usage(
        "too many arguments: '\(word)'", hint: "\(what) is said by \(option)=\(Escape.shellWord(word))")
    case .excluded(let options): return usage("\(list(options, "and")) exclude each other")
    case .needsOneOf(let choices) where choices.first == "A":
      return usage(
        "\(list(choices, "or")) is needed",
        hint: "what this instance changed last: sea diff '@{0}'; of a record: sea diff -- RECORD; "
          + "the forms: sea diff -h")
    case .needsOneOf(let choices): return usage("\(list(choices, "or")) is needed")
    case .needs("--type", with: "--where"):
      return usage("option '--type' has a meaning only with '--where'", hint: "all of a type: --where=1")
    case .needs(let option, let other): return usage("option '\(option)' has a meaning only with '\(other)'")
    case .oneInput(let words): return usage("\(list(words, "and")) cannot all read standard input")
    case .severalDocuments(let option): return usage("option '\(option)' is for one record, and there are several")
    case .noFormat(let option, let command): return usage("'\(command)' has no '\(option)' format")
    case .unknownField(let field, let known):
      return usage("--format: there is no field '\(field)'", hint: "the fields are: \(known.joined(separator: " "))")
    case .badFormat(let text):
      return usage("--format: cannot read '\(text)'", hint: "write %(field), %(field:short), %% or %0a")
    case .badTime(let text): return usage("'\(text)' is not a time", hint: times)
    case .badOperand("ACTION", let word, let expected, let beside) where SettingHint(word, beside) != nil:
      return usage("ACTION: '\(word)' is not \(expected.words)", hint: SettingHint(word, beside)?.words)
    case .settingWithoutValue(let word, let beside):
      return usage("VALUE is missing", hint: SettingHint(word, beside)?.words)
    case .badOperand(let operand, let value, let expected, _):
      return usage(
        "\(operand): '\(value)' is not \(expected.words)",
        hint: expected.meant(by: value).map { "did you mean: \($0)" })
    case .unknownValueType(let name, let similar, let known):
      return usage("there is no type '\(name)' of values", hint: NameHints.type(name, similar, known))
    case .badAssignment(let text):
      return usage(
        "'\(text)' is not KEY=VALUE",
        hint: "forms: key=text key:=JSON key:TYPE=text key:TYPE@FILE key:TYPE[SEMANTIC-TYPE]=text key+=value key-=value"
      )
    case .typeAssigned(let text, let type):
      return usage(
        "'\(text)' is no assignment: what type a record is of is no property of it",
        hint: "a type is said by: --type=\(Escape.shellWord(type)); in the place of another one also: --replace-type")
    case .assetWithoutFile(let text, let meant):
      return usage("'\(text)' has no file", hint: "an asset is the content of one: \(Escape.shellWord(meant))")
    case .badPick(let text):
      let choices = "a choice is a revision, ours, theirs, base, a policy such as max, or driver:NAME"
      let equals = text.lastIndex(of: "=")
      let meant = equals.flatMap { ValueKind.preference.meant(by: String(text[text.index(after: $0)...])) }
      return usage(
        "'\(text)' is not PATH=CHOICE",
        hint: meant.map { "did you mean: --pick=\(text.prefix { $0 != "=" })=\($0)" } ?? choices)
    case .secretVariable(let name):
      return usage(
        "\(name) is not read: other programs can see it",
        hint: "use --password-file, --password-command, --password-fd or the prompt")
    }
  }

  /// Returns `a`, `a and b`, `a, b and c`.
  fileprivate static func list(_ words: [String], _ last: String) -> String {
    guard let end = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(last) \(end)"
  }
}

extension ValueKind {
  /// The choices of `--prefer` for conflicting properties.
  static let preference = choice(choices + ["driver:NAME"])

  /// Returns the likely meaning of a mistyped word; nil if none is similar, or the kind has no fixed words.
  func meant(by word: String) -> String? {
    guard case .choice(let words) = self else { return nil }
    if let meant = Habits.words[word], words.contains(meant) { return meant }
    // Some entries are descriptions, not words.
    return Similarity.nearest(to: word, among: words.filter { !$0.contains(" ") })
  }

  fileprivate var words: String {
    switch self {
    case .integer: "a number from 0 to 4294967295"
    case .size: "a size (such as 65536, 64K or 2M)"
    case .duration: "a duration (such as 90, 5m or 2h)"
    case .choice(let values): Failure.list(values, "or")
    case .revision: "a full revision (DEPTH-HEX with 64 digits)"
    case .uuid: "a UUID of version 4 in lower case"
    case .atOnce: "a number from 1 to 64"
    case .rounds: "'auto' or a number from 600000 to 10000000"
    case .configKey: "of the form SECTION.NAME=VALUE"
    default: "allowed"
    }
  }
}

/// A hint to read or set a setting, for a `NAME` or `NAME=VALUE` in the wrong place.
struct SettingHint {
  private let name: String
  private let value: String?
  private let scope: [String]

  /// - Parameter beside: the options that were given.
  /// - Returns: nil if it is not the name of a setting.
  init?(_ word: String, _ beside: [String]) {
    let equals = word.firstIndex(of: "=")
    let name = String(word[..<(equals ?? word.endIndex)])
    guard let key = ConfigKey(name) else { return nil }
    let isKnown = SettingKind.of(key) != nil
    let likeliest = key.section == "type" ? name.defaultName : SettingKind.likeliest(for: name) ?? name
    self.name = isKnown ? name : likeliest
    value = equals.map { String(word[word.index(after: $0)...]) }
    scope = beside.filter { ConfigScope(rawValue: String($0.dropFirst(2))) != nil }
  }

  var words: String {
    let set = (["sea config set"] + scope + [Escape.shellWord(name)]).joined(separator: " ")
    guard let value else { return "to read it: sea config get \(Escape.shellWord(name)); to set it: \(set) VALUE" }
    return "to set it: \(set) \(Escape.shellWord(value))"
  }
}
