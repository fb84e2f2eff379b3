import SeaEngine

/// Implements `sea --complete LINE POINT`, which prints candidates for the word at byte POINT of LINE. Each output line
/// is `WORD TAB MEANING`.
package enum Completion {
  static func answer(_ words: [String], _ session: Session) throws -> ExitStatus {
    guard words.count == 3, let point = Int(words[2]) else { throw UsageFault.missingOperand("LINE POINT") }
    // Shells print candidates unescaped, so omit words that could control the terminal or add a line.
    for (word, meaning) in candidates(words[1], point, session).prefix(200) where Escape.shown(word) == word {
      try session.terminal.line(meaning.isEmpty ? word : "\(word)\t\(Escape.shown(meaning))")
    }
    return .success
  }

  /// Returns the commands, options and values that are possible at this point. An empty word stands for all file names.
  package static func candidates(_ line: String, _ point: Int, _ session: Session) -> [(word: String, meaning: String)]
  {
    var words = split(line, point)
    let last = words.popLast() ?? ""
    if !words.isEmpty { words.removeFirst() }
    var parser = Parser(words)
    let name = (try? parser.commandName()) ?? nil
    // The command line may be incomplete. Only options that select a database matter here.
    session.options = parser.globals
    let command = name.flatMap(Commands.find)
    if name != nil, command == nil { return [] }
    let options = (command?.options ?? []) + GlobalOptions.all
    var context = command.map { CompletionContext($0, parser.rest) }
    if let (head, kind) = optionValue(last, before: words.last, options) {
      context?.isOption = true
      let start = String(last.dropFirst(head.count))
      return values(kind, start, context, session).map { ($0.word.isEmpty ? "" : head + $0.word, $0.meaning) }
    }
    if last.hasPrefix("-") { return spelled(options).filter { $0.word.hasPrefix(last) } }
    guard let context else { return names(last) }
    return context.operand.map { values($0, last, context, session) } ?? []
  }

  /// Splits the line up to the cursor and removes quotes, as a shell does. The last word is the word to complete.
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

  private static func optionValue(
    _ last: String, before: String?, _ options: [Option]
  ) -> (head: String, kind: ValueKind)? {
    if last.hasPrefix("--"), let equals = last.firstIndex(of: "=") {
      let option = options.first { $0.dashed == last[..<equals] }
      return (String(last[...equals]), option?.value ?? .none)
    }
    guard let before, let option = options.first(where: { CompletionContext.wants(before, $0) }) else { return nil }
    return ("", option.value)
  }

  /// An empty word tells the shell to complete file names.
  private static func files(_ kind: String) -> [(word: String, meaning: String)] { [("", kind)] }

  private static func values(
    _ kind: ValueKind, _ start: String, _ context: CompletionContext?, _ session: Session
  ) -> [(word: String, meaning: String)] {
    switch kind {
    case .none, .text, .integer, .size, .duration, .uuid: return []
    case .file: return files("file")
    case .directory: return files("directory")
    case .rounds: return "auto".hasPrefix(start) ? [("auto", "a second of work here")] : []
    case .choice(let values), .offered(let values): return values.filter { $0.hasPrefix(start) }.map { ($0, "") }
    case .command:
      return names(start)
        + Commands.guides.filter { $0.name.hasPrefix(start) && Commands.find($0.name) == nil }.map {
          ($0.name, $0.about)
        }
    default: break
    }
    let found = ((try? session.candidates(kind, start, context)) ?? []).filter {
      !$0.word.isEmpty && $0.word.hasPrefix(start)
    }
    return found.isEmpty && [.bundle, .place].contains(kind) ? files("file") : found
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
