import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

extension QueryTests {
  /// The same result as with a plain table, for all kinds of values.
  @Test func propertyJoinsEqualPlainTableJoins() throws {
    let database = try database()
    defer { database.close() }
    let values = [
      "1", "\"1\"", "1.0", "\"1.0\"", "\"x\"", "\"X\"", "true", "null", #"{"$decimal":"1.50"}"#, "1.5", "\"1.5 \"",
      #"{"$data":"AQ=="}"#, #"{"$ref":"x"}"#,
    ]
    var texts: [String] = []
    for (k, value) in values.enumerated() {
      texts.append(#"{"_id":"a\#(k)","_type":"a","v":\#(value)}"#.replacing(#","v":null"#, with: ""))
      texts.append(#"{"_id":"b\#(k)","_type":"b","w":\#(value)}"#.replacing(#","w":null"#, with: ""))
    }
    try put(database, texts)
    // A unary plus prevents SQLite from looking up records by value.
    let fast = try rows(database, "SELECT a._id, b._id FROM a JOIN b ON a.v = b.w ORDER BY 1, 2")
    let slow = try rows(database, "SELECT a._id, b._id FROM a JOIN b ON +a.v = +b.w ORDER BY 1, 2")
    let cross = try rows(
      database, "SELECT a._id, b._id FROM a CROSS JOIN b WHERE a.v IS NOT NULL AND (a.v = b.w) + 0 ORDER BY 1, 2")
    #expect(
      fast == cross && Set(slow.map { "\($0)" }).isSubset(of: Set(fast.map { "\($0)" })) && fast.count > values.count)
    #expect(
      try rows(database, "SELECT count(*) FROM a x, a y WHERE x.v = y.v")
        == rows(database, "SELECT count(*) FROM a x, a y WHERE (x.v = y.v) + 0"))
    #expect(
      try rows(database, "SELECT count(*) FROM a WHERE v IN (SELECT w FROM b)")
        == rows(database, "SELECT count(*) FROM a WHERE (v IN (SELECT w FROM b)) + 0"))
  }

  /// Joining N records of each of two types takes less than N times N steps.
  @Test func propertyJoinsTakeLessThanQuadraticTime() throws {
    let database = try database()
    defer { database.close() }
    let count = 4000
    try put(database, (0..<count).map { #"{"_id":"a\#($0)","_type":"a","v":"k\#($0)"}"# })
    try put(database, (0..<count).map { #"{"_id":"b\#($0)","_type":"b","w":"k\#($0)"}"# })
    try database.queries.run("SELECT count(*) FROM a JOIN b ON a.v = b.w", seconds: 10, begin: { _ in }) { row in
      #expect(row.value(0) == .integer(Int64(count)))
      return true
    }
  }

  // MARK: - Shapes

  /// Types, properties and counts match the records after any writes, deletions and merges.
  @Test(arguments: TestSeed.some(6)) func typesAndPropertiesFollowRecordChanges(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let database = try database()
    defer { database.close() }
    for _ in 0..<60 {
      let id = Int.random(in: 0..<12, using: &random)
      var text = #"{"_id":"r\#(id)""#
      if Bool.random(using: &random) { text += #","_type":"t\#(Int.random(in: 0..<3, using: &random))""# }
      for name in ["a", "b", "c", "d"] where Bool.random(using: &random) {
        text += #",\#("\"\(name)\""):\#(["1", "\"x\"", "true", "[]"].randomElement(using: &random)!)"#
      }
      if try database.store.records.record("r\(id)")?.isDeleted == false, Int.random(in: 0..<5, using: &random) == 0 {
        text += #","_deleted":true"#
      }
      try put(database, [text + "}"])
    }
    var expected: [String: (count: Int, names: Set<String>)] = [:]
    try database.records.forEach(RecordFilter()) { view in
      let names = try Set(view.propertyNames())
      expected[view.type ?? "", default: (0, [])].count += 1
      expected[view.type ?? ""]!.names.formUnion(names)
      return true
    }
    let types = try database.queries.types()
    #expect(types.map { $0.type ?? "" } == expected.keys.sorted())
    for one in types {
      #expect(one.count == expected[one.type ?? ""]?.count && Set(one.properties) == expected[one.type ?? ""]?.names)
    }
    #expect(try database.store.projection.digest() == database.store.projection.expectedDigest())
    var kept = 0
    try database.store.records.shapes.forEach(types: []) { _ in kept += 1 }
    #expect(try kept <= database.records.count(), "a shape is left that no record has")
  }
}
