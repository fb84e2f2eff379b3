import SeaCore
import SeaEngine
import SeaWords

/// `sea log RECORD PATH`: the values that a property had.
struct LogValues {
  private static let fields = [
    "id", "path", "value", "type", "rev", "kind", "branch", "block", "instance", "name", "time", "label",
  ]
  let log: LogOutput
  let id: String
  let path: PropertyPath

  func print(_ row: RecordRow, in past: PastRecord?, _ database: Database) throws {
    let list = try log.list(
      [Column("", "text", right: true), Column("", "type", none: "")] + LogRevisions.columns
        + [Column { item, _ in item["branch"].plain == "winner" ? "" : "(other branch)" }], LogValues.fields)
    var found = false
    try log.each { offer in
      try database.history.forEachValue(of: row, path, in: past) { event, value in
        found = true
        return try offer(event.author) {
          var item = try item(event, value)
          item.add(try LogRevisions.words(event, database, log))
          try list.add(item)
        }
      }
    }
    try list.end()
    if !found { throw KitError.propertyNotFound(id: id, path: path.description) }
  }

  private func item(_ event: Event, _ value: ToldValue?) throws -> Item {
    var item: Item = [
      "id": .id(id), "path": .text(path.pointer), "value": Field.value(value?.stored),
      "text": try value.map { .aside(try $0.text()) } ?? .absent, "type": .text(value?.type),
      "rev": .id(event.revision),
      "kind": .text(event.leaf.kind.rawValue), "branch": .text(event.isOnWinningBranch ? "winner" : "other"),
      "block": .id(event.author?.place),
    ]
    item.add(log.author(event.author))
    return item
  }
}
