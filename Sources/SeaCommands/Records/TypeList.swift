import SeaCore
import SeaKit

/// `sea query --types`: each type, its records, and the properties that they have.
struct TypeList {
  let session: Session
  let database: Database

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
    let list = try Listing(
      session.terminal,
      [Column("TYPE", "type"), Column("RECORDS", "count", right: true), Column("PROPERTIES", "properties")])
    for one in counts {
      try list.add([
        "type": .text(one.type).orNull, "count": .integer(one.count), "properties": .texts(one.properties.keys),
      ])
    }
    try list.end()
    return .success
  }
}
