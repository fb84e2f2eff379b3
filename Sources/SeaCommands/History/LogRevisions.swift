import SeaCore
import SeaEngine

struct LogRevisions {
  static let fields = [
    "mark", "id", "rev", "parent", "merged", "kind", "state", "block", "instance", "name", "time", "label",
  ]
  let log: LogOutput
  let id: String

  func print(_ row: RecordRow, in past: PastRecord?, _ database: Database) throws {
    if let detail = log.detail { return try print(row, in: past, detail, database) }
    let list = try log.list([Column("", "mark", slot: LogRevisions.slot)] + LogRevisions.columns, LogRevisions.fields)
    try log.each { offer in
      try database.history.forEachEvent(of: row, in: past) { event in
        try offer(event.author) { try list.add(item(event, database)) }
      }
    }
    try list.end()
  }

  private func print(
    _ row: RecordRow, in past: PastRecord?, _ detail: ChangeText.Detail, _ database: Database
  ) throws {
    let text = ChangeText(terminal: log.session.terminal, detail: detail)
    var isFirst = true
    try log.each { offer in
      try database.history.forEachEvent(of: row, in: past) { event in
        try offer(event.author) {
          let change = try database.history.change(event.leaf, of: row, .updated)
          var item = try item(event, database)
          item.add(try text.values(change))
          try log.session.terminal.painter.show(
            item,
            lines: {
              defer { isFirst = false }
              let words = ["author", "time", "what"].compactMap { item[$0].cell(log.session.terminal) }
              let mark = item["mark"].plain
              var head: Painted = "\(mark.isEmpty ? " " : mark, LogRevisions.slot(mark))"
              if let revision = item["rev"].cell(log.session.terminal) { head += "  \(revision, .revision)" }
              for word in words where !word.isEmpty { head += "  \(word)" }
              if detail == .names { return [head] }
              return (isFirst ? [] : [""]) + [head] + (change.isPurged ? ["(purged)"] : [])
            })
          if detail == .names { try text.printNames(change) }
          try text.printValues(change)
        }
      }
    }
  }

  private func item(_ event: Event, _ database: Database) throws -> Item {
    let merged = try database.history.merged(by: event)
    var item: Item = [
      "mark": .aside(LogRevisions.mark(event)), "id": .id(id), "rev": .id(event.revision),
      "parent": .id(event.leaf.parentRevision), "merged": merged.isEmpty ? .absent : .texts(merged),
      "kind": .text(event.leaf.kind.rawValue), "state": .text(event.state.rawValue),
      "block": .id(event.author?.place),
    ]
    item.add(log.author(event.author))
    item.add(try LogRevisions.words(event, database, log))
    return item
  }

  /// Returns `*` for the winner, `!` for a conflicting revision, `x` for a tombstone, `?` for a missing ancestor.
  static func mark(_ event: Event) -> String {
    switch event.state {
    case .winner: "*"
    case .loser: "!"
    case .tombstone: "x"
    case .waiting: "?"
    case .inner: ""
    }
  }

  @Sendable private static func slot(_ mark: String) -> ColorSlot? {
    switch mark {
    case "*": .good
    case "!", "?": .problem
    default: nil
    }
  }

  static let columns = [
    Column("", "rev", slot: { _ in .revision }), Column("", "author"), Column("", "time", isWhole: true),
    Column("", "what"),
  ]

  static func words(_ event: Event, _ database: Database, _ log: LogOutput) throws -> Item {
    var what = event.author?.label ?? ""
    switch event.leaf.kind {
    case .resolved:
      what =
        event.successor.map { "resolved into \(log.session.terminal.short($0))" } ?? "resolved"
    case .delete where !what.hasPrefix("delete"): what = what.isEmpty ? "deleted" : "\(what) (deleted)"
    case .put where event.leaf.parent == nil && (what.isEmpty || what == "put" || what.hasPrefix("set ")):
      what = "created"
    default: break
    }
    return ["author": .aside(log.shownName(event.author)), "what": .aside(what)]
  }
}
