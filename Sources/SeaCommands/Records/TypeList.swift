import SeaCore
import SeaEngine

/// `sea query --types`: each type, its records, and the properties that they have.
struct TypeList {
  let session: Session
  let database: Database

  /// - Returns: how many there are.
  func print() throws -> Int {
    let list = try Listing(
      session.terminal,
      [Column("TYPE", "type"), Column("RECORDS", "count", right: true), Column("PROPERTIES", "properties")])
    let types = try database.queries.types()
    for one in types {
      try list.add([
        "type": .text(one.type).orNull, "count": .integer(one.count), "properties": .texts(one.properties),
      ])
    }
    try list.end()
    return types.count
  }
}
