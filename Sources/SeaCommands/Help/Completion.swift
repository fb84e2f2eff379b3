/// `sea --complete LINE POINT`: the candidates for the word at byte POINT of LINE, one per line, `WORD TAB MEANING`.
enum Completion {
  static func answer(_ words: [String], _ context: Context) throws -> ExitStatus {
    guard words.count == 3, let point = Int(words[2]) else { throw UsageFault.missingOperand("LINE POINT") }
    for (word, meaning) in candidates(words[1], point).prefix(200) {
      try context.line(meaning.isEmpty ? word : "\(word)\t\(meaning)")
    }
    return .success
  }

  /// Commands, options and the values of options that have a fixed choice.
  static func candidates(_ line: String, _ point: Int) -> [(word: String, meaning: String)] {
    var words = split(line, point)
    let last = words.popLast() ?? ""
    if !words.isEmpty { words.removeFirst() }
    var parser = Parser(words)
    let name = (try? parser.commandName()) ?? nil
    let command = name.flatMap(Commands.find)
    if name != nil, command == nil { return [] }
    let options = (command?.options ?? []) + GlobalOptions.all
    if let values = choices(last, before: words.last, options) { return values }
    if last.hasPrefix("-") { return spelled(options).filter { $0.word.hasPrefix(last) } }
    if command == nil || command?.operands.first?.value == .command { return names(last) }
    if case .choice(let values)? = command?.operands.first?.value, words.last == name {
      return values.filter { $0.hasPrefix(last) }.map { ($0, "") }
    }
    return []
  }

  /// The words up to the point, the last of them the one to complete. Quotes are taken off as a shell does.
  static func split(_ line: String, _ point: Int) -> [String] {
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

  /// The values of an option, when the word is one: after `--option=` or after a word `--option` that needs one.
  private static func choices(
    _ last: String, before: String?, _ options: [Option]
  ) -> [(word: String, meaning: String)]? {
    if last.hasPrefix("--"), let equals = last.firstIndex(of: "=") {
      let head = last[..<equals]
      guard let option = options.first(where: { $0.dashed == head }) else { return [] }
      return values(option).map { "\(head)=\($0)" }.filter { $0.hasPrefix(last) }.map { ($0, "") }
    }
    guard let before, let option = options.first(where: { $0.dashed == before || $0.short.map { "-\($0)" } == before }),
      option.value != .none, !option.valueIsOptional
    else { return nil }
    return values(option).filter { $0.hasPrefix(last) }.map { ($0, "") }
  }

  private static func values(_ option: Option) -> [String] {
    if case .choice(let values) = option.value { return values }
    return []
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
