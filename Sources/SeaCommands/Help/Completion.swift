/// `sea --complete LINE POINT`: the candidates for the word at byte POINT of LINE, one per line, `WORD TAB MEANING`.
package enum Completion {
  static func answer(_ words: [String], _ session: Session) throws -> ExitStatus {
    guard words.count == 3, let point = Int(words[2]) else { throw UsageFault.missingOperand("LINE POINT") }
    for (word, meaning) in candidates(words[1], point, session).prefix(200) {
      try session.terminal.line(meaning.isEmpty ? word : "\(word)\t\(meaning)")
    }
    return .success
  }

  /// Commands, options, and values: fixed ones, and those that the session knows.
  package static func candidates(_ line: String, _ point: Int, _ session: Session) -> [(word: String, meaning: String)]
  {
    var words = split(line, point)
    let last = words.popLast() ?? ""
    if !words.isEmpty { words.removeFirst() }
    var parser = Parser(words)
    let name = (try? parser.commandName()) ?? nil
    // What was said so far may be incomplete: only the options that name a database matter here.
    session.options = parser.globals
    let command = name.flatMap(Commands.find)
    if name != nil, command == nil { return [] }
    let options = (command?.options ?? []) + GlobalOptions.all
    if let (head, kind) = optionValue(last, before: words.last, options) {
      return values(kind, String(last.dropFirst(head.count)), session).map { (head + $0.word, $0.meaning) }
    }
    if last.hasPrefix("-") { return spelled(options).filter { $0.word.hasPrefix(last) } }
    guard let command else { return names(last) }
    return operand(parser.rest, command, options).map { values($0, last, session) } ?? []
  }

  /// What kind of operand comes next, after these words behind the command's name.
  private static func operand(
    _ words: [String], _ command: any Command.Type, _ options: [Option]
  ) -> ValueKind? {
    var index = 0
    var isValue = false
    for word in words {
      if isValue {
        isValue = false
      } else if word.hasPrefix("-"), word != "-" {
        isValue = options.contains { wanting(word, $0) }
      } else {
        index += 1
      }
    }
    let operands = command.operands
    if index < operands.count { return operands[index].value }
    guard let last = operands.last, last.count == .any || last.count == .several else { return nil }
    return last.value
  }

  /// Whether the word is the option and its value stands in the next word.
  private static func wanting(_ word: String, _ option: Option) -> Bool {
    option.value != .none && !option.valueIsOptional && (option.dashed == word || option.short.map { "-\($0)" } == word)
  }

  /// The words up to the point, the last of them the one to complete. Quotes are taken off as a shell does.
  package static func split(_ line: String, _ point: Int) -> [String] {
    var words: [String] = [""]
    var quote: Unicode.Scalar?
    var letters = String(decoding: line.utf8.prefix(max(0, point)), as: UTF8.self).unicodeScalars[...]
    while let letter = letters.popFirst() {
      if let open = quote, letter == open {
        quote = nil
      } else if quote == nil, letter == "'" || letter == "\"" {
        quote = letter
      } else if letter == "\\", quote != "'", let next = letters.popFirst() {
        words[words.count - 1].unicodeScalars.append(next)
      } else if quote == nil, letter == " " || letter == "\t" {
        if words.last != "" { words.append("") }
      } else {
        words[words.count - 1].unicodeScalars.append(letter)
      }
    }
    return words
  }

  /// When the word is an option's value: what stands before it in the word, and its kind.
  private static func optionValue(
    _ last: String, before: String?, _ options: [Option]
  ) -> (head: String, kind: ValueKind)? {
    if last.hasPrefix("--"), let equals = last.firstIndex(of: "=") {
      let option = options.first { $0.dashed == last[..<equals] }
      return (String(last[...equals]), option?.value ?? .none)
    }
    guard let before, let option = options.first(where: { wanting(before, $0) }) else { return nil }
    return ("", option.value)
  }

  private static func values(
    _ kind: ValueKind, _ start: String, _ session: Session
  ) -> [(word: String, meaning: String)] {
    switch kind {
    case .none, .text, .integer, .size, .duration, .file, .directory: []
    case .choice(let values): values.filter { $0.hasPrefix(start) }.map { ($0, "") }
    case .command:
      names(start)
        + Commands.guides.filter { $0.name.hasPrefix(start) && Commands.find($0.name) == nil }.map {
          ($0.name, $0.about)
        }
    default: ((try? session.candidates(kind, start)) ?? []).filter { $0.word.hasPrefix(start) }
    }
  }

  private static func spelled(_ options: [Option]) -> [(word: String, meaning: String)] {
    options.flatMap { option -> [(word: String, meaning: String)] in
      let ending = option.value == .none || option.valueIsOptional || option.long.isEmpty ? "" : "="
      let short = option.long.isEmpty ? nil : option.short.map { ("-\($0)", option.help) }
      return [(option.dashed + ending, option.help)] + (short.map { [$0] } ?? [])
    }
  }

  private static func names(_ start: String) -> [(word: String, meaning: String)] {
    let synonyms = Commands.synonyms.compactMap { synonym in
      Commands.find(synonym.command).map { (word: synonym.name, meaning: $0.summary) }
    }
    return (Commands.all.map { (word: $0.name, meaning: $0.summary) } + synonyms).filter { $0.word.hasPrefix(start) }
  }
}
