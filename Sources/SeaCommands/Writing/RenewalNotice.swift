import SeaEngine
import SeaCore

extension Renewal {
  fileprivate func words(in terminal: Terminal) -> String {
    let (old, new) = (terminal.short(old), terminal.short(new))
    let why =
      switch reason {
      case .asked: "on request"
      case .forked: "because another copy of this database wrote as \(old)"
      case .rolledBack: "because this database is an older copy, such as a restored backup"
      case .copied: "because this is a copy of a database that still uses \(old)"
      case .otherMachine: "because this database comes from another machine and may be a copy"
      }
    return "this instance is now \(new), \(why); the transactions of \(old) were kept"
  }

  func hint(in terminal: Terminal) -> String? {
    needsAuthorization ? "to accept its changes, an admin runs: sea authorize \(terminal.short(new))" : nil
  }
}

extension Terminal {
  func report(_ renewal: Renewal) {
    let (text, hint) = (renewal.words(in: self), renewal.hint(in: self))
    guard options.json else { return warning("renewed", text, hint: hint) }
    var item = Item(event: "renewed", renewal.item)
    item.add(["code": .text("renewed"), "message": .text(text), "hint": .text(hint)])
    say(item)
  }
}

extension Renewal {
  var item: Item { ["old": .id(old), "instance": .id(new), "reason": .text(reason.rawValue)] }
}
