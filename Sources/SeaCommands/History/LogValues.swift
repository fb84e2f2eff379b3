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
    var list: Listing?
    try log.each { offer in
      try database.history.forEachValue(of: row, path, in: past) { event, value in
        return try offer(event.author) {
          var item = try item(event, value)
          item.add(try LogRevisions.words(event, database, log))
          if list == nil { list = try self.list(value) }
          try list?.add(item)
        }
      }
    }
    guard list != nil else { throw KitError.propertyNotFound(id: id, path: path.description) }
    try list?.end()
  }

  /// - Parameter first: one of the values. Numbers stand below each other by their ends, texts by their beginnings.
  private func list(_ first: ToldValue?) throws -> Listing {
    let isNumber = first.map { ["integer", "double", "decimal", "counter"].contains($0.type) } ?? false
    return try log.list(
      [Column("", "text", right: isNumber), Column("", "type", none: "")] + LogRevisions.columns
        + [Column { item, _ in item["branch"].plain == "winner" ? "" : "(other branch)" }], LogValues.fields)
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
