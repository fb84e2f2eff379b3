import SeaCore
import SeaKit

/// What a revision changed, as several commands tell of it.
struct ChangeText {
  let terminal: Terminal
  /// Whether values are told, or only how many there are.
  var counts = false

  func item(_ change: RevisionChange, effect: Bool = true) throws -> Item {
    var item: Item = [
      "effect": effect ? .text(change.effect.rawValue) : .absent, "id": .id(change.id), "type": .text(change.type),
      "rev": .id(change.revision), "parent": .id(change.parent), "kind": .text(change.kind.rawValue),
    ]
    item.add(try values(change))
    return item
  }

  /// The properties that are different.
  func values(_ change: RevisionChange) throws -> Item {
    var item: Item = ["purged": .mark(change.isPurged)]
    guard let difference = change.difference, !counts else { return item }
    var changes: Item = [:]
    for one in difference.changes {
      let values: Item = ["old": try .value(one.old), "new": try .value(one.new)]
      changes.add([PropertyPath(names: [one.name]).pointer: .object(values)])
    }
    item.add(["changes": .object(changes)])
    return item
  }

  /// `updated  host/web1  1-eb7f3c87 → 2-fd77b722`, and the properties.
  func lines(_ change: RevisionChange) throws -> [String] {
    let from = change.parent.map { "\(terminal.short($0)) → " } ?? ""
    return ["\(change.effect.rawValue)  \(change.id)  \(from)\(terminal.short(change.revision))"]
      + (try properties(change))
  }

  func properties(_ change: RevisionChange) throws -> [String] {
    if change.isPurged { return ["(purged)"] }
    guard let difference = change.difference, !counts else { return [] }
    var lines: [String] = []
    for one in difference.changes {
      if let value = one.old { lines.append("- \(one.name)  \(try value.json())") }
      if let value = one.new { lines.append("+ \(one.name)  \(try value.json())") }
    }
    return lines
  }
}
