import SeaEngine
import SeaCore

extension Renewal {
  /// That this instance goes on under another name, and why, in one sentence.
  fileprivate func words(in terminal: Terminal) -> String {
    let (old, new) = (terminal.short(old), terminal.short(new))
    let why =
      switch reason {
      case .asked: "as asked for"
      case .forked: "as another copy of this database has written in the name of \(old)"
      case .rolledBack: "as this database is older than it was, like a restored backup"
      case .copied: "as this is a copy of a database that still goes by the name of \(old)"
      case .otherMachine: "as this database was used on another machine, and may be a copy"
      }
    return "this instance goes on as \(new), \(why); what \(old) wrote stays"
  }

  func hint(in terminal: Terminal) -> String? {
    waits ? "what it writes counts once a member has run: sea authorize \(terminal.short(new))" : nil
  }
}

extension Terminal {
  /// Tells on standard error that the instance has taken another name while a command was run for something else.
  func tell(_ renewal: Renewal) {
    let (text, hint) = (renewal.words(in: self), renewal.hint(in: self))
    guard options.json else { return warning("renewed", text, hint: hint) }
    var item = Item(event: "renewed", renewal.item)
    item.add(["code": .text("renewed"), "message": .text(text), "hint": .text(hint)])
    say(item)
  }
}

extension Renewal {
  /// What programs are told of it.
  var item: Item { ["old": .id(old), "instance": .id(new), "reason": .text(reason.rawValue)] }
}
