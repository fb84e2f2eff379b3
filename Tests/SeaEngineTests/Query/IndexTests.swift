import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Indexes: queries have the same results with and without them, and they follow every change.
@Suite struct IndexTests {
  private let tests = QueryTests()

  private static let values = [
    "0", "-0.0", "1", "1.0", "-1", "2.5", "1e300", "-1e300", "9007199254740993", "9007199254740992", "\"1\"",
    "\" 1.0 \"",
    "\"\\t5\"", "\"x\"", "\"X\"", "\"\"", "\"a\\u0000b\"", "\"é\"", "\"2026-03-01\"", "true", "false", "[1]",
    "{\"b\":1}",
    #"{"$decimal":"1.50"}"#, #"{"$int":"99999999999999999999"}"#, #"{"$data":"AQ=="}"#, #"{"$ref":"x"}"#,
    #"{"$date":"2026-03-01T00:00:00Z"}"#, #"{"$day":"2026-03-01"}"#, #"{"$counter":3}"#, #"{"$set":["b","a"]}"#,
    #"{"$label":"Mobile","$value":"x"}"#, "\"\(String(repeating: "p", count: 130))a\"",
    "\"\(String(repeating: "p", count: 130))b\"",
  ]

  private static let sides = [
    "0", "1", "1.5", "-1", "3", "5", "9007199254740992", "9007199254740993", "'1'", "' 1.0'", "'x'", "''", "'é'",
    "'2026-03-01'", "'[1]'", "x'01'", "NULL", "CAST('1' AS NUMERIC)", "CAST(1 AS TEXT)",
    "'\(String(repeating: "p", count: 130))a'",
    "'\(String(repeating: "p", count: 131))'", ":v",
  ]

  private func define(_ database: Database, _ definitions: [(String, IndexDefinition.Kind, String)]) throws {
    for (name, kind, text) in definitions {
      try database.store.makeIndex(name, #require(IndexDefinition(kind, text)))
    }
  }

  private func ids(_ database: Database, _ sql: String) throws -> [String] {
    try tests.rows(database, sql, sql.contains(":v") ? [("v", .integer(1))] : []).map { "\($0)" }
  }

  /// The same for all kinds of values and comparisons.
  @Test(arguments: TestSeed.some(2)) func indexedQueryEqualsFullScan(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let database = try tests.database()
    defer { database.close() }
    // The values of some columns have only one kind, because SQL compares these differently.
    let numbers = Self.values.filter { $0.utf8.first.map { $0 < 0x3A && $0 != 0x22 } ?? false }
    let texts = Self.values.filter { $0.utf8.first == 0x22 }
    var records: [String] = []
    for k in 0..<400 {
      var text = #"{"_id":"r\#(k)","_type":"\#(k % 9 == 0 ? "u" : "t")""#
      for (name, some) in [("a", Self.values), ("b", Self.values), ("n", numbers), ("s", texts)]
      where Int.random(in: 0..<6, using: &random) > 0 {
        text += #","\#(name)":\#(some.randomElement(using: &random)!)"#
      }
      records.append(text + #","d":{"e":\#(Self.values.randomElement(using: &random)!)}}"#)
    }
    try tests.put(database, records)
    var questions: [String] = []
    for column in ["a", "n", "s", "\"/d/e\""] {
      for side in Self.sides {
        for operation in ["=", "<", "<=", ">", ">=", "IN"] {
          questions.append("\(column) \(operation) \(operation == "IN" ? "(\(side), 1, 'x')" : side)")
        }
      }
    }
    for _ in 0..<150 {
      let (one, other) = (Self.sides.randomElement(using: &random)!, Self.sides.randomElement(using: &random)!)
      let column = ["a", "n", "s", "\"/d/e\""].randomElement(using: &random)!
      questions.append("\(column) BETWEEN \(one) AND \(other)")
      questions.append("a = \(one) AND b \(["=", "<", ">="].randomElement(using: &random)!) \(other)")
    }
    let joins = ["t.a = u.a", "t.n = u.n", "t.s = u.n", "t.s = u.a AND t.n > u.n", "t.n BETWEEN u.n AND 5"]
    // A path is a column from here on. An expression that only contains a column does not use an index.
    try define(database, [("path", .values, "t:/d/e")])
    let before = try questions.map { try ids(database, "SELECT _id FROM t WHERE (\($0)) + 0 ORDER BY 1") }
    let joined = try joins.map { try ids(database, "SELECT t._id, u._id FROM t JOIN u ON \($0) ORDER BY 1, 2") }
    try define(
      database,
      [
        ("a", .values, "t:/a"), ("ab", .values, "t:/a,/b"), ("n", .values, "t:n"), ("s", .values, "t:/s"),
        ("ua", .values, "u:/a"),
      ])
    for (question, expected) in zip(questions, before) {
      #expect(
        try ids(database, "SELECT _id FROM t WHERE \(question) ORDER BY 1") == expected, "\(question), seed \(seed)")
    }
    for (join, expected) in zip(joins, joined) {
      let found = try ids(database, "SELECT t._id, u._id FROM t JOIN u ON \(join) ORDER BY 1, 2")
      #expect(found == expected, "\(join), seed \(seed)")
    }
    #expect(before.filter { !$0.isEmpty }.count > questions.count / 4)
    #expect(try database.store.projection.isRight())
  }

  /// SQLite uses the index and reports it in the plan.
  @Test func queryPlanUsesIndexes() throws {
    let database = try tests.database(#"{"_id":"a","_type":"host","os":"x","ram":1,"note":"one two"}"#)
    defer { database.close() }
    func plan(_ condition: String) throws -> String {
      let row = try #require(
        try tests.rows(database, "EXPLAIN QUERY PLAN SELECT _id FROM host WHERE \(condition)").first)
      return "\(row)"
    }
    try define(database, [("by-os", .values, "host:/os,/ram"), ("note", .text, "host:/note")])
    #expect(try plan("os = 'x'").contains("index by-os (os=?)"))
    #expect(try plan("os = 'x' AND ram > 5").contains("index by-os (os=? AND ram>?)"))
    #expect(try plan("os = 'x' AND ram = 5").contains("index by-os (os=? AND ram=?)"))
    #expect(try plan("ram = 5").contains("all records"))
    #expect(try plan("_note MATCH 'two'").contains("words of note"))
    #expect(try plan("_id = 'a' AND os = 'x'").contains("one record"))
  }

  /// No shared index makes a table unusable or a name ambiguous.
  @Test func oddIndexesBreakNoQuery() throws {
    let database = try tests.database(
      #"{"_id":"a","_type":"host","os":"x","net":{"ip":"1","IP":"2"},"note":"one two"}"#)
    defer { database.close() }
    // An index with a repeated path is used as if the path occurred once.
    try define(database, [("twice", .values, "host:/os,/os"), ("more", .values, "host:/os,/os,/note")])
    for condition in ["os = 'x'", "os = 'x' AND note = 'one two'", "os >= 'x' AND os < 'y'"] {
      #expect(try ids(database, "SELECT _id FROM host WHERE \(condition)").count == 1, "\(condition)")
    }
    // SQL does not distinguish their columns.
    try define(
      database,
      [
        ("n1", .values, "host:/net/ip"), ("n2", .values, "host:/net/IP"), ("w", .text, "host:/note"),
        ("W", .text, "host:/os"),
      ])
    #expect(try ids(database, "SELECT _id FROM host WHERE os = 'x'").count == 1)
    for (condition, names) in [("\"/net/ip\" = '1'", ["/net/ip", "/net/IP"]), ("_w MATCH 'two'", ["_W", "_w"])] {
      #expect(throws: QueryFault.ambiguousCase(names, isType: false)) {
        try ids(database, "SELECT _id FROM host WHERE \(condition)")
      }
    }
  }

  // MARK: - Updates

  /// Two instances write, delete, fork and merge. Both have the index, and it is correct after every step.
  @Test(arguments: TestSeed.some(4)) func indexesFollowRecordChanges(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(2)
    for one in group.instances {
      try define(one, [("v", .values, "t:/v"), ("vw", .values, "t:/v,/w"), ("x", .text, "t:/w,/x")])
    }
    for step in 0..<40 {
      let one = group.instances[Int.random(in: 0..<2, using: &random)]
      let id = "r\(Int.random(in: 0..<6, using: &random))"
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where try one.store.records.record(id)?.isDeleted == false: try one.deleteRecord(id)
      case 1: try group.exchange(merging: Bool.random(using: &random))
      default:
        let type = ["t", "t", "t", "u"].randomElement(using: &random)!
        let (v, w) = (Self.values.randomElement(using: &random)!, Self.values.randomElement(using: &random)!)
        _ = try one.put(#"{"_id":"\#(id)","_type":"\#(type)","v":\#(v),"w":\#(w),"x":["some words","w\#(step)"]}"#)
      }
      #expect(try one.store.projection.isRight(), "step \(step), seed \(seed)")
    }
    try group.exchange()
    for one in group.instances {
      #expect(try one.store.projection.isRight(), "seed \(seed)")
      let digest = try one.store.projection.indexDigest()
      _ = try one.rebuildProjection(dryRun: false)
      #expect(try one.store.projection.indexDigest() == digest)
      // A record in conflict is found by its visible value, whichever side it is from.
      for value in ["1", "'x'", "true", "2.5"] {
        #expect(
          try ids(one, "SELECT _id FROM t WHERE v = \(value) ORDER BY 1")
            == ids(one, "SELECT _id FROM t WHERE (v = \(value)) + 0 ORDER BY 1"), "\(value), seed \(seed)")
      }
    }
  }

  @Test func wordsOfEveryConflictSideAreFound() throws {
    let group = try TestGroup(2)
    let (one, two) = (group.instances[0], group.instances[1])
    try define(one, [("x", .text, "t:/x")])
    let base = try one.put(#"{"_id":"r","_type":"t","x":"common"}"#)
    try group.exchange()
    _ = try one.put(#"{"_id":"r","_type":"t","x":"apples"}"#, upon: base)
    _ = try two.put(#"{"_id":"r","_type":"t","x":"pears"}"#, upon: base)
    try group.exchange()
    #expect(try one.store.records.record("r")?.live == 2)
    for word in ["apples", "pears"] {
      #expect(try ids(one, "SELECT _id FROM t WHERE _x MATCH '\(word)'").count == 1)
    }
    #expect(try ids(one, "SELECT _id FROM t WHERE _x MATCH 'common'").isEmpty)
    #expect(try one.store.projection.isRight())
  }

  // MARK: - Words

  @Test func textSearchSupportsSnippetsAndRanks() throws {
    let database = try tests.database(
      #"{"_id":"a","_type":"note","title":"Zürich","body":"a long walk by the lake"}"#,
      #"{"_id":"b","_type":"note","title":"Basel","body":"Zürich Zürich Zürich"}"#,
      #"{"_id":"c","_type":"note","title":"Bern","tags":{"$set":["lake","walk"]}}"#)
    defer { database.close() }
    try define(database, [("w", .text, "note:/title,/body,/tags")])
    #expect(
      try tests.rows(database, "SELECT _id FROM note WHERE _w MATCH 'zurich' ORDER BY rank(_w)")
        == [[.text("b")], [.text("a")]])
    #expect(
      try tests.rows(database, "SELECT _id, snippet(_w, '<', '>', '..', 3) FROM note WHERE _w MATCH 'lake'")
        == [[.text("a"), .text("..by the <lake>")], [.text("c"), .text("<lake>\nwalk")]])
    #expect(try tests.rows(database, "SELECT _w FROM note WHERE _w MATCH 'bern'") == [[.null]])
    #expect(try tests.rows(database, "SELECT count(*) FROM note WHERE _w MATCH NULL") == [[.integer(0)]])
    for (sql, words) in [
      ("SELECT 1 FROM note WHERE _w MATCH '\"open'", "MATCH: unterminated string"),
      ("SELECT 1 FROM note WHERE _w MATCH 'a AND'", "MATCH: fts5: syntax error near \"\""),
      ("SELECT snippet(_w) FROM note", "snippet and rank need MATCH on the same text index in the query"),
      ("SELECT 1 FROM note WHERE _w MATCH '*id'", "MATCH: fts5: syntax error near \"*\""),
    ] {
      #expect(throws: QueryFault.failed(words)) { try tests.rows(database, sql) }
    }
    for name in ["title", "_v"] {
      #expect(throws: QueryFault.noTextIndex(known: ["_w"])) {
        try tests.rows(database, "SELECT 1 FROM note WHERE \(name) MATCH 'x'")
      }
    }
    for condition in ["_w MATCH 'lake' OR title > 'a'", "NOT _w MATCH 'lake'"] {
      #expect(throws: QueryFault.matchBesideOthers, "\(condition)") {
        try tests.rows(database, "SELECT 1 FROM note WHERE \(condition)")
      }
    }
    #expect(
      try tests.rows(
        database, "SELECT _id FROM note WHERE _id IN (SELECT _id FROM note WHERE _w MATCH 'bern') OR _id = 'a'"
      )
      .count > 0)
  }

  // MARK: - Checks and purges

  @Test func verifyFindsDamagedIndex() throws {
    let world = try SyncWorld(sealed: false)
    let one = try world.instance("one")
    let batch = WriteBatch(label: "put")
    for k in 0..<5 {
      try batch.addEdit("r\(k)", type: "t", .none, mustExist: false) { _ in
        .dictionary(Members([("n", .integer(Int64(k))), ("x", .string("word\(k)"))]))
      }
    }
    _ = try one.records.write(batch)
    try define(one, [("n", .values, "t:/n"), ("x", .text, "t:/x")])
    for sql in [
      "DELETE FROM index_entry WHERE record = 2", "UPDATE index_entry SET record = 3 WHERE record = 2",
      "DELETE FROM words_2 WHERE rowid = 3", "UPDATE words_2 SET c0 = 'other' WHERE rowid = 1",
      "INSERT INTO index_entry VALUES(1, x'10', 1)",
    ] {
      try one.alter(sql)
      var found: [Problem.Code] = []
      try one.verification.verifyStore({ _ in }, { found.append($0.code) })
      #expect(found == [.projection], "\(sql)")
      _ = try one.rebuildProjection(dryRun: false)
      #expect(try one.store.projection.isRight())
    }
  }

  /// No value or word of purged content remains in a file.
  @Test func purgeRemovesIndexedWordsFromFiles() throws {
    let world = try SyncWorld(sealed: false)
    let desk = try world.instance("desk")
    try define(desk, [("v", .values, "t:/v"), ("x", .text, "t:/v")])
    let batch = WriteBatch(label: "put")
    try batch.addEdit("a", type: "t", .none, mustExist: false) { _ in
      .dictionary(Members([("v", .string("secretword"))]))
    }
    _ = try desk.records.write(batch)
    _ = try desk.purge.run(.record("a", keepsNow: false))
    // Temporary files of SQLite from other tests come and go here, too.
    let left = try world.scratch.files("desk").filter { !$0.contains("etilqs_") }.filter { name in
      try world.scratch.bytes(name).ranges(of: Array("secretword".utf8)).isEmpty == false
    }
    #expect(left == [])
    #expect(try desk.store.projection.isRight())
  }
}
