import SeaCore
import SeaKit

/// `sea log RECORD PATH`: the values that a property had.
struct LogValues {
  private static let fields = [
    "id", "path", "value", "type", "rev", "kind", "branch", "block", "instance", "name", "time", "label",
  ]
  private let log: LogOutput
  private let id: String
  private let path: PropertyPath

  init(_ log: LogOutput, _ id: String, _ path: PropertyPath) {
    self.log = log
    self.id = id
    self.path = path
  }

  func print(_ row: RecordRow, _ database: Database) throws {
    let template = try log.template(LogValues.fields)
    var table = log.table([.init("", right: true)] + (0..<6).map { _ in .init("") })
    var found = false
    try log.each { offer in
      try database.forEachValue(of: row, path) { event, value in
        found = true
        return try offer(event.author) {
          let words = try LogRevisions.words(event, database, log)
          let branch = event.isOnWinningBranch ? "" : "(other branch)"
          try log.print(item(event, value), LogValues.fields, template) {
            try table.row([value?.text ?? "-", value?.type ?? ""] + words + [branch])
          }
        }
      }
    }
    try table.end()
    if !found { throw KitError.propertyNotFound(id: id, path: path.description) }
  }

  private func item(_ event: Event, _ value: ToldValue?) -> FieldTable {
    var item = FieldTable()
    item["id"] = .text(id)
    item["path"] = .text(path.pointer)
    item["value"] = value.map { .json($0.json) }
    item["type"] = value.map { .text($0.type) }
    item["rev"] = .name(event.revision.description)
    item["kind"] = .text(event.leaf.kind.rawValue)
    item["branch"] = .text(event.isOnWinningBranch ? "winner" : "other")
    item["block"] = event.author.map { .name($0.place) }
    log.author(event.author, into: &item)
    return item
  }
}
