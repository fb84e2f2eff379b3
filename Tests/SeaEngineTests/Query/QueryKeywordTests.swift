import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// SQL keywords that are also names of types, and columns that only one of the tables has.
@Suite struct QueryKeywordTests {
  private func ask(_ database: Database, _ sql: String) throws -> [[QueryValue]] {
    var (rows, count) = ([[QueryValue]](), 0)
    try database.queries.run(sql, [], begin: { count = $0.columns.count }) { row in
      rows.append((0..<count).map { row.value($0) })
      return true
    }
    return rows
  }

  private func database() throws -> Database {
    try QueryTests().database(
      #"{"_id":"x","_type":"T","a":1}"#, #"{"_id":"y","_type":"U","t":1}"#,
      #"{"_id":"o","_type":"order","ip":1,"total":2}"#,
      #"{"_id":"p","_type":"person","r":{"$ref":"o"},"n":7}"#, #"{"_id":"g","_type":"group","members":3}"#,
      #"{"_id":"q","_type":"person"}"#, #"{"_id":"c","_type":"count","size":4}"#,
      #"{"_id":"l","_type":"null","void":5}"#)
  }

  @Test func typeNamedLikeKeywordDoesNotDisturbQueries() throws {
    let database = try database()
    defer { database.close() }
    #expect(try ask(database, "SELECT a, t FROM U") == [[.null, .integer(1)]])
    #expect(try ask(database, "SELECT _id FROM person WHERE ip = 1 ORDER BY _id") == [])
    #expect(
      try ask(database, "SELECT _id, total FROM person ORDER BY _id") == [[.text("p"), .null], [.text("q"), .null]])
    #expect(try ask(database, "SELECT members, count(*) FROM person GROUP BY 1") == [[.null, .integer(2)]])
    #expect(try ask(database, "SELECT count(size) FROM person") == [[.integer(0)]])
    #expect(try ask(database, "SELECT _id FROM person WHERE void IS NOT NULL") == [])
    // An unknown column of the qualified table is a typo.
    #expect(throws: QueryFault.unknownColumn("totl", similar: "total")) {
      try ask(database, #"SELECT totl FROM "order" ORDER BY _id"#)
    }
    #expect(try ask(database, "SELECT totl FROM person ORDER BY _id") == [[.null], [.null]])
  }

  @Test func columnOfOtherTableIsNull() throws {
    let database = try database()
    defer { database.close() }
    let join = #"FROM person p JOIN "order" o ON p.r = o._id"#
    #expect(try ask(database, "SELECT p.total, o.total \(join)") == [[.null, .integer(2)]])
    #expect(try ask(database, "SELECT p.n, o.n \(join)") == [[.integer(7), .null]])
    #expect(database.queries.notices == [.noProperty("n")])
    let correlated = #"SELECT _id FROM person WHERE EXISTS(SELECT 1 FROM "order" o WHERE o.ip = person.ip)"#
    #expect(try ask(database, correlated) == [])
    #expect(throws: QueryFault.self) { try ask(database, "SELECT x.total \(join)") }
  }

  /// A column that only the table of all records has is null in a type's table, like any other.
  @Test func typeTableHasNoJSONColumn() throws {
    let database = try database()
    defer { database.close() }
    #expect(try ask(database, "SELECT json FROM T") == [[.null]])
    #expect(database.queries.notices == [.noProperty("json")])
    #expect(
      try ask(database, "SELECT t.json, r.json IS NULL FROM T t JOIN records r ON r._id = 'y'") == [
        [.null, .integer(0)]
      ])
    // A table can also follow IN.
    #expect(throws: QueryFault.bad("sub-select returns 2 columns - expected 1")) {
      try ask(database, #"SELECT _id FROM person WHERE _id NOT IN "group""#)
    }
  }

  /// One step of SQLite can produce any number of large values.
  @Test func memoryOfOneRowIsLimited() throws {
    let database = try database()
    defer { database.close() }
    let columns = (0..<40).map { "length(printf('%60000000d', \($0)))" }.joined(separator: ", ")
    #expect(throws: QueryFault.tooMuch(.memory)) { try ask(database, "SELECT \(columns)") }
    #expect(try ask(database, "SELECT count(*) FROM person") == [[.integer(2)]])
  }
}
