import SeaCore
import SeaKit

/// What a revision changed, as several commands tell of it.
struct ChangeText {
  enum Detail {
    case values
    /// The names of the properties that are different.
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

  /// The properties that are different.
  func values(_ change: RevisionChange) throws -> Item {
    var item: Item = ["purged": .mark(change.isPurged)]
    guard let difference = change.difference, detail != .none else { return item }
    if detail == .names {
      item.add(["properties": .texts(difference.changes.map { PropertyPath(names: [$0.name]).pointer })])
      return item
    }
    item.add(["changes": try changes(difference)])
    return item
  }

  /// The properties that are different, by their pointers.
  func changes(_ difference: Difference) throws -> Field {
    var changes: Item = [:]
    for one in difference.changes {
      let values: Item = ["old": try .value(one.old), "new": try .value(one.new)]
      changes.add([PropertyPath(names: [one.name]).pointer: .object(values)])
    }
    return .object(changes)
  }

  /// `updated  host/web1  1-eb7f3c87 → 2-fd77b722`, and the properties.
  func lines(_ change: RevisionChange) throws -> [String] {
    let from = change.parent.map { "\(terminal.short($0)) → " } ?? ""
    return ["\(change.effect.rawValue)  \(change.id)  \(from)\(terminal.short(change.revision))"]
      + (try properties(change))
  }

  /// `updated  web1  ram_gb, notes`
  func line(_ change: RevisionChange) throws -> String {
    try (["\(change.effect.rawValue)  \(change.id)"] + properties(change)).joined(separator: "  ")
  }

  func properties(_ change: RevisionChange) throws -> [String] {
    if change.isPurged { return ["(purged)"] }
    guard let difference = change.difference, detail != .none else { return [] }
    if detail == .names {
      return difference.changes.isEmpty ? [] : [difference.changes.map(\.name).joined(separator: ", ")]
    }
    var lines: [String] = []
    for one in difference.changes {
      if let value = one.old { lines.append("- \(one.name)  \(try value.json())") }
      if let value = one.new { lines.append("+ \(one.name)  \(try value.json())") }
    }
    return lines
  }
}
