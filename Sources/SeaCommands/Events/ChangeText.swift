import SeaCore
import SeaEngine

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
  func lines(_ change: RevisionChange) throws -> [Painted] {
    var head: Painted = "\(change.effect.rawValue)  \(change.id, .heading)  "
    if let parent = change.parent { head += "\(terminal.short(parent), .revision) → " }
    head += "\(terminal.short(change.revision), .revision)"
    return try [head] + properties(change)
  }

  /// `updated  web1  ram_gb, notes`
  func line(_ change: RevisionChange) throws -> Painted {
    var line: Painted = "\(change.effect.rawValue)  \(change.id, .heading)"
    for property in try properties(change) { line += "  \(property)" }
    return line
  }

  func properties(_ change: RevisionChange) throws -> [Painted] {
    if change.isPurged { return ["(purged)"] }
    guard let difference = change.difference, detail != .none else { return [] }
    if detail == .names {
      return difference.changes.isEmpty ? [] : [Painted(difference.changes.map(\.name).joined(separator: ", "))]
    }
    return try ChangeText.lines(difference)
  }

  /// What each property was and is.
  static func lines(_ difference: Difference) throws -> [Painted] {
    var lines: [Painted] = []
    for one in difference.changes {
      if let value = one.old { lines.append(Painted("- \(one.name)  \(try value.json())", .old)) }
      if let value = one.new { lines.append(Painted("+ \(one.name)  \(try value.json())", .new)) }
    }
    return lines
  }
}
