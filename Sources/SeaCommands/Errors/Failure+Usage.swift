import SeaCore
import SeaEngine

// Descriptions of errors in a command line.

extension Failure {
  static func row(_ fault: UsageFault) -> Failure {
    func usage(_ message: String, hint: String? = nil) -> Failure { Failure(.usage, message, hint: hint) }
    switch fault {
    case .noCommand:
      return usage(
        "no command given",
        hint:
          "to list commands, run: sea help; for a tutorial, run: sea help tutorial; to create a database, run: sea init DIR"
      )
    case .notUTF8(let index): return usage("argument \(index) is not UTF-8")
    case .unknownCommand(let name, let similar):
      return usage(
        "unknown command '\(name)'",
        hint: Habits.commands[name] ?? similar.map { "did you mean: sea \($0)" } ?? "to list commands, run: sea help"
      )
    case .noRecordBefore(let text):
      let literal = text == nil ? "" : "; to use it as an id, add --literal-ids"
      return usage("missing RECORD" + (text.map { " before '\($0)'" } ?? ""), hint: NameHints.noRecord + literal)
    case .unknownOption(let option, let command, let similar):
      let habit = command.flatMap { Habits.options["\($0) \(option)"] }
      let help = command.map { "to list options, run: sea \($0) -h" } ?? "to list options, run: sea -h"
      return usage("unknown option '\(option)'", hint: habit ?? similar.map { "did you mean: \($0)" } ?? help)
    case .missingValue(let option, let metavar): return usage("option '\(option)' needs a value: \(metavar)")
    case .unexpectedValue(let option): return usage("option '\(option)' takes no value")
    case .badValue(let option, let value, let expected):
      return usage(
        "option '\(option)': '\(value)' is not \(expected.words)",
        hint: Habits.values["\(option) \(value)"]
          ?? expected.meant(by: value).map { "did you mean: \(option)=\($0)" })
    case .missingOperand(let name): return usage("missing \(name)")
    case .extraOperand(let word, let command?) where Habits.operands[command] != nil:
      return usage("too many arguments: '\(word)'", hint: Habits.operands[command])
    case .extraOperand(let word, _):
      let option = word.containsText(".sea.tar") ? "--output" : "--to"
      return usage("too many arguments: '\(word)'", hint: "for output, use \(option)=\(Escape.shellWord(word))")
    case .repeated(let option): return usage("option '\(option)' was given twice")
    case .excluded(let options)
    where ["--types", "--detect-types"].contains(options[0]) && options.last!.hasPrefix("--format=json"):
      return usage(
        "\(list(options, "and")) cannot be combined",
        hint: "to set the kind of a value in JSON, write it as in sea-record(5), for example with: "
          + "jq '.seen |= {\"$day\": .}'")
    case .excluded(let options): return usage("\(list(options, "and")) cannot be combined")
    case .needsOneOf(let choices) where choices.first == "A":
      return usage(
        "nothing to compare: give \(list(choices, "or"))",
        hint: "to show your last change, run: sea diff '@{0}'; for a record, run: sea diff -- RECORD; "
          + "for usage, run: sea diff -h")
    case .needsOneOf(let choices): return usage("missing \(list(choices, "or"))")
    case .needs("--type", with: "--where"):
      return usage("option '--type' requires '--where'", hint: "to select all records of the type, use --where=1")
    case .needs(let option, let other): return usage("option '\(option)' requires '\(other)'")
    case .oneInput(let words): return usage("\(list(words, "and")) cannot all read standard input")
    case .severalDocuments(let option): return usage("option '\(option)' accepts only one record")
    case .noFormat(let option, let command): return usage("'\(command)' does not support '\(option)'")
    case .unknownField(let field, let known):
      return usage("--format: unknown field '\(field)'", hint: "fields: \(known.joined(separator: " "))")
    case .badFormat(let text):
      return usage("--format: invalid format '\(text)'", hint: "use %(field), %(field:short), %% or %0a")
    case .badTime(let text): return usage("'\(text)' is not a time", hint: times)
    case .badOperand("ACTION", let word, let expected, let beside) where SettingHint(word, beside) != nil:
      return usage("ACTION: '\(word)' is not \(expected.words)", hint: SettingHint(word, beside)?.words)
    case .settingWithoutValue(let word, let beside):
      return usage("missing VALUE", hint: SettingHint(word, beside)?.words)
    case .badOperand(let operand, let value, let expected, _):
      return usage(
        "\(operand): '\(value)' is not \(expected.words)",
        hint: expected.meant(by: value).map { "did you mean: \($0)" })
    case .unknownValueType(let name, let similar, let known):
      return usage("unknown value type '\(name)'", hint: NameHints.type(name, similar, known))
    case .badAssignment(let text):
      return usage(
        "'\(text)' is not KEY=VALUE",
        hint: "forms: key=text key:=JSON key:TYPE=text key:TYPE@FILE key:TYPE[SEMANTIC-TYPE]=text key+=value key-=value"
      )
    case .typeAssigned(let text, let type):
      return usage(
        "cannot assign '\(text)': the type of a record is not a property",
        hint: "to set the type, use --type=\(Escape.shellWord(type)); to replace another type, add --replace-type")
    case .assetWithoutFile(let text, let meant):
      return usage(
        "'\(text)': an asset needs a file", hint: "to read the asset from a file, use \(Escape.shellWord(meant))")
    case .badPick(let text):
      let choices = "use a revision, ours, theirs, base, a policy such as max, or driver:NAME"
      let equals = text.lastIndex(of: "=")
      let meant = equals.flatMap { ValueKind.preference.meant(by: String(text[text.index(after: $0)...])) }
      return usage(
        "'\(text)' is not PATH=CHOICE",
        hint: meant.map { "did you mean: --pick=\(text.prefix { $0 != "=" })=\($0)" } ?? choices)
    case .badColumnType(let column, let fault):
      let (message, hint) = fault.words
      return usage("--types: '\(column)': \(message)", hint: hint)
    case .secretVariable(let name):
      return usage(
        "\(name) is ignored, because other programs can read it",
        hint: "use --password-file, --password-command, --password-fd or the prompt")
    }
  }

  fileprivate static func list(_ words: [String], _ last: String) -> String {
    guard let end = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(last) \(end)"
  }
}

extension ColumnTypeFault {
  fileprivate var words: (message: String, hint: String) {
    switch self {
    case .noForms(let type):
      (
        "type '\(type)' has no forms",
        "types with forms: day, date, number, decimal, int, bool and ref; see sea-load(1)"
      )
    case .badField(let field, let allowed): ("unknown field '\(field)'", "fields: \(allowed.joined(separator: " "))")
    case .missingField(let fields, let other):
      (
        "\(Failure.list(fields, "or")) is missing" + (other.map { " for \($0)" } ?? ""),
        "for all fields, see sea-load(1)"
      )
    case .excludedFields(let fields): ("\(Failure.list(fields, "and")) cannot be combined", "use one of them")
    case .missingZone(let form):
      (
        "the time zone is missing",
        "add one, such as date[\(form), Europe/Zurich] or date[\(form), UTC]"
          + (form == "excel" ? "" : "; for offsets such as +0100 in the cells, use %z")
      )
    case .unknownZone(let name, let folder):
      ("time zone '\(name)' is not in \(folder)", "use a name such as Europe/Zurich, or UTC")
    case .badZone(let name, let path): ("cannot use time zone '\(name)': invalid file '\(path)'", "use another zone")
    case .badExample(true):
      ("not an example of an integer with groups", "use an example such as int[1.234] or int[1'234]")
    case .badExample(false):
      ("not a clear example of a number", "use an example such as 1.234,50 or 1234,50 or 1,234.50")
    case .badWords: ("not two words for true and false", "use two words such as bool[yes/no]")
    }
  }
}

extension ValueKind {
  static let preference = choice(choices + ["driver:NAME"])

  /// Returns the word that a user probably meant; nil if no word is similar or any text is allowed.
  func meant(by word: String) -> String? {
    guard case .choice(let words) = self else { return nil }
    if let meant = Habits.words[word], words.contains(meant) { return meant }
    // Some entries describe a value instead of being the value.
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
    case .configKey: "SECTION.NAME=VALUE"
    default: "allowed"
    }
  }
}

/// A hint for a setting, `NAME` or `NAME=VALUE`, that was given in the wrong place.
struct SettingHint {
  private let name: String
  private let value: String?
  private let scope: [String]

  /// - Returns: nil if `word` is not the name of a setting.
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
    guard let value else {
      return "to show the setting, run: sea config get \(Escape.shellWord(name)); to change it, run: \(set) VALUE"
    }
    return "to change the setting, run: \(set) \(Escape.shellWord(value))"
  }
}
