import SeaCore
import SeaKit

/// `sea ops --show=OP`: the records and revisions of one operation.
struct OperationRecords {
  private static let fields = ["op", "effect", "id", "rev", "parent", "kind"]
  private let log: LogOutput
  private let context: Context

  init(_ log: LogOutput, _ context: Context) {
    self.log = log
    self.context = context
  }

  func print(_ operation: Operation, _ database: Database) throws {
    let template = try log.template(OperationRecords.fields)
    var table = log.table((0..<4).map { _ in .init("") })
    try database.changes(of: operation).forEach { record in
      for change in record.changes {
        var item = FieldTable()
        item["op"] = .text(operation.name)
        item["effect"] = .text(record.effect.rawValue)
        item["id"] = .text(record.id)
        item["rev"] = .name(change.revision.description)
        item["parent"] = change.parent.map { .name($0.description) }
        item["kind"] = .text(change.kind.rawValue)
        let end = change.kind == .resolved ? "(end of a branch)" : change.kind == .delete ? "(deleted)" : ""
        try log.print(item, OperationRecords.fields, template) {
          try table.row([record.effect.rawValue, record.id, context.short(change.revision), end])
        }
      }
    }
    try table.end()
  }
}
