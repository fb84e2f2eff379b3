import SeaCore
import SeaEngine

/// A change of the feed as it is told: to who asked for it, and to hooks.
struct ChangeEvent {
  private let terminal: Terminal
  private let text: ChangeText
  private let names: [UUID: String]

  init(_ session: Session, _ database: Database) throws {
    terminal = session.terminal
    text = ChangeText(terminal: terminal)
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
    if let difference = change.difference { item.add(["changes": try text.changes(difference)]) }
    if let block = change.block {
      item.add([
        "own": .flag(change.isOwn), "block": .id(block.place), "instance": .id(block.instance),
        "name": .text(names[block.instance] ?? ""), "time": .time(block.time), "label": .text(block.label),
      ])
    }
    return item
  }

  /// `12-9f3c0a1b2c3d  updated  host/web1  1-eb7f3c87 → 2-fd77b722  ram_gb, notes  (ops1)`
  func line(_ change: FeedChange) -> String {
    var parts = [change.position.description, change.effect.rawValue, change.id]
    let revisions = [change.old, change.lost ?? (change.new == change.old ? nil : change.new)].compactMap { $0 }
    if !revisions.isEmpty {
      parts.append(revisions.map(terminal.short).joined(separator: change.lost == nil ? " → " : " | "))
    }
    if change.isPurged {
      parts.append("(purged)")
    } else if let difference = change.difference, !difference.isEmpty, !difference.deletes {
      parts.append(difference.changes.map(\.name).joined(separator: ", "))
    }
    if change.isConflict { parts.append("CONFLICT") }
    if let block = change.block {
      let name = names[block.instance] ?? ""
      parts.append("(\(name.isEmpty ? terminal.short(block.instance) : name))")
    }
    return parts.joined(separator: "  ")
  }

  func show(_ change: FeedChange) throws { try terminal.show(item(change)) { [line(change)] } }
}
