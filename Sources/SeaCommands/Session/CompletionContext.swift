import SeaEngine

package struct CompletionContext {
  var operands: [String] = []
  private var values: [(key: String, value: String)] = []
  private let command: any Command.Type
  var isOption = false
  private var waiting: Option?

  init(_ command: any Command.Type, _ words: [String]) {
    self.command = command
    let options = command.options + GlobalOptions.all
    for word in words { parse(word, options) }
  }

  private mutating func parse(_ word: String, _ options: [Option]) {
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

  static func wants(_ word: String, _ option: Option) -> Bool {
    option.value != .none && !option.valueIsOptional && (option.dashed == word || option.short.map { "-\($0)" } == word)
  }

  var operand: ValueKind? {
    let all = command.operands
    if operands.count < all.count { return all[operands.count].value }
    guard let last = all.last, last.count == .any || last.count == .several else { return nil }
    return last.value
  }

  package var type: String? { values.last { $0.key == Option.type.key }?.value }

  package var record: String? {
    guard let first = operands.first, let kind = command.operands.first?.value,
      [.record, .revision, .contested].contains(kind)
    else { return nil }
    return first
  }
}
