import SeaCore
import SeaEngine
import SeaWords

/// The tree of a record's revisions: who wrote each, in which block.
struct InspectRecord {
  private let session: Session
  private let database: Database

  init(_ session: Session, _ database: Database) { (self.session, self.database) = (session, database) }

  func print(_ row: RecordRow) throws -> ExitStatus {
    let terminal = session.terminal
    let names = try database.members.names()
    try database.atOneState {
      let item: Item = [
        "id": .id(row.id), "type": .text(row.type), "deleted": .flag(row.isDeleted),
        "conflict": .flag(row.conflict != .none),
      ]
      try terminal.show(Item(event: "record", item), wraps: true) {
        let state = row.isDeleted ? "  deleted" : row.conflict != .none ? "  in conflict: sea conflicts" : ""
        return ["record \(row.id)\(row.type.map { "  \($0)" } ?? "")\(state)", ""]
      }
      var lines = GraphLines(winner: try database.records.revision("winner", of: row).revision, terminal)
      try database.history.forEachEvent(of: row, in: nil) { event in
        let merged = try database.history.merged(by: event)
        if terminal.options.json {
          try terminal.object(self.item(event, merged, names))
          return true
        }
        let taken = merged.isEmpty ? "" : "took in \(merged.map { terminal.short($0) }.joined(separator: " "))"
        lines.add(
          event,
          [
            terminal.short(event.revision), event.state.rawValue, name(event, names),
            event.author.map { terminal.text($0.time) } ?? "-", taken,
          ])
        return true
      }
      try lines.print(columns: 5)
    }
    return .success
  }

  /// The block, with its author as people call him.
  private func name(_ event: Event, _ names: [UUID: String]) -> String {
    guard let author = event.author else { return "-" }
    let name = names[author.instance].flatMap { $0.isEmpty ? nil : $0 } ?? session.terminal.short(author.instance)
    return name + author.tail
  }

  private func item(_ event: Event, _ merged: [RevisionID], _ names: [UUID: String]) -> Item {
    Item(
      event: "revision",
      [
        "rev": .id(event.revision), "parent": .id(event.leaf.parentRevision),
        "merged": merged.isEmpty ? .absent : .texts(merged), "kind": .text(event.leaf.kind.rawValue),
        "state": .text(event.state.rawValue), "block": .id(event.author?.place),
        "name": .text(event.author.flatMap { names[$0.instance] }.flatMap { $0.isEmpty ? nil : $0 }),
        "time": .time(event.author?.time), "bytes": .integer(event.leaf.length),
      ])
  }
}
