import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Notices about an answer, and errors instead of one.
@Suite struct QueryNoticeTests {
  /// Values that are only shown, not compared, need no notice.
  @Test func mixedKindsCauseNoticeOnlyWhenCompared() throws {
    let database = try QueryTests().database(
      #"{"_id":"a","_type":"t","n":1,"m":1}"#, #"{"_id":"b","_type":"t","n":"x","m":2}"#)
    defer { database.close() }
    for sql in [
      "SELECT * FROM t", "SELECT n FROM t", "SELECT _id, t.n, m FROM t WHERE m > 0", "SELECT * FROM t ORDER BY m",
      "SELECT * FROM t WHERE m IN (SELECT m FROM t)", "SELECT max(m), n FROM t", "SELECT n FROM t LIMIT 1",
    ] {
      _ = try QueryTests().rows(database, sql)
      #expect(database.queries.notices == [], "\(sql)")
    }
    let notice = QueryNotice.severalKinds(table: "t", column: "n", kinds: [.numbers, .text])
    for sql in [
      "SELECT max(n) FROM t", "SELECT n FROM t ORDER BY n", "SELECT n AS x FROM t ORDER BY x",
      "SELECT DISTINCT n FROM t",
      "SELECT * FROM t ORDER BY 2", "SELECT n, count(*) FROM t GROUP BY n", "SELECT n > 1 FROM t",
      "SELECT m FROM t WHERE n",
      "SELECT m FROM t WHERE m IN (SELECT n FROM t)", "SELECT n FROM t UNION SELECT m FROM t", "SELECT n = 1, m FROM t",
      "WITH w AS (SELECT n FROM t) SELECT * FROM w WHERE n > 1", "SELECT * FROM t NATURAL JOIN t u",
      "SELECT x FROM (SELECT n AS x FROM t) WHERE x > 1", "SELECT n FROM t, (SELECT 1) WHERE (n) > 1",
    ] {
      _ = try QueryTests().rows(database, sql)
      #expect(database.queries.notices.contains(notice), "\(sql)")
    }
  }

  /// SQL compares the texts of dates and days, so that a day comes before all dates of that day.
  @Test func datesAndDaysCauseNoticeOnlyWhereTheyAreNeverEqual() throws {
    let database = try QueryTests().database(
      #"{"_id":"a","_type":"t","at":{"$day":"2026-03-01"}}"#,
      #"{"_id":"b","_type":"t","at":{"$date":"2026-03-01T00:00:00Z"}}"#, #"{"_id":"c","_type":"t"}"#)
    defer { database.close() }
    for (condition, ids) in [
      ("at >= '2026-03-01'", ["a", "b"]), ("'2026-03' < t.at", ["a", "b"]), ("at < '2026-03-01T00:00:00.000Z'", ["a"]),
      ("at BETWEEN '2026' AND '2027'", ["a", "b"]), ("at NOT BETWEEN '2026' AND '2026-03-01'", ["b"]),
      ("date(at) = '2026-03-01'", ["a", "b"]), ("date(t.at) IN ('2026-03-01')", ["a", "b"]),
      ("at > ago('9000w')", ["a", "b"]),
      ("at IS NULL OR at > '2026-03-01'", ["b", "c"]),
    ] {
      let rows = try QueryTests().rows(database, "SELECT _id FROM t WHERE \(condition) ORDER BY _id")
      #expect(rows == ids.map { [.text($0)] }, "\(condition)")
      #expect(database.queries.notices == [], "\(condition)")
    }
    let notice = QueryNotice.severalKinds(table: "t", column: "at", kinds: [.dates, .days])
    for condition in [
      "at = '2026-03-01'", "at <> '2026-03-01'", "at IN ('2026-03-01')", "at IS NOT '2026-03-01'", "'2026-03-01' = at",
      "at > '2026' AND at = '2026-03-01'", "at || '' > '2026'", "time(at) = '00:00:00'", "date(at, '+1 day') > '2026'",
      "at LIKE '2026%'", "_id IN (SELECT _id FROM t GROUP BY at)",
    ] {
      _ = try QueryTests().rows(database, "SELECT _id FROM t WHERE \(condition)")
      #expect(database.queries.notices == [notice], "\(condition)")
    }
    _ = try QueryTests().rows(database, "SELECT _id FROM t WHERE at > 'soon'")
    #expect(database.queries.notices == [.unlike(column: "at", kind: .dates, text: "soon")])
  }

  @Test func hiddenPropertyAndReservedTypeAreReported() throws {
    let database = try QueryTests().database(
      #"{"_id":"a","_type":"t","json":1}"#, #"{"_id":"b","_type":"sqlite_x","n":1}"#)
    defer { database.close() }
    #expect(try QueryTests().rows(database, "SELECT json FROM records WHERE _id = 'a'") == [[.json(#"{"json":1}"#)]])
    #expect(database.queries.notices == [.hidden("json")])
    #expect(try QueryTests().rows(database, "SELECT json FROM t") == [[.integer(1)]])
    #expect(database.queries.notices == [])
    #expect(throws: QueryFault.reservedType("sqlite_x")) { try QueryTests().rows(database, "SELECT * FROM sqlite_x") }
    #expect(throws: QueryFault.reservedType("sqlite_x")) {
      try QueryTests().rows(database, "SELECT 1 FROM type.\"SQLite_X\"")
    }
    #expect(throws: QueryFault.refused("the table 'sqlite_master'")) {
      try QueryTests().rows(database, "SELECT * FROM sqlite_schema")
    }
    #expect(try QueryTests().rows(database, "SELECT n FROM records WHERE _type = 'sqlite_x'") == [[.integer(1)]])
    let filter = RecordFilter(type: "sqlite_x")
    let query = try RecordQuery(filter, .init("n > 0", []))
    #expect(try database.queries.count(query) == 1)
    #expect(throws: QueryFault.noQuery("SELCT")) { try QueryTests().rows(database, "selct 1") }
    #expect(throws: QueryFault.noStatement) { try QueryTests().rows(database, " ;; -- nothing") }
  }

  /// A record of another instance does not change the meaning of a statement.
  @Test(arguments: ["json_each", "JSON_Tree"]) func typeDoesNotShadowTableFunction(type: String) throws {
    let function = type.lowercased()
    let database = try QueryTests().database(
      #"{"_id":"h","_type":"host","tags":["db","linux"]}"#,
      #"{"_id":"x","_type":"\#(type)","key":"k","value":"db","json":"[]","root":"$"}"#)
    defer { database.close() }
    func rows(_ sql: String) throws -> [[QueryValue]] { try QueryTests().rows(database, sql) }
    let values = "SELECT e.value FROM host h, \(function)(h.tags) e WHERE e.atom IS NOT NULL ORDER BY 1"
    #expect(try rows(values) == [[.text("db")], [.text("linux")]])
    #expect(
      try rows("SELECT count(*) FROM host WHERE 'db' IN (SELECT value FROM \(function)(tags))") == [[.integer(1)]])
    #expect(try rows("SELECT count(*) FROM host h JOIN \(type)(h.tags) e ON e.value = 'db'") == [[.integer(1)]])
    for sql in [
      "SELECT * FROM \(function)", "SELECT 1 FROM host, type.\(function)", "SELECT 1 FROM \(function)('[]'), \(type)",
    ] {
      #expect(throws: QueryFault.reservedType(type), "\(sql)") { try rows(sql) }
    }
    #expect(try rows("SELECT key FROM records WHERE _type = '\(type)'") == [[.text("k")]])
    let filter = RecordFilter(type: type)
    #expect(try database.queries.count(RecordQuery(filter, .init("key = 'k'", []))) == 1)
  }

  @Test func propertyNamedLikePathIsAmbiguous() throws {
    let database = try QueryTests().database(
      #"{"_id":"a","_type":"host","net":{"ip":"1"}}"#, #"{"_id":"b","_type":"host","net":{"ip":"2"}}"#)
    defer { database.close() }
    try database.store.makeIndex("ip", #require(IndexDefinition(.values, "host:/net/ip")))
    let sql = "SELECT _id FROM host WHERE \"/net/ip\" = '1'"
    #expect(try QueryTests().rows(database, sql) == [[.text("a")]])
    try QueryTests().put(database, [#"{"_id":"c","_type":"host","net":{"ip":"3"},"/net/ip":"1"}"#])
    #expect(throws: QueryFault.ambiguousPath("/net/ip")) { try QueryTests().rows(database, sql) }
    #expect(try QueryTests().rows(database, "SELECT _id FROM host WHERE prop(_id, '/net/ip') = '1'") == [[.text("a")]])
    #expect(
      try QueryTests().rows(database, "SELECT _id FROM host WHERE prop(_id, '/~1net~1ip') = '1'") == [[.text("c")]])
    // Statements without that name work as usual.
    #expect(try QueryTests().rows(database, "SELECT * FROM host").count == 3)
  }

  /// A value of a megabyte occupies a function for thousands of steps; time limits and interrupts are checked in
  /// between.
  @Test func stopIsCheckedDuringLongValues() throws {
    final class Count { var asked = 0 }
    let count = Count()
    let made = try Database.create(in: ScratchFolder.lasting(), .init(), .init())
    var settings = Settings(access: .write)
    settings.checkStop = { count.asked += 1 }
    let database = try Database(path: made.path, settings)
    defer { database.close() }
    let text = String(repeating: "x", count: 100_000)
    try QueryTests().put(
      database, (0..<10).map { #"{"_id":"a\#($0)","_type":"t","v":"\#(text)\#($0 / 2)","n":\#($0)}"# })
    for (sql, least, found) in [
      ("SELECT count(*) FROM t WHERE v LIKE '%y%'", 10, 0),
      ("SELECT count(*) FROM t WHERE n = 3 AND regexp('y', v)", 9, 0),
      // A long value is found by its beginning and compared as a whole.
      ("SELECT count(*) FROM t a JOIN t b ON a.v = b.v", 20, 20),
    ] {
      count.asked = 0
      #expect(try QueryTests().rows(database, sql) == [[.integer(Int64(found))]], "\(sql)")
      #expect(count.asked >= least, "\(sql): \(count.asked)")
    }
  }
}
