import SeaCore
import SeaEngine

/// A change from the changes feed, formatted for output and hooks.
struct ChangeEvent {
  private let terminal: Terminal
  private let names: [UUID: String]

  init(_ session: Session, _ database: Database) throws {
    terminal = session.terminal
    names = try database.members.names()
  }

  func item(_ change: FeedChange) throws -> Item {
    var item = Item(
      event: "change",
      [
        "position": .text(change.position), "effect": .text(change.effect.rawValue), "id": .id(change.id),
        "type": .text(change.type), "old": .id(change.old), "rev": .id(change.new), "lost": .id(change.lost),
        "conflict": .mark(change.isConflict), "purged": .mark(change.isPurged),
      ])
    if let difference = change.difference { item.add(["changes": ChangeText.changes(difference)]) }
    if let block = change.block {
      item.add([
        "own": .flag(change.isOwn), "block": .id(block.place), "instance": .id(block.instance),
        "name": .text(names[block.instance] ?? ""), "time": .time(block.time), "label": .text(block.label),
      ])
    }
    return item
  }

  /// Prints a line such as `12-9f3c0a1b2c3d  updated  host/web1  1-eb7f3c87 → 2-fd77b722  ram_gb, notes  (ops1)`.
  private func print(_ change: FeedChange) throws {
    var flow = Flow(terminal)
    for word: String in [change.position.description, change.effect.rawValue, change.id] {
      try flow.add(terminal.shown(word))
    }
    let revisions = [change.old, change.lost ?? (change.new == change.old ? nil : change.new)].compactMap { $0 }
    if !revisions.isEmpty {
      try flow.add(revisions.map(terminal.short).joined(separator: change.lost == nil ? " → " : " | "))
    }
    if change.isPurged {
      try flow.add("(purged)")
    } else if let difference = change.difference, !difference.isEmpty, !difference.deletes {
      var gap = Flow.gap
      for one in difference.changes {
        try flow.add(terminal.shown(one.name), after: gap)
        gap = ", "
      }
    }
    if change.isConflict { try flow.add("CONFLICT") }
    if let block = change.block {
      let name = names[block.instance] ?? ""
      try flow.add(terminal.shown("(\(name.isEmpty ? terminal.short(block.instance) : name))"))
    }
    try flow.end()
  }

  func show(_ change: FeedChange) throws {
    if terminal.options.isForPrograms { return try terminal.show(item(change)) { [] } }
    try print(change)
  }
}
