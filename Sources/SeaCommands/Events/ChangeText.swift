import SeaCore
import SeaEngine

struct ChangeText {
  enum Detail {
    case values
    case names
    case none
  }

  let terminal: Terminal
  var detail = Detail.values

  func item(_ change: RevisionChange, effect: Bool = true) throws -> Item {
    var item: Item = [
      "effect": effect ? .text(change.effect.rawValue) : .absent, "id": .id(change.id), "type": .text(change.type),
      "rev": .id(change.revision), "parent": .id(change.parent), "kind": .text(change.kind.rawValue),
    ]
    item.add(try values(change))
    return item
  }

  func values(_ change: RevisionChange) throws -> Item {
    var item: Item = ["purged": .mark(change.isPurged)]
    guard let difference = change.difference, detail != .none else { return item }
    if detail == .names {
      item.add([
        "properties": .written { out, w in
          out.open(0x5B, &w)
          for one in difference.changes {
            out.item(&w)
            out.string(PropertyPath(names: [one.name]).pointer, &w)
          }
          out.close(0x5D, &w)
        }
      ])
      return item
    }
    item.add(["changes": ChangeText.changes(difference)])
    return item
  }

  /// Returns the changed properties, keyed by their pointers.
  static func changes(_ difference: Difference) -> Field {
    .written { out, w in
      out.open(0x7B, &w)
      for one in difference.changes {
        out.name(PropertyPath(names: [one.name]).pointer, &w)
        Field.object(["old": .value(one.old), "new": .value(one.new)]).write(&out, &w)
      }
      out.close(0x7D, &w)
    }
  }

  /// Returns a line such as `updated  host/web1  1-eb7f3c87 → 2-fd77b722`. `printValues` prints the values.
  func lines(_ change: RevisionChange) -> [Painted] {
    var head: Painted = "\(change.effect.rawValue)  \(change.id, .heading)  "
    if let parent = change.parent { head += "\(terminal.short(parent), .revision) → " }
    head += "\(terminal.short(change.revision), .revision)"
    return [head] + (change.isPurged ? ["(purged)"] : [])
  }

  // Text for people is printed piece by piece, because a record may have millions of properties.

  private var isForPeople: Bool { !terminal.options.json && !terminal.options.porcelain }

  /// Prints a line such as `updated  web1  ram_gb, notes`.
  func printLine(_ change: RevisionChange) throws {
    guard isForPeople else { return }
    try terminal.painter.part("  \(change.effect.rawValue)  \(change.id, .heading)")
    if change.isPurged {
      try terminal.output.write("  (purged)")
    } else if let difference = change.difference {
      try ChangeText.printNames(difference, after: "  ", terminal)
    }
    try terminal.output.byte(0x0A)
  }

  func printNames(_ change: RevisionChange) throws {
    guard isForPeople else { return }
    if change.isPurged { return try terminal.line("     (purged)") }
    guard let difference = change.difference, difference.changes.contains(where: { _ in true }) else { return }
    try ChangeText.printNames(difference, after: "     ", terminal)
    try terminal.output.byte(0x0A)
  }

  func printValues(_ change: RevisionChange) throws {
    guard detail == .values, !change.isPurged, let difference = change.difference else { return }
    try ChangeText.print(difference, terminal)
  }

  static func printNames(_ difference: Difference, after front: String, _ terminal: Terminal) throws {
    var front = front
    for one in difference.changes {
      try terminal.output.write(front)
      try terminal.output.write(terminal.shown(one.name))
      front = ", "
    }
  }

  static func print(_ difference: Difference, _ terminal: Terminal) throws {
    if terminal.options.isForPrograms { return }
    for one in difference.changes {
      if let value = one.old { try terminal.painter.line("- \(one.name)  ", value, .old) }
      if let value = one.new { try terminal.painter.line("+ \(one.name)  ", value, .new) }
    }
  }
}
