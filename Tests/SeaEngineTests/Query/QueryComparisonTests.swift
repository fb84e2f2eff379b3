import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Values that are compared with what is like none of them: sea-query(7), No silence.
@Suite struct QueryComparisonTests {
  private static let records = [
    #"{"_id":"h/1","_type":"t","n":64,"on":true,"at":{"$date":"2026-03-01T10:00:00Z"},"tags":{"$set":["db"]},"s":"x","key":{"$data":"AAA="},"to":{"$ref":"p"},"os":{"name":"linux","ram":"64","n":5,"at":{"$date":"2026-03-01T10:00:00Z"}}}"#,
    #"{"_id":"p","_type":"person","name":"Ada","age":36,"zip":"8000"}"#,
  ]

  private func database() throws -> Database {
    let database = try QueryTests().database()
    try QueryTests().put(database, Self.records)
    return database
  }

  private typealias Values = [(name: String, value: QueryValue)]

  private func notices(_ database: Database, _ condition: String, _ values: Values = []) throws -> [QueryNotice] {
    try database.queries.run(
      "SELECT _id FROM type.t WHERE \(condition)", values, begin: { _ in }, row: { _ in true })
    return database.queries.notices
  }

  private func choose(_ database: Database, _ condition: String, _ values: Values = []) throws {
    var filter = RecordFilter()
    filter.type = "t"
    _ = try database.queries.choose(RecordQuery(filter, .init(condition, values)))
  }

  @Test(arguments: [
    ("n > '64 GB'", "n", ValueClass.numbers, "64 GB"), ("'many' <= n", "n", .numbers, "many"),
    ("\"on\" = 'true'", "on", .booleans, "true"), ("at < 'yesterday'", "at", .dates, "yesterday"),
    ("at = '2026-03-01'", "at", .dates, "2026-03-01"), ("at IN ('2026-03-01T10:00:00.000Z', 'x')", "at", .dates, "x"),
    ("at BETWEEN '2026' AND 'tomorrow'", "at", .dates, "tomorrow"), ("at IS NOT 'x'", "at", .dates, "x"),
    ("at > '2026-03-01 10:00'", "at", .dates, "2026-03-01 10:00"), ("tags = 'db'", "tags", .json, "db"),
    ("key = 'x'", "key", .data, "x"), ("_modified > 'yesterday'", "_modified", .dates, "yesterday"),
    ("_conflict = 'true'", "_conflict", .numbers, "true"), ("os ->> 'n' = '5'", "os.n", .numbers, "5"),
    ("json_extract(os, '$.n') = '5'", "os.n", .numbers, "5"),
    ("prop(\"to\", '/age') = '36'", "to->age", .numbers, "36"),
    ("(os ->> 'at') > 'soon'", "os.at", .dates, "soon"), ("t.n = 'x' AND n > 5", "n", .numbers, "x"),
    ("(n) < 'x'", "n", .numbers, "x"), ("NOT ((n)) < 'x'", "n", .numbers, "x"), ("+n < 'x'", "n", .numbers, "x"),
    ("s = 'x' OR 'x' > (+n)", "n", .numbers, "x"), ("n < ''", "n", .numbers, ""), ("at > ''", "at", .dates, ""),
    ("(os ->> 'n') < ''", "os.n", .numbers, ""),
  ]) func unlike(condition: String, column: String, kind: ValueClass, text: String) throws {
    let database = try database()
    defer { database.close() }
    #expect(try notices(database, condition) == [.unlike(column: column, kind: kind, text: text)])
    #expect(throws: QueryFault.unlike(column: column, kind: kind, text: text)) { try choose(database, condition) }
  }

  @Test(arguments: [
    ("os -> 'name' = 'linux'", "os.name", "linux"), ("'linux' <> os -> '$.name'", "os.name", "linux"),
    ("os -> 'n' > 3", "os.n", ""), ("os -> 'n' IN (3, 5)", "os.n", ""),
  ]) func jsonOfAnArrow(condition: String, path: String, text: String) throws {
    let database = try database()
    defer { database.close() }
    #expect(try notices(database, condition) == [.unlikeJSON(path: path, text: text)])
    #expect(throws: QueryFault.unlikeJSON(path: path, text: text)) { try choose(database, condition) }
  }

  @Test(arguments: [
    ("os ->> 'ram' > 32", "os.ram", ValueClass.text), ("prop(\"to\", '/zip') = 8000", "to->zip", .text),
    ("s > -5", "s", .text), ("at < 2026", "at", .dates), ("at > 2026-01-15", "at", .dates),
    ("2026-01-15 < at", "at", .dates), ("1.5 < s", "s", .text),
  ]) func numbersBesideTexts(condition: String, column: String, kind: ValueClass) throws {
    let database = try database()
    defer { database.close() }
    #expect(try notices(database, condition) == [.notNumbers(table: "t", column: column, kind: kind)])
    #expect(throws: QueryFault.notNumbers(column: column, kind: kind)) { try choose(database, condition) }
  }

  /// What is alike, and what is computed or said of a value.
  @Test(arguments: [
    "n > '32'", "n = ' 64'", "n <> ''", "(n) <> ''", "at = ''", "s > ''", "length(n) < 3", "3 + (n) < 7",
    "(n + 1) = 65", "\"on\" = TRUE", "at < '2026-04'", "at >= '2026-03-01T10'", "at > ago('7d')",
    "at = '2026-03-01T10:00:00.000Z'", "'2026' < at", "at BETWEEN '2026' AND '2027'", "tags = '[\"db\"]'",
    "has(tags, 'db')", "os -> 'name' = '\"linux\"'", "os -> 'n' = '5'", "os -> 'n' = os -> 'n'", "os ->> 'n' > 3",
    "64 < os ->> 'n'", "json_array_length(os, '$.name') > 3", "json_type(os, '$.name') = 'text'",
    "'on ' || at = 'on x'", "at || '' = 'x'", "s || 5 = 'x5'", "typeof(os ->> 'ram') = 'text'", "n = 5 - 'x'",
    "CAST(s AS REAL) < '3'", "lower(s) = 'x'", "-1 < n", "(n, s) = (64, 'x')",
    "(s, n) IN (VALUES ('x', 64))", "s COLLATE NOCASE = 'X'", "strftime('%Y', at) = '2026'", "date(at) = '2026-03-01'",
    "coalesce(s, 'y') = 'y'", "n < 2 * 40",
    "s = 5 || 'x'",
    "key = x'0000'", "s = 'x' OR s = ''", "CAST(os ->> 'ram' AS REAL) < 64", "prop(\"to\", '/age') = 36",
    "label(_id, '/s') = 'x'", "_conflict = 0", "_conflict = '0'", "_created < '2999'", "kind(_id, '/n') = 'number'",
  ]) func alike(condition: String) throws {
    let database = try database()
    defer { database.close() }
    #expect(try notices(database, condition) == [])
    #expect(throws: Never.self) { try choose(database, condition) }
  }

  /// What is computed is of one kind, whatever stands beside it.
  @Test(arguments: [
    ("length(s) < '5'", "length(s)", "5"), ("'5' >= length(s)", "length(s)", "5"), ("n * 2 > '3'", "n * 2", "3"),
    ("3 + (n) < 'x'", "3 + (n)", "x"), ("NOT (n + 1) = '65'", "(n + 1)", "65"), ("n - 1 IN (63, '64')", "n - 1", "64"),
    ("n/2 BETWEEN '1' AND '9'", "n/2", "1"), ("s = 'x' AND has(tags, 'db') = 'true'", "has(tags, 'db')", "true"),
    ("length(s) COLLATE NOCASE < '5'", "length(s)", "5"), ("-(n) IS '1'", "-(n)", "1"),
    ("n > 1 OR length(s || 'x') = '2'", "length(s || 'x')", "2"), ("'5' COLLATE NOCASE < n + 1", "n + 1", "5"),
  ]) func textsBesideComputedNumbers(condition: String, column: String, text: String) throws {
    let database = try database()
    defer { database.close() }
    #expect(try notices(database, condition) == [.unlike(column: column, kind: .numbers, text: text)])
    #expect(throws: QueryFault.unlike(column: column, kind: .numbers, text: text)) { try choose(database, condition) }
  }

  @Test(arguments: [
    ("lower(s) = 5", "lower(s)", ValueClass.text), ("strftime('%Y', at) = 2026", "strftime('%Y', at)", .text),
    ("2025 < substr(at, 1, 4)", "substr(at, 1, 4)", .text), ("date(at) > 2026-01-01", "date(at)", .dates),
    ("exact(n) > 5", "exact(n)", .text), ("s || n = 5", "s || n", .text), ("lower(s) < :n", "lower(s)", .text),
  ]) func numbersBesideComputedTexts(condition: String, column: String, kind: ValueClass) throws {
    let database = try database()
    defer { database.close() }
    let values: Values = condition.contains(":n") ? [("n", .integer(5))] : []
    #expect(try notices(database, condition, values) == [.notNumbers(table: "", column: column, kind: kind)])
    #expect(throws: QueryFault.notNumbers(column: column, kind: kind)) { try choose(database, condition, values) }
  }

  @Test func textsGivenForComputedNumbers() throws {
    let database = try database()
    defer { database.close() }
    let text: Values = [("n", .text("5"))]
    #expect(
      try notices(database, "length(s) < :n", text) == [.unlike(column: "length(s)", kind: .numbers, text: "5")])
    #expect(try notices(database, "length(s) < :n", [("n", .integer(5))]) == [])
  }

  @Test(arguments: [
    ("(n, s) < ('x', 'y')", "n", "x"), ("('y', 'x') >= (s, n)", "n", "x"), ("(s, n) IN (VALUES ('x', 'y'))", "n", "y"),
    ("(s, n) IS NOT ('x', 'y')", "n", "y"), ("(s, n) BETWEEN ('a', 'y') AND ('b', 2)", "n", "y"),
    ("n COLLATE NOCASE < 'x'", "n", "x"), ("(n COLLATE NOCASE) < 'x'", "n", "x"), ("'x' COLLATE NOCASE > n", "n", "x"),
  ]) func rowsAndCollations(condition: String, column: String, text: String) throws {
    let database = try database()
    defer { database.close() }
    #expect(try notices(database, condition) == [.unlike(column: column, kind: .numbers, text: text)])
    #expect(throws: QueryFault.unlike(column: column, kind: .numbers, text: text)) { try choose(database, condition) }
  }

  @Test func whatIsAddedToADateMakesANumber() throws {
    let database = try database()
    defer { database.close() }
    let notice = QueryNotice.notNumbers(table: "t", column: "at", kind: .dates)
    #expect(try notices(database, "at > now() - 7").contains(notice))
    #expect(throws: QueryFault.notNumbers(column: "at", kind: .dates)) { try choose(database, "at > now() - 7") }
  }

  @Test(arguments: [
    ("has('tags', 'db')", QueryFault.textArgument(function: "has", text: "tags")),
    ("prop('to', '/age') = 36", .textArgument(function: "prop", text: "to")),
    ("has(n, 64)", .wrongArgument(function: "has", column: "n", kinds: [.numbers], isReference: false)),
    ("has(t.\"to\", 'p')", .wrongArgument(function: "has", column: "to", kinds: [.text], isReference: true)),
    ("prop(n, '/age') = 36", .wrongArgument(function: "prop", column: "n", kinds: [.numbers], isReference: false)),
    ("refers(at, 'p')", .wrongArgument(function: "refers", column: "at", kinds: [.dates], isReference: false)),
  ]) func argumentsThatAreNone(condition: String, fault: QueryFault) throws {
    let database = try database()
    defer { database.close() }
    #expect(throws: fault) { try notices(database, condition) }
    #expect(throws: fault) { try choose(database, condition) }
  }

  @Test func argumentsThatMayBeMeant() throws {
    let database = try database()
    defer { database.close() }
    for condition in [
      "has('[\"db\"]', 'db')", "has(s, 'x')", "prop('p', '/age') = 36", "refers('h/1', 'p')", "refers(_id, \"to\")",
      "kind(_id, '/n') = 'number'",
    ] {
      #expect(throws: Never.self, "\(condition)") { try notices(database, condition) }
    }
  }

  @Test func newNamesThatAreLikeKnownOnes() throws {
    let database = try database()
    defer { database.close() }
    let queries = database.queries
    #expect(
      try queries.misspelt(["tgas", "tags", "color", "n2"], of: "t")
        == [.newProperty("tgas", type: "t", similar: "tags")])
    #expect(try queries.misspelt(["Tags"], of: nil) == [.newProperty("Tags", type: nil, similar: "tags")])
    // Of a type without records nothing is known, and what leaves in the same step is no other name.
    #expect(try queries.misspelt(["tgas"], of: "other") == [])
    #expect(try queries.misspelt(["tgas"], of: "t", without: ["tags"]) == [])
    #expect(try queries.misspelt(["nam"], of: "person") == [.newProperty("nam", type: "person", similar: "name")])
    #expect(try queries.misspelt(["name2"], of: "person") == [])
  }

  @Test func parametersAreValuesToo() throws {
    let database = try database()
    defer { database.close() }
    for sign in [":", "@", "$"] {
      let number: Values = [("n", .integer(5))]
      let text: Values = [("n", .text("5"))]
      // A parameter may have the name of a column.
      #expect(try notices(database, "os ->> 'n' = \(sign)n", number) == [])
      #expect(try notices(database, "s = \(sign)n", text) == [])
      #expect(
        try notices(database, "\(sign)n = os ->> 'n'", text) == [.unlike(column: "os.n", kind: .numbers, text: "5")])
      #expect(try notices(database, "s = \(sign)n", number) == [.notNumbers(table: "t", column: "s", kind: .text)])
    }
  }

  @Test(arguments: [
    ("kind(_id, '/n') = 'numbers'", "kind", "numbers"), ("'string' <> kind(_id, '/n')", "kind", "string"),
    ("typeof(n) IN ('integer', 'number')", "typeof", "number"),
    ("json_type(os, '$.n') = 'number'", "json_type", "number"),
  ]) func kindsThatThereAreNot(condition: String, function: String, word: String) throws {
    let database = try database()
    defer { database.close() }
    var found: (String, String)?
    do { _ = try notices(database, condition) } catch QueryFault.noKind(let function, let word, _) {
      found = (function, word)
    }
    #expect(try #require(found) == (function, word))
  }

  /// `kind` and `typeof` free the property that they are given, and where they are compared.
  @Test func whatIsMentionedAloneFreesNothing() throws {
    let database = try database()
    defer { database.close() }
    try database.put(#"{"_id":"h/2","_type":"t","n":"unknown","m":1}"#)
    let notice = QueryNotice.severalKinds(table: "t", column: "n", kinds: [.numbers, .text])
    for condition in [
      "kind(_id, '/n') IS NOT NULL AND n > 64", "kind(_id, '/m') = 'number' AND n > 64",
      "typeof(m) = 'integer' AND n > 64",
      "typeof(n) IS NOT NULL AND n > 64", "typeof(n) AND n > 64",
    ] {
      #expect(try notices(database, condition) == [notice], "\(condition)")
      #expect(throws: QueryFault.mixedKinds(column: "n", kinds: [.numbers, .text]), "\(condition)") {
        try choose(database, condition)
      }
    }
    // Whether a comparison is denied makes no difference.
    for condition in [
      "n NOT IN (64)", "n NOT LIKE '6%'", "n NOT BETWEEN 1 AND 5", "n IS NOT 64", "n NOT GLOB '6*'", "NOT n = 64",
      "n IS DISTINCT FROM 64", "n NOT IN (SELECT 64)", "prop(_id, '/n') NOT IN (64)",
    ] {
      #expect(try notices(database, condition) == [notice], "\(condition)")
      #expect(throws: QueryFault.mixedKinds(column: "n", kinds: [.numbers, .text]), "\(condition)") {
        try choose(database, condition)
      }
    }
    for condition in [
      "kind(_id, '/n') = 'number' AND n > 64", "typeof(n) IN ('integer', 'real') AND n > 64", "n IS NOT NULL",
      "CASE kind(_id, '/n') WHEN 'number' THEN n > 64 END", "CASE typeof(n) WHEN 'integer' THEN n > 64 END",
      "typeof(n) LIKE 'int%' AND n > 64", "NOT kind(_id, '/n') <> 'number' AND n > 64",
    ] {
      #expect(try notices(database, condition) == [], "\(condition)")
      #expect(throws: Never.self, "\(condition)") { try choose(database, condition) }
    }
  }
}
