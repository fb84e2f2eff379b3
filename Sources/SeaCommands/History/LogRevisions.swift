import SeaCore
import SeaKit

/// `sea log RECORD`: its revisions.
struct LogRevisions {
  static let fields = [
    "mark", "id", "rev", "parent", "merged", "kind", "state", "block", "instance", "name", "time", "label",
  ]
  let log: LogOutput
  let id: String

  init(_ log: LogOutput, _ id: String) {
    self.log = log
    self.id = id
  }

  func print(_ row: RecordRow, _ database: Database) throws {
    let template = try log.template(LogRevisions.fields)
    var table = log.table((0..<5).map { _ in .init("") })
    try log.each { offer in
      try database.forEachEvent(of: row) { event in
        try offer(event.author) {
          let text = [LogRevisions.mark(event)] + (try LogRevisions.words(event, database, log))
          try log.print(item(event, database), Array(LogRevisions.fields.dropFirst()), template) { try table.row(text) }
        }
      }
    }
    try table.end()
  }

  private func item(_ event: Event, _ database: Database) throws -> FieldTable {
    var item = FieldTable()
    item["mark"] = .text(LogRevisions.mark(event))
    item["id"] = .text(id)
    item["rev"] = .name(event.revision.description)
    item["parent"] = event.leaf.parentRevision.map { .name($0.description) }
    let merged = try database.store.records.change(of: event.leaf).merged.map { "\"\($0)\"" }
    if !merged.isEmpty { item["merged"] = .json("[\(merged.joined(separator: ","))]") }
    item["kind"] = .text(event.leaf.kind.rawValue)
    item["state"] = .text(event.standing.rawValue)
    item["block"] = event.author.map { .name($0.place) }
    log.author(event.author, into: &item)
    return item
  }

  /// `*` winner, `!` live loser, `x` tombstone, `?` waiting for an ancestor.
  static func mark(_ event: Event) -> String {
    switch event.standing {
    case .winner: "*"
    case .loser: "!"
    case .tombstone: "x"
    case .waiting: "?"
    case .inner: ""
    }
  }

  /// Revision, instance, time, and what was done.
  static func words(
    _ event: Event, _ database: Database, _ log: LogOutput
  ) throws -> [String] {
    var what = event.author?.label ?? ""
    switch event.leaf.kind {
    case .resolved:
      what =
        try database.successor(of: event).map { "resolved into \(log.context.short($0))" } ?? "resolved"
    case .delete where !what.hasPrefix("delete"): what = what.isEmpty ? "deleted" : "\(what) (deleted)"
    case .put where event.leaf.parent == nil && (what.isEmpty || what == "put" || what.hasPrefix("set ")):
      what = "created"
    default: break
    }
    return [log.context.short(event.revision), log.shownName(event.author), log.time(event.author), what]
  }
}
