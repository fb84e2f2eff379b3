import SeaCore
import SeaKit

/// `sea query --types`: each type, its records, and the properties that they have.
struct TypeList {
  private let context: Context
  private let database: Database

  init(_ context: Context, _ database: Database) {
    self.context = context
    self.database = database
  }

  func print() throws -> ExitStatus {
    var counts: [(type: String?, count: Int, properties: Members)] = []
    try database.atOneState {
      for one in try database.records.types() { counts.append((one.type, one.count, Members())) }
      try database.records.forEach(RecordFilter()) { view in
        guard let at = counts.firstIndex(where: { UTF8Text.equal($0.type ?? "", view.type ?? "") }) else { return true }
        for name in try view.propertyNames() { counts[at].properties[name] = .null }
        return true
      }
    }
    if context.options.json {
      for one in counts {
        try context.object {
          if let type = one.type { $0.text("type", type) } else { $0.null("type") }
          $0.integer("count", one.count)
          $0.texts("properties", one.properties.keys)
        }
      }
      return .success
    }
    var table = Table(
      [.init("TYPE"), .init("RECORDS", right: true), .init("PROPERTIES")], width: context.width, output: context.output)
    for one in counts {
      try table.row([one.type ?? "-", String(one.count), one.properties.keys.joined(separator: " ")])
    }
    try table.end()
    return .success
  }
}
