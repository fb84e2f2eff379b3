import SeaCore
import SeaEngine

/// `sea ops --show=OP`: the records and revisions of one operation.
struct OperationRecords {
  private static let fields = ["op", "effect", "id", "rev", "parent", "kind"]
  let log: LogOutput

  func print(_ operation: Operation, _ database: Database) throws {
    let list = try log.list(
      [
        Column("", "effect"), Column("", "id"), Column("", "rev"),
        Column { item, _ in
          switch item["kind"].plain {
          case RevisionKind.resolved.rawValue: "(end of a branch)"
          case RevisionKind.delete.rawValue: "(deleted)"
          default: ""
          }
        },
      ], OperationRecords.fields)
    try database.history.changes(of: operation).forEach { record in
      for change in record.changes {
        try list.add([
          "op": .text(operation.name), "effect": .text(record.effect.rawValue), "id": .text(record.id),
          "rev": .id(change.revision), "parent": .id(change.parent), "kind": .text(change.kind.rawValue),
        ])
      }
    }
    try list.end()
  }
}
