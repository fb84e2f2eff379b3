import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Paths that are used in SQL directly.
@Suite struct QueryPathTests {
  private func database(_ records: String...) throws -> Database {
    let tests = QueryTests()
    let database = try tests.database()
    try tests.put(database, records)
    return database
  }

  private func notices(_ database: Database, _ sql: String) throws -> [QueryNotice] {
    _ = try QueryTests().rows(database, sql)
    return database.queries.notices
  }

  @Test func pathArgumentsAreCheckedAgainstKnownProperties() throws {
    let database = try database(
      #"{"_id":"h","_type":"host","name":"x","owner":{"$ref":"p"}}"#, #"{"_id":"p","_type":"person","age":36}"#)
    defer { database.close() }
    for function in ["prop", "label", "kind"] {
      #expect(throws: QueryFault.unknownColumn("nmae", similar: "name")) {
        try notices(database, "SELECT \(function)(_id, '/nmae') FROM host")
      }
      #expect(try notices(database, "SELECT \(function)(h._id, '/color/x') FROM host h") == [.noProperty("color")])
      #expect(try notices(database, "SELECT \(function)(_id, '/age') FROM host") == [.noProperty("age")])
      #expect(try notices(database, "SELECT \(function)(owner, '/age'), \(function)(_id, '/name') FROM host") == [])
    }
    let filter = RecordFilter(type: "host")
    #expect(throws: QueryFault.unknownColumn("age", similar: nil)) {
      try database.queries.choose(RecordQuery(filter, .init("prop(_id, '/age') IS NULL", [])))
    }
  }

  @Test func kindReturnsKindOfProperty() throws {
    let database = try database(QueryTests.host1)
    defer { database.close() }
    for (path, kind) in [
      ("n", "number"), ("price", "number"), ("count", "number"), ("on", "boolean"), ("since", "date"), ("born", "day"),
      ("key", "data"),
      ("owner", "text"), ("tags", "json"), ("os", "json"), ("os.at", "date"), ("phone", "text"), ("list.1", "number"),
    ] {
      #expect(try QueryTests().rows(database, "SELECT kind(_id, '\(path)') FROM host") == [[.text(kind)]], "\(path)")
    }
    #expect(try QueryTests().rows(database, "SELECT kind('none', '/n') FROM host") == [[.null]])
  }

  /// SQLite's row numbers depend on the local storage order, so they differ between instances.
  @Test(arguments: ["rowid", "_rowid_", "oid", "ROWID", "t.rowid"]) func tablesHaveNoRowid(name: String) throws {
    let database = try database(#"{"_id":"a","_type":"t","n":1}"#, #"{"_id":"b","_type":"own","rowid":7}"#)
    defer { database.close() }
    #expect(throws: QueryFault.unknownColumn("rowid", similar: "_id")) {
      try notices(database, "SELECT \(name) FROM t")
    }
    #expect(try QueryTests().rows(database, "SELECT rowid FROM own") == [[.integer(7)]])
    #expect(try QueryTests().rows(database, "SELECT count(*) FROM t WHERE n = 1 OR _id = 'a'") == [[.integer(1)]])
  }

  @Test func resultColumnsHaveUniqueNames() throws {
    let database = try database()
    defer { database.close() }
    var names: [String] = []
    try database.queries.run(
      #"SELECT 1 AS a, 2 AS a, 3 AS "a:1", 4 AS a"#, begin: { names = $0.columns }, row: { _ in true })
    #expect(names == ["a", "a:2", "a:1", "a:3"])
  }
}
