import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Paths that stand in SQL as they are.
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

  private func chosen(_ database: Database, _ condition: String, computing expressions: [String] = []) throws -> Int {
    try database.queries.choose(RecordQuery(RecordFilter(), .init(condition, [])), computing: expressions).count
  }

  private static let hosts = [
    #"{"_id":"h/1","_type":"host","os":{"name":"x","at":{"city":"Basel"}},"owner":{"$ref":"p"},"phone":{"$label":"HomePhone","$value":"1"}}"#,
    #"{"_id":"h/2","_type":"host","os":{"name":"y"},"list":[{"name":1}],"note":"{\"a\":1}","tags":{"$set":["a"]}}"#,
    #"{"_id":"p","_type":"person","name":"Ada"}"#,
  ]

  @Test(arguments: [
    ("os ->> 'nmae'", "os.nmae", "os.name"), ("OS -> 'nmae'", "os.nmae", "os.name"),
    ("host.os ->> '$.nmae'", "os.nmae", "os.name"), ("(os -> 'at') ->> 'ctiy'", "os.at.ctiy", "os.at.city"),
    ("json_extract(os, '$.name', '$.at.\"ctiy\"')", "os.at.ctiy", "os.at.city"),
    ("json_type(os, '$.nmae')", "os.nmae", "os.name"), ("list ->> '$[0].nmae'", "list.0.nmae", "list.0.name"),
    ("list -> 0 -> 'nmae'", "list.0.nmae", "list.0.name"),
    ("prop(_id, '/os/nmae')", "os.nmae", "os.name"), ("prop(_id, 'lits.0.name')", "lits.0.name", "list.0.name"),
    ("prop(_id, '/os') ->> 'nmae'", "os.nmae", "os.name"), ("prop(owner, '/nmae')", "owner->nmae", "owner->name"),
    ("prop(host.\"owner\", 'nmae')", "owner->nmae", "owner->name"), ("label(_id, '/phnoe')", "phnoe", "phone"),
    ("kind(_id, '/os/nmae')", "os.nmae", "os.name"),
  ]) func whatIsMistypedWithinAValueIsAnError(expression: String, path: String, meant: String) throws {
    let database = try database(Self.hosts[0], Self.hosts[1], Self.hosts[2])
    defer { database.close() }
    let fault = QueryFault.unknownColumn(path, similar: meant)
    #expect(throws: fault) { try notices(database, "SELECT _id FROM host WHERE \(expression) IS NULL") }
    if !expression.contains("host.") { #expect(throws: fault) { try chosen(database, "\(expression) IS NULL") } }
  }

  @Test func whatNobodyHasIsANotice() throws {
    let database = try database(Self.hosts[0], Self.hosts[1], Self.hosts[2])
    defer { database.close() }
    for (expression, path) in [
      ("os ->> 'elsewhere'", "os.elsewhere"), ("prop(_id, '/elsewhere/x')", "elsewhere.x"),
      ("prop(owner, '/elsewhere')", "owner->elsewhere"), ("list ->> 7", "list.7"), ("os -> 'name' -> 'x'", ""),
    ] where !path.isEmpty {
      #expect(try notices(database, "SELECT \(expression) FROM host") == [.noProperty(path)], "\(expression)")
    }
    // What any record has, and what is JSON or may be.
    for expression in [
      "os ->> 'name'", "os -> 'at' ->> 'city'", "list ->> '$[#-1].name'", "note ->> 'a'", "tags ->> 0",
      "prop(_id, '/os/at')",
      "prop(_id, 'os.at.city')", "prop(owner, 'name')", "label(_id, '/phone')", "kind(owner, '/name')",
      "json_extract(os, '$')", "os ->> _id", "'{\"a\":1}' ->> 'b'",
    ] {
      #expect(try notices(database, "SELECT \(expression) FROM host") == [], "\(expression)")
    }
    #expect(try notices(database, "SELECT t.value ->> 'nmae' FROM host, json_each(list) t") == [])
    #expect(try notices(database, "SELECT x ->> 'nmae' FROM (SELECT os AS x FROM host)") == [])
    #expect(try notices(database, "SELECT json ->> 'note' FROM records") == [])
    #expect(throws: QueryFault.unknownColumn("noet", similar: "note")) {
      try notices(database, "SELECT json ->> 'noet' FROM records")
    }
  }

  /// Of what reads only the first thousand records are looked at.
  @Test func whatReadsLooksAtAThousand() throws {
    let database = try database()
    defer { database.close() }
    try QueryTests().put(
      database, (0..<1500).map { #"{"_id":"r\#($0)","_type":"t","d":{"name":1\#($0 == 1400 ? ",\"nmea\":2" : "")}}"# })
    let seen = QueryNotice.unseen("d.nmae", similar: "d.name", looked: 1000)
    #expect(try notices(database, "SELECT count(d ->> 'nmae') FROM t") == [seen])
    #expect(throws: QueryFault.self) { try chosen(database, "d ->> 'nmae' IS NULL") }
    #expect(try chosen(database, "d ->> 'nmea' IS NULL") == 1499)
  }

  private static let mixed = [
    #"{"_id":"m/1","_type":"mix","n":5,"d":{"q":5,"at":{"$date":"2026-01-01"}},"at":{"$date":"2026-01-01"}}"#,
    #"{"_id":"m/2","_type":"mix","n":"unknown","d":{"q":"no","at":"x"},"at":"soon"}"#,
    #"{"_id":"m/3","_type":"mix","n":100,"d":{"q":100}}"#,
    #"{"_id":"r/1","_type":"ref","to":{"$ref":"m/1"}}"#, #"{"_id":"r/2","_type":"ref","to":{"$ref":"m/2"}}"#,
  ]

  private func mix() throws -> Database {
    let database = try database(Self.mixed[0], Self.mixed[1], Self.mixed[2], Self.mixed[3], Self.mixed[4])
    return database
  }

  @Test(arguments: [
    ("prop(_id, '/n') > 64", "n"), ("d ->> 'q' > 64", "d.q"), ("D ->> '$.q' > 64", "d.q"), ("json ->> 'n' > 64", "n"),
    ("json_extract(d, '$.q') > 64", "d.q"), ("prop(\"to\", '/n') > 64", "to->n"), ("prop(_id, '/d/q') > 64", "d.q"),
  ]) func kindsAreToldApartWithinValuesToo(condition: String, path: String) throws {
    let database = try mix()
    defer { database.close() }
    let kinds: [ValueClass] = [.numbers, .text]
    #expect(throws: QueryFault.mixedKinds(column: path, kinds: kinds)) { try chosen(database, condition) }
    let expression = String(condition.dropLast(5))
    #expect(throws: QueryFault.mixedKinds(column: path, kinds: kinds)) {
      try chosen(database, "1", computing: [expression])
    }
    let found = try notices(database, "SELECT _id FROM records WHERE \(condition)")
    #expect(found == [.severalKinds(table: "records", column: path, kinds: kinds)])
    // What is only asked for, and what is told apart.
    #expect(
      try notices(database, "SELECT _id FROM records WHERE typeof(\(expression)) = 'integer' AND \(condition)") == [])
    _ = try chosen(database, "\(expression) IS NOT NULL")
    _ = try chosen(database, "typeof(\(expression)) = 'integer' AND \(condition)")
    let (base, own) = path.hasPrefix("to") ? ("\"to\"", "n") : ("_id", path)
    let count = try chosen(database, "kind(\(base), '\(own)') = 'number' AND \(condition)")
    #expect(count == (base == "_id" ? 1 : 0))
  }

  @Test func kindsAreToldApartInColumnsOfIndexes() throws {
    let database = try mix()
    defer { database.close() }
    try database.store.makeIndex("q", #require(IndexDefinition(.values, "mix:/d/q")))
    var filter = RecordFilter()
    filter.type = "mix"
    func choose(_ condition: String) throws -> Int {
      try database.queries.choose(RecordQuery(filter, .init(condition, []))).count
    }
    #expect(throws: QueryFault.mixedKinds(column: "d.q", kinds: [.numbers, .text])) { try choose(#""/d/q" > 64"#) }
    #expect(try choose(#"typeof("/d/q") = 'integer' AND "/d/q" > 64"#) == 1)
    #expect(try choose(#"kind(_id, '/d/q') = 'number' AND "/d/q" > 64"#) == 1)
  }

  /// `typeof` cannot tell a date from a text, nor does it say anything of the condition where it is only computed.
  @Test func whatDoesNotTellKindsApartFreesNothing() throws {
    let database = try mix()
    defer { database.close() }
    let kinds: [ValueClass] = [.dates, .text]
    #expect(throws: QueryFault.mixedKinds(column: "at", kinds: kinds)) {
      try chosen(database, "typeof(at) = 'text' AND at > '2026'")
    }
    #expect(throws: QueryFault.mixedKinds(column: "d.at", kinds: kinds)) {
      try chosen(database, "typeof(d ->> 'at') = 'text' AND d ->> 'at' > '2026'")
    }
    #expect(try chosen(database, "kind(_id, '/at') = 'text' AND at > '2026'") == 1)
    #expect(try chosen(database, "kind(_id, '/at') = 'date' AND at < '2026-02'") == 1)
    let numbers = QueryFault.mixedKinds(column: "n", kinds: [.numbers, .text])
    #expect(throws: numbers) { try chosen(database, "n > 64", computing: ["typeof(n)"]) }
    #expect(throws: numbers) { try chosen(database, "n IS NOT NULL", computing: ["n + 1"]) }
    #expect(throws: numbers) { try chosen(database, "1", computing: ["typeof(n)", "n + 1"]) }
    #expect(try chosen(database, "_type = 'mix'", computing: ["typeof(n)"]) == 3)
    #expect(try notices(database, "SELECT n FROM mix WHERE kind(_id, '/n') = 'number' AND n > 64") == [])
    #expect(try notices(database, "SELECT at FROM mix WHERE typeof(at) = 'text'").count == 1)
    #expect(try chosen(database, "typeof(n) = 'integer' AND n > 64", computing: ["n + 1"]) == 1)
  }

  @Test func kindSaysWhatAPropertyIs() throws {
    let database = try database(QueryTests.host1)
    defer { database.close() }
    for (path, kind) in [
      ("n", "number"), ("price", "number"), ("count", "number"), ("on", "boolean"), ("since", "date"), ("key", "data"),
      ("owner", "text"), ("tags", "json"), ("os", "json"), ("os.at", "date"), ("phone", "text"), ("list.1", "number"),
    ] {
      #expect(try QueryTests().rows(database, "SELECT kind(_id, '\(path)') FROM host") == [[.text(kind)]], "\(path)")
    }
    #expect(try QueryTests().rows(database, "SELECT kind('none', '/n') FROM host") == [[.null]])
  }

  @Test func aNameInSingleQuotesIsNone() throws {
    let database = try database(
      #"{"_id":"h/1","_type":"host","os":1}"#, #"{"_id":"v","_type":"vm","of":"h/1","name":"x"}"#)
    defer { database.close() }
    for (sql, name) in [
      ("SELECT count(*) FROM 'vm'", "vm"), ("SELECT count(*) FROM 'host'", "host"), ("SELECT 1 FROM 'nix'", "nix"),
      ("SELECT 1 FROM type.'VM'", "VM"), ("SELECT 1 FROM 'records'", "records"),
      ("SELECT records.'name' FROM records", "name"),
      ("SELECT _id FROM host WHERE _id NOT IN (SELECT \"of\" FROM 'vm')", "vm"),
    ] {
      #expect(throws: QueryFault.nameAsText(name), "\(sql)") { try notices(database, sql) }
    }
    #expect(throws: QueryFault.nameAsText("os")) { try chosen(database, "_type = 'host' AND records.'os' IS NULL") }
    #expect(try notices(database, "SELECT os AS 'x', 'vm' FROM host 'h' WHERE 'vm' = 'vm'") == [])
    #expect(try notices(database, "SELECT 'printer' FROM printer") == [.noType("printer")])
    // Where SQLite has the column, it is what is meant.
    #expect(try notices(database, "SELECT host.'os' FROM host") == [])
    // It is there, and there is no table of that name.
    #expect(throws: QueryFault.bad("no such column: r.name")) { try notices(database, "SELECT r.name FROM vm") }
    #expect(try notices(database, "SELECT h.name FROM host h, vm") == [.noProperty("name")])
  }

  /// SQLite numbers rows as they lie here, which is another number on every instance.
  @Test(arguments: ["rowid", "_rowid_", "oid", "ROWID", "t.rowid"]) func rowsHaveNoNumbers(name: String) throws {
    let database = try database(#"{"_id":"a","_type":"t","n":1}"#, #"{"_id":"b","_type":"own","rowid":7}"#)
    defer { database.close() }
    #expect(throws: QueryFault.unknownColumn("rowid", similar: "_id")) {
      try notices(database, "SELECT \(name) FROM t")
    }
    #expect(try QueryTests().rows(database, "SELECT rowid FROM own") == [[.integer(7)]])
    #expect(try QueryTests().rows(database, "SELECT count(*) FROM t WHERE n = 1 OR _id = 'a'") == [[.integer(1)]])
  }

  @Test func columnsHaveNamesOfTheirOwn() throws {
    let database = try database()
    defer { database.close() }
    var names: [String] = []
    try database.queries.run(
      #"SELECT 1 AS a, 2 AS a, 3 AS "a:1", 4 AS a"#, begin: { names = $0.columns }, row: { _ in true })
    #expect(names == ["a", "a:2", "a:1", "a:3"])
  }
}
