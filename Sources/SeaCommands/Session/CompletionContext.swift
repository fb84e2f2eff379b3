import SeaEngine

/// The words of a command line before the word to complete.
package struct CompletionContext {
  var operands: [String] = []
  /// The values of options so far, by key.
  private var values: [(key: String, value: String)] = []
  private let command: any Command.Type
  /// Whether the value of an option is to be completed.
  var isOption = false
  /// The option whose value is the next word.
  private var waiting: Option?

  init(_ command: any Command.Type, _ words: [String]) {
    self.command = command
    let options = command.options + GlobalOptions.all
    for word in words { take(word, options) }
  }

  private mutating func take(_ word: String, _ options: [Option]) {
    if let option = waiting {
      values.append((option.key, word))
      waiting = nil
    } else if word == "-" || !word.hasPrefix("-") {
      operands.append(word)
    } else if let equals = word.firstIndex(of: "="), word.hasPrefix("--") {
      let option = options.first { $0.dashed == word[..<equals] }
      if let option { values.append((option.key, String(word[word.index(after: equals)...]))) }
    } else if let option = options.first(where: { CompletionContext.wants(word, $0) }) {
      waiting = option
    } else if let option = options.first(where: { one in one.short.map { word.hasPrefix("-\($0)") } ?? false }),
      option.value != .none
    {
      values.append((option.key, String(word.dropFirst(2))))
    }
  }

  /// Returns whether the word is the option, and its value is the next word.
  static func wants(_ word: String, _ option: Option) -> Bool {
    option.value != .none && !option.valueIsOptional && (option.dashed == word || option.short.map { "-\($0)" } == word)
  }

  /// The kind of the next operand.
  var operand: ValueKind? {
    let all = command.operands
    if operands.count < all.count { return all[operands.count].value }
    guard let last = all.last, last.count == .any || last.count == .several else { return nil }
    return last.value
  }

  /// The record type that an option names.
  package var type: String? { values.last { $0.key == Option.type.key }?.value }

  /// The record that the first operand names.
  package var record: String? {
    guard let first = operands.first, let kind = command.operands.first?.value,
      [.record, .revision, .contested].contains(kind)
    else { return nil }
    return first
  }
}
