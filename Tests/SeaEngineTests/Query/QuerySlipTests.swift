import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// What is written as other languages have it, and means something else in SQL: sea-query(7), No silence.
@Suite struct QuerySlipTests {
  private func notices(_ condition: String) throws -> [QueryNotice] {
    let database = try QueryTests().database(
      #"{"_id":"h/1","_type":"t","n":64,"on":true,"at":{"$date":"2026-03-01T10:00:00Z"},"tags":{"$set":["db"]},"s":"x","to":{"$ref":"p"},"os":{"name":"linux","ver":{"a":1}}}"#,
      #"{"_id":"p","_type":"person","name":"Ada"}"#)
    defer { database.close() }
    try database.queries.run("SELECT _id FROM type.t WHERE \(condition)", [], begin: { _ in }, row: { _ in true })
    return database.queries.notices
  }

  @Test(arguments: [
    ("os.name = 'x'", "os", ["name"], false), ("OS.ver.a = 1", "os", ["ver", "a"], false),
    ("\"os.name\" = 'x'", "os", ["name"], false), ("n > 1 AND \"to\".name = 'Ada'", "to", ["name"], true),
  ]) func pathsWithDots(condition: String, column: String, names: [String], isReference: Bool) throws {
    let error = #expect(throws: QueryFault.self) { try notices(condition) }
    guard case .dotted(_, column, names, isReference) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [
    "'n' = 8", "'n' > 8", "n > 64 OR 'n' = 8", "'s' = 'x'", "'s' LIKE 'x%'", "'n' NOT IN (5, 6)",
    "'n' BETWEEN 5 AND 6", "NOT ('s' = 'x')",
  ]) func namesInSingleQuotes(condition: String) throws {
    let name = condition.contains("'s'") ? "s" : "n"
    #expect(throws: QueryFault.nameAsText(name)) { try notices(condition) }
  }

  @Test(arguments: [
    "s = 's'", "'s' = s", "'z' = 'x'", "os ->> 'name' = 'x'", "'n' || '' = 'n'",
    "label(_id, '/n') = 'n'", "s IN ('s', 'n')", "t.n > 5", "n > strftime('%Y', at)", "at > ago('7d')",
    "s > lower('X')", "n > length(s)", "s IS NULL", "n + 1 > length(s)", "at = date(at) || 'T00:00:00.000Z'",
  ]) func whatIsRight(condition: String) throws { #expect(try notices(condition) == []) }

  @Test(arguments: [
    ("n > now()", "n", ValueClass.numbers, "now()"), ("ago('1d') < (n)", "n", .numbers, "ago('1d')"),
    ("t.\"on\" = date(at)", "on", .booleans, "date(at)"),
  ]) func datesThatAreComputedBesideNumbers(condition: String, column: String, kind: ValueClass, text: String) throws {
    #expect(try notices(condition) == [.unlike(column: column, kind: kind, text: text)])
  }

  @Test(arguments: [
    ("at > unixepoch()", "at", ValueClass.dates), ("n * 2 < s", "s", .text), ("tags > length(s)", "tags", .json),
  ]) func numbersThatAreComputedBesideTexts(condition: String, column: String, kind: ValueClass) throws {
    #expect(try notices(condition) == [.notNumbers(table: "t", column: column, kind: kind)])
  }
}
