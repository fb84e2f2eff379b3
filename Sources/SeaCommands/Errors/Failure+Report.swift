import SeaEngine

extension Failure {
  private func usage(_ terminal: Terminal) -> String? {
    guard kind == .usage, let command = terminal.command else { return nil }
    return "for usage, run: sea \(terminal.calledAs ?? command.name) -h"
  }

  func report(to terminal: Terminal) {
    let hint = terminal.givesHints ? Hint.fitting(hint, terminal.command) ?? usage(terminal) : nil
    guard terminal.options.json else {
      terminal.prose.say("sea: error[\(slug)]: \(message)")
      for line in lines { terminal.prose.say(below: line) }
      if let hint { terminal.prose.say(hint: hint) }
      return
    }
    var item = Item(event: "error", ["code": .text(slug), "exit": .integer(status.rawValue)])
    for (key, value) in details { item[key] = .text(value) }
    for (key, value) in numbers { item[key] = .integer(value) }
    item.add(["message": .text(message), "lines": lines.isEmpty ? .absent : .texts(lines), "hint": .text(hint)])
    terminal.say(item)
  }
}

extension Terminal {
  func warn(_ failure: Failure) { warning(failure.slug, failure.message, hint: failure.hint) }
}
