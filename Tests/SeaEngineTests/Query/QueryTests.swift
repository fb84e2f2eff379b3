import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Queries in SQL and the data kept for them.
@Suite struct QueryTests {
  func database(_ records: String...) throws -> Database {
    let made = try Database.create(in: ScratchFolder.lasting(), .init(), .init())
    let database = try Database(path: made.path, .init(access: .write))
    if !records.isEmpty { try put(database, records) }
    return database
  }

  func put(_ database: Database, _ texts: [String]) throws {
    let batch = WriteBatch(label: "test")
    for text in texts { try batch.add(text) }
    _ = try database.records.write(batch)
  }

  func rows(
    _ database: Database, _ sql: String, _ values: [(name: String, value: QueryValue)] = []
  ) throws -> [[QueryValue]] {
    var rows: [[QueryValue]] = []
    var count = 0
    try database.queries.run(sql, values, begin: { count = $0.columns.count }) { row in
      rows.append((0..<count).map { row.value($0) })
      return true
    }
    return rows
  }

  /// A column with several kinds of values has no type in any table: SQL compares texts and numbers as they are stored.
  @Test func mixedColumnsHaveNoType() throws {
    let database = try database(#"{"_id":"a","_type":"t","v":1}"#, #"{"_id":"b","_type":"t","v":"1"}"#)
    defer { database.close() }
    for table in ["t", "records"] {
      #expect(try rows(database, "SELECT _id FROM \(table) WHERE v = 1") == [[.text("a")]], "\(table)")
      #expect(try rows(database, "SELECT _id FROM \(table) WHERE v = '1'") == [[.text("b")]], "\(table)")
    }
  }

  private func fault(_ database: Database, _ sql: String) -> QueryFault? {
    do {
      _ = try rows(database, sql)
      return nil
    } catch { return error as? QueryFault }
  }

  static let host1 = """
    {"_id":"h/1","_type":"host","n":1,"big":{"$int":"99999999999999999999"},"price":{"$decimal":"12.50"},"on":true,
    "since":{"$date":"2026-03-01T00:00:00Z"},"at":{"$date":"2026-03-01T00:00:00.5Z"},"born":{"$day":"1927-01-26"},"key":{"$data":"AQI="},"owner":{"$ref":"p"},
    "count":{"$counter":3},"tags":{"$set":["b","a"]},"list":[1,{"$decimal":"1.50"}],"os":{"name":"x","at":{"$date":"2026-03-01T00:00:00Z"}},
    "phone":{"$label":"HomePhone","$value":"123"},"x":1.5}
    """

  @Test func valuesAreConvertedAsDocumented() throws {
    let database = try database(Self.host1, #"{"_id":"p","_type":"person","name":"Ada"}"#)
    defer { database.close() }
    let found = try rows(
      database,
      """
      SELECT n, big, price, "on", since, at, born, key, owner, count, tags, list, os, phone, x, exact(price), exact(big), exact(n),
      label(_id, '/phone'), label(_id, '/n'), prop(owner, 'name'), prop(owner, 'nix'), prop('none', 'name'), refers(_id, 'p'), refers(_id, 'q')
      FROM host
      """)
    let expected: [QueryValue] = [
      .integer(1), .double(1e20), .double(12.5), .integer(1), .text("2026-03-01T00:00:00.000Z"),
      .text("2026-03-01T00:00:00.500Z"), .text("1927-01-26"), .data([1, 2]), .text("p"), .integer(3),
      .json(#"["a","b"]"#),
      .json("[1,1.50]"),
      .json(#"{"at":"2026-03-01T00:00:00.000Z","name":"x"}"#), .text("123"), .double(1.5), .text("12.50"),
      .text("99999999999999999999"), .text("1"), .text("HomePhone"), .null, .text("Ada"), .null, .null, .integer(1),
      .integer(0),
    ]
    #expect(found == [expected])
  }

  @Test func typesAndAllRecordsAreTables() throws {
    let database = try database(
      #"{"_id":"a","_type":"records","n":1}"#, #"{"_id":"b","_type":"block","n":2}"#, #"{"_id":"c","n":3}"#,
      #"{"_id":"d","_type":"x\"y","n":4}"#, #"{"_id":"e","_type":"gone"}"#)
    defer { database.close() }
    try put(database, [#"{"_id":"e","_type":"gone","_deleted":true}"#])
    #expect(
      try rows(database, "SELECT _id FROM records ORDER BY _id DESC") == ["d", "c", "b", "a"].map { [.text($0)] })
    #expect(try rows(database, "SELECT _id FROM type.records") == [[.text("a")]])
    #expect(try rows(database, "SELECT n FROM block") == [[.integer(2)]])
    #expect(try rows(database, #"SELECT n FROM type."x""y""#) == [[.integer(4)]])
    #expect(try rows(database, "SELECT json FROM records WHERE n = 3") == [[.json(#"{"n":3}"#)]])
    #expect(try rows(database, "SELECT * FROM gone").isEmpty)
    #expect(database.queries.notices == [.noType("gone")])
  }

  @Test func idConditionsFindRecordsInOrder() throws {
    let database = try database()
    defer { database.close() }
    try put(database, (0..<50).map { #"{"_id":"r\#($0)","_type":"\#($0 % 2 == 0 ? "t" : "u")","n":\#($0)}"# })
    for (sql, condition) in [
      ("_id = 'r7'", { $0 == 7 }), ("_id > 'r4'", { "r\($0)" > "r4" }),
      ("_id >= 'r4' AND _id < 'r5'", { "r\($0)".hasPrefix("r4") }),
      ("_id IN ('r1', 'r2', 'nix')", { [1, 2].contains($0) }), ("_id = NULL", { _ in false }),
      ("_id = 'R7' COLLATE NOCASE", { $0 == 7 }),
      ("_id BETWEEN 'r3' AND 'r30'", { ("r3"..."r30").contains("r\($0)") }),
    ] as [(String, (Int) -> Bool)] {
      for table in ["records", "t"] {
        for order in ["", " ORDER BY _id", " ORDER BY _id DESC"] {
          let all = (0..<50).filter { condition($0) && (table == "records" || $0 % 2 == 0) }.map { "r\($0)" }
          let found = try rows(database, "SELECT _id FROM \(table) WHERE \(sql)\(order)").map { row -> String in
            if case .text(let text) = row[0] { text } else { "" }
          }
          let sorted = order.hasSuffix("DESC") ? all.sorted(by: >) : all.sorted()
          #expect(order.isEmpty ? found.sorted() == sorted : found == sorted, "\(table) \(sql)\(order)")
        }
      }
    }
    #expect(
      try rows(database, "SELECT count(*) FROM t a JOIN u b ON b._id = 'r' || (a.n + 1)") == [[.integer(25)]])
  }

  @Test func typoIsErrorAndUnknownNameIsNotice() throws {
    let database = try database(#"{"_id":"a","_type":"host","hostname":"x"}"#)
    defer { database.close() }
    #expect(fault(database, "SELECT hostnme FROM host") == .unknownColumn("hostnme", similar: "hostname"))
    #expect(fault(database, "SELECT h.hostnme FROM host h") == .unknownColumn("hostnme", similar: "hostname"))
    #expect(fault(database, "SELECT 1 FROM hots") == .unknownType("hots", similar: "host"))
    #expect(fault(database, "SELECT 1 FROM \"type.host\"") == .bad("no such table: type.host"))
    #expect(fault(database, "SELECT 1 FROM dbstat") == .refused("an internal table of SQLite"))
    #expect(fault(database, "SELECT _modifed FROM host") == .unknownColumn("_modifed", similar: "_modified"))
    // Double quotes enclose a name, never a text.
    #expect(try rows(database, #"SELECT "hello" FROM host"#) == [[.null]])
    #expect(database.queries.notices == [.noProperty("hello")])
    #expect(try rows(database, "SELECT h.ram, zzz FROM host h") == [[.null, .null]])
    #expect(
      database.queries.notices == [.noProperty("h.ram"), .noProperty("zzz")] || database.queries.notices.count == 2)
    // The last one is SQLite's name for the tables.
    for type in ["printer", "sea"] {
      #expect(try rows(database, "SELECT 1 FROM \(type)").isEmpty && database.queries.notices == [.noType(type)])
    }
  }

  @Test func namesDifferingOnlyInCaseAreAmbiguous() throws {
    let database = try database(
      #"{"_id":"a","_type":"t","Name":1,"name":2,"n":1}"#, #"{"_id":"b","_type":"Dog"}"#, #"{"_id":"c","_type":"dog"}"#)
    defer { database.close() }
    guard case .ambiguousCase(let names, isType: false)? = fault(database, "SELECT NAME FROM t") else {
      Issue.record("not refused")
      return
    }
    #expect(Set(names) == ["Name", "name"])
    #expect(
      try rows(database, "SELECT n, prop(_id, '/Name'), prop(_id, '/name') FROM t") == [
        [.integer(1), .integer(1), .integer(2)]
      ])
    guard case .ambiguousCase(_, isType: true)? = fault(database, "SELECT _id FROM dog") else {
      Issue.record("not refused")
      return
    }
  }

  @Test func filterDistinguishesTypesByCase() throws {
    let database = try database(#"{"_id":"b","_type":"Dog","n":1}"#, #"{"_id":"c","_type":"dog","n":2}"#)
    defer { database.close() }
    for (type, id) in [("Dog", "b"), ("dog", "c")] {
      let filter = RecordFilter(type: type)
      var found: [String] = []
      try database.queries.forEach(RecordQuery(filter, .init("n > 0", []))) { found.append($0.id) }
      #expect(found == [id])
      #expect(try database.queries.count(RecordQuery(filter)) == 1)
    }
    #expect(try database.queries.types().map(\.type) == ["Dog", "dog"])
  }

  /// The same characters, composed and decomposed, are two names.
  @Test func namesAreComparedByBytes() throws {
    let database = try database(#"{"_id":"a","_type":"t","caf\u00e9":1,"cafe\u0301":2}"#)
    defer { database.close() }
    #expect(try rows(database, "SELECT \"caf\u{E9}\", \"cafe\u{301}\" FROM t") == [[.integer(1), .integer(2)]])
    #expect(try database.queries.types().first?.properties.count == 2)
  }

  /// A type with more columns than SQLite allows: the columns in the statement are available.
  @Test(arguments: [(3000, 10), (400, 1000)]) func aTypeMayHaveManyProperties(count: Int, length: Int) throws {
    let fill = String(repeating: "x", count: length - 6)
    let pairs = (0..<count).map { "\"p\($0)\(fill)\":\($0)" }.joined(separator: ",")
    let database = try database(#"{"_id":"a","_type":"t",\#(pairs)}"#)
    defer { database.close() }
    #expect(
      try rows(database, "SELECT p7\(fill), p\(count - 1)\(fill) FROM t") == [
        [.integer(7), .integer(Int64(count - 1))]
      ])
    #expect(try rows(database, "SELECT prop(_id, 'p8\(fill)') FROM t") == [[.integer(8)]])
    #expect(try rows(database, "SELECT * FROM t").count == 1)
  }

  @Test func comparedMixedKindsCauseNotice() throws {
    let database = try database(
      #"{"_id":"a","_type":"t","n":1,"m":1,"d":{"$decimal":"1.5"}}"#, #"{"_id":"b","_type":"t","n":"x","m":2.5,"d":3}"#)
    defer { database.close() }
    #expect(try rows(database, "SELECT _id FROM t WHERE n >= 64") == [[.text("b")]])
    #expect(database.queries.notices == [.severalKinds(table: "t", column: "n", kinds: [.numbers, .text])])
    #expect(try rows(database, "SELECT _id FROM t WHERE m > '2' AND d > 2") == [[.text("b")]])
    #expect(database.queries.notices == [])
  }

  /// Statements that do more than read records are refused.
  @Test(arguments: [
    "ATTACH 'x' AS y", "DETACH type", "PRAGMA user_version", "PRAGMA type.table_list",
    "SELECT * FROM pragma_table_list",
    "SELECT * FROM pragma_table_info('t')", "DELETE FROM t", "UPDATE t SET n = 1", "INSERT INTO t(_id) VALUES('x')",
    "REPLACE INTO t(_id) VALUES(1)",
    "DROP TABLE t", "CREATE TABLE x(y)", "CREATE TEMP TABLE x AS SELECT * FROM t", "CREATE VIEW v AS SELECT 1",
    "CREATE VIRTUAL TABLE f USING fts5(a)",
    "CREATE VIRTUAL TABLE f USING sea(a)", "ALTER TABLE t ADD COLUMN x", "CREATE INDEX i ON t(n)",
    "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END",
    "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "VACUUM", "VACUUM INTO '/tmp/x'", "ANALYZE", "REINDEX",
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')", "SELECT writefile('/tmp/x', 'y')", "SELECT edit('x')",
    "SELECT fts3_tokenizer('x')", "SELECT * FROM sqlite_schema",
    "SELECT * FROM sqlite_master", "SELECT * FROM temp.sqlite_master", "SELECT * FROM type.sqlite_schema",
    "SELECT * FROM dbstat",
    "SELECT * FROM sqlite_stmt",
    "SELECT sqlite_version()",
    "SELECT sqlite_compileoption_get(1)", "SELECT last_insert_rowid()", "SELECT randomblob(9)", "SELECT zeroblob(9)",
    "SELECT 1; SELECT 2", "", "  -- nothing", "SELECT", "SELECT (", "EXPLAIN DELETE FROM t",
    "WITH x AS (SELECT 1) DELETE FROM t",
  ]) func statementsBeyondReadingAreRefused(sql: String) throws {
    let database = try database(#"{"_id":"a","_type":"t","n":1}"#)
    defer { database.close() }
    #expect(fault(database, sql) != nil, "\(sql)")
    #expect(try rows(database, "SELECT count(*), min(n) FROM t") == [[.integer(1), .integer(1)]])
  }

  @Test func endlessOrHugeQueryIsAborted() throws {
    let database = try database(#"{"_id":"a","_type":"t","n":1}"#)
    defer { database.close() }
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    #expect(throws: QueryFault.tooMuch(.seconds(1))) {
      try database.queries.run(endless, seconds: 1, begin: { _ in }, row: { _ in true })
    }
    #expect(throws: QueryFault.tooMuch(.length)) { try rows(database, "SELECT hex(printf('%.*c', 60000000, 'x'))") }
    #expect(throws: QueryFault.self) {
      try rows(database, "SELECT " + String(repeating: "(", count: 2000) + "1" + String(repeating: ")", count: 2000))
    }
  }

  @Test func parametersAreValuesNotSQL() throws {
    let database = try database(#"{"_id":"a","_type":"t","n":"x' OR 1 --"}"#, #"{"_id":"b","_type":"t","n":"y"}"#)
    defer { database.close() }
    #expect(try rows(database, "SELECT _id FROM t WHERE n = :n", [("n", .text("x' OR 1 --"))]) == [[.text("a")]])
    #expect(fault(database, "SELECT :n") == .missingParameter("n"))
    #expect(throws: QueryFault.unusedParameter("m")) { try rows(database, "SELECT 1", [("m", .null)]) }
  }

  @Test func exactNumbersSurviveSortingAndGrouping() throws {
    let database = try database(
      #"{"_id":"a","_type":"t","g":1,"p":{"$decimal":"0.10"}}"#,
      #"{"_id":"b","_type":"t","g":1,"p":{"$decimal":"0.20"}}"#,
      #"{"_id":"c","_type":"t","g":2,"p":{"$decimal":"12345678901234567890.123"}}"#)
    defer { database.close() }
    #expect(
      try rows(database, "SELECT g, decimal_sum(p), decimal_sum(DISTINCT x.p) FROM t x GROUP BY g ORDER BY 1 DESC")
        == [
          [.integer(2), .text("12345678901234567890.123"), .text("12345678901234567890.123")],
          [.integer(1), .text("0.30"), .text("0.30")],
        ])
    #expect(
      try rows(database, "SELECT exact(p) FROM t ORDER BY p DESC LIMIT 1") == [[.text("12345678901234567890.123")]])
    #expect(try rows(database, "SELECT _id FROM t WHERE decimal_cmp(p, '0.2') = 0") == [[.text("b")]])
    #expect(fault(database, "SELECT exact(p * 2) FROM t") == .notExact("exact"))
    #expect(fault(database, "SELECT exact(q) FROM (SELECT p AS q FROM t)") == .notExact("q"))
    // A property that no record has is null, also exactly.
    #expect(try rows(database, "SELECT decimal_mul(cost, 2), exact(t.cost) FROM t LIMIT 1") == [[.null, .null]])
    #expect(database.queries.notices == [.noProperty("cost")])
    #expect(fault(database, "SELECT exact(_idd) FROM t") == .unknownColumn("_idd", similar: "_id"))
  }

  @Test func hasFindsElementsOfSetsAndArrays() throws {
    let database = try database(
      #"{"_id":"a","_type":"t","s":{"$set":["db","x\"y","é"]},"l":[1,2.5,true,null,["db"]],"o":{"k":"v"}}"#)
    defer { database.close() }
    let asked: [(String, Int64)] = [
      ("has(s,'db')", 1), ("has(s,'d')", 0), ("has(s,'x\"y')", 1), ("has(s,'é')", 1), ("has(l,1)", 1),
      ("has(l,2.5)", 1), ("has(l,3)", 0),
      ("has(l,'1')", 0), ("has(l,'db')", 0), ("has(o,'k')", 1), ("has(o,'v')", 0), ("has(zzz,'k')", 0),
      ("has('[]','k')", 0), ("has(_id,'a')", 0),
    ]
    for (sql, expected) in asked {
      #expect(try rows(database, "SELECT \(sql) FROM t") == [[.integer(expected)]], "\(sql)")
    }
  }
}
