import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Comparisons of values with values of another kind: sea-query(7), No silence.
@Suite struct QueryComparisonTests {
  private static let records = [
    #"{"_id":"h/1","_type":"t","n":64,"on":true,"at":{"$date":"2026-03-01T10:00:00Z"},"born":{"$day":"1927-01-26"},"tags":{"$set":["db"]},"s":"x","key":{"$data":"AAA="},"to":{"$ref":"p"},"os":{"name":"linux","ram":"64","n":5,"at":{"$date":"2026-03-01T10:00:00Z"}}}"#,
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
    let filter = RecordFilter(type: "t")
    _ = try database.queries.choose(RecordQuery(filter, .init(condition, values)))
  }

  @Test(arguments: [
    ("n > '64 GB'", "n", ValueClass.numbers, "64 GB"), ("'many' <= n", "n", .numbers, "many"),
    ("\"on\" = 'true'", "on", .booleans, "true"), ("at < 'yesterday'", "at", .dates, "yesterday"),
    ("at = '2026-03-01'", "at", .dates, "2026-03-01"), ("at IN ('2026-03-01T10:00:00.000Z', 'x')", "at", .dates, "x"),
    ("at BETWEEN '2026' AND 'tomorrow'", "at", .dates, "tomorrow"), ("at IS NOT 'x'", "at", .dates, "x"),
    ("at > '2026-03-01 10:00'", "at", .dates, "2026-03-01 10:00"), ("tags = 'db'", "tags", .json, "db"),
    ("born = '1927-01-26T00:00:00.000Z'", "born", .days, "1927-01-26T00:00:00.000Z"),
    ("born < '1927-01-27T00:00:00.000Z'", "born", .days, "1927-01-27T00:00:00.000Z"),
    ("born = '1927'", "born", .days, "1927"), ("born > 'yesterday'", "born", .days, "yesterday"),
    ("key = 'x'", "key", .data, "x"), ("_modified > 'yesterday'", "_modified", .dates, "yesterday"),
    ("_conflict = 'true'", "_conflict", .numbers, "true"), ("t.n = 'x' AND n > 5", "n", .numbers, "x"),
    ("s = 'x' OR 'x' > n", "n", .numbers, "x"), ("n < ''", "n", .numbers, ""), ("at > ''", "at", .dates, ""),
  ]) func mismatchedTextComparisonIsReported(condition: String, column: String, kind: ValueClass, text: String) throws {
    let database = try database()
    defer { database.close() }
    #expect(try notices(database, condition) == [.unlike(column: column, kind: kind, text: text)])
    #expect(throws: QueryFault.unlike(column: column, kind: kind, text: text)) { try choose(database, condition) }
  }

  /// SQLite would compare the number as a REAL, which many other numbers equal.
  @Test(arguments: [
    "12345678901234567891", "0.12345678901234567890", "-9223372036854775809", "1e5 + 1.00000000000000000001",
  ]) func numberThatSQLWouldRoundIsRefused(number: String) throws {
    let database = try database()
    defer { database.close() }
    for condition in ["n = \(number)", "n > 0 AND (n < 5 OR n BETWEEN 1 AND \(number))"] {
      #expect("\(condition)") { try choose(database, condition) } throws: {
        if case QueryFault.tooManyDigits(let digits) = $0 { return number.hasSuffix(digits) || number == "-" + digits }
        return false
      }
    }
    let value = QueryValue.digits("12345678901234567891")
    #expect(throws: QueryFault.tooManyDigits("12345678901234567891")) {
      try choose(database, "n = :n", [("n", value)])
    }
  }

  @Test(arguments: [
    "9223372036854775807", "0.1", "0.30000000000000004", "1e300", "1.50", ".5",
    "9007199254740993", "1e999", "0x7FFFFFFFFFFFFFFF", "18446744073709551616", "2.5E+3",
  ]) func numberThatSQLKeepsIsCompared(number: String) throws {
    let database = try database()
    defer { database.close() }
    #expect(throws: Never.self) { try choose(database, "n = \(number)") }
    #expect(throws: Never.self) { try choose(database, "exact(n) = '12345678901234567891'") }
    #expect(throws: Never.self) { try choose(database, "decimal_cmp(n, 0.12345678901234567890) = 0") }
  }

  @Test(arguments: [
    ("s > -5", "s", ValueClass.text), ("at < 2026", "at", .dates), ("at > 2026-01-15", "at", .dates),
    ("2026-01-15 < at", "at", .dates), ("born > 1927", "born", .days), ("1.5 < s", "s", .text),
  ]) func comparisonOfTextWithNumberIsReported(condition: String, column: String, kind: ValueClass) throws {
    let database = try database()
    defer { database.close() }
    #expect(try notices(database, condition) == [.notNumbers(table: "t", column: column, kind: kind)])
    #expect(throws: QueryFault.notNumbers(column: column, kind: kind)) { try choose(database, condition) }
  }

  /// Values of the same kind, and computed values.
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
  ]) func comparisonOfSameKindIsNotReported(condition: String) throws {
    let database = try database()
    defer { database.close() }
    #expect(try notices(database, condition) == [])
    #expect(throws: Never.self) { try choose(database, condition) }
  }

  @Test func parametersAreCheckedLikeValues() throws {
    let database = try database()
    defer { database.close() }
    for sign in [":", "@", "$"] {
      let number: Values = [("n", .integer(5))]
      let text: Values = [("n", .text("5"))]
      // A parameter may have the name of a column.
      #expect(try notices(database, "n = \(sign)n", number) == [])
      #expect(try notices(database, "s = \(sign)n", text) == [])
      #expect(
        try notices(database, "\(sign)n = n", [("n", .text("x"))]) == [.unlike(column: "n", kind: .numbers, text: "x")])
      #expect(try notices(database, "s = \(sign)n", number) == [.notNumbers(table: "t", column: "s", kind: .text)])
    }
  }

  /// A statement that uses `kind` or `typeof` handles the kinds itself; any other comparison of several kinds gets a
  /// notice.
  @Test func comparisonOfMixedKindsIsReportedUnlessChecked() throws {
    let database = try database()
    defer { database.close() }
    try database.put(#"{"_id":"h/2","_type":"t","n":"unknown","m":1}"#)
    let notice = QueryNotice.severalKinds(table: "t", column: "n", kinds: [.numbers, .text])
    // A negated comparison gets the same notice.
    for condition in [
      "n NOT IN (64)", "n NOT LIKE '6%'", "n NOT BETWEEN 1 AND 5", "n IS NOT 64", "n NOT GLOB '6*'", "NOT n = 64",
      "n IS DISTINCT FROM 64", "n NOT IN (SELECT 64)", "n IS NULL OR n > 64",
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
