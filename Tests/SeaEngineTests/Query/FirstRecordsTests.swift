import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// A query with a limit yields the beginning of what it yields without a limit, although it reads in other orders.
@Suite struct FirstRecordsTests {
  private let tests = QueryTests()

  private func ids(_ query: RecordQuery, _ database: Database) throws -> [String] {
    var ids: [String] = []
    try database.queries.forEachID(query) { ids.append(String(decoding: $0, as: UTF8.self)) }
    var views: [String] = []
    try database.queries.forEach(query) { views.append($0.id) }
    var inPlace: [String] = []
    try database.queries.forEachInPlace(
      query, { inPlace.append(String(decoding: $0.id, as: UTF8.self)) }, { inPlace.append($0.id) })
    #expect(ids == views && ids == inPlace)
    return ids
  }

  private func expectPrefixes(_ database: Database, _ note: String) throws {
    var filters: [RecordFilter] = []
    for types in [[], ["a"], ["rare"], ["rare", "last"]] {
      for after in [nil, "k0700"] {
        var filter = RecordFilter()
        (filter.types, filter.after) = (types, after)
        filters.append(filter)
      }
    }
    for filter in filters {
      for condition in [nil, "n >= 0", "n = 1500 OR m = 3 AND n > 1490", "n < 0"] {
        for sort in [nil, "-m,n"] where sort == nil || filter.after == nil {
          var query = try RecordQuery(filter, condition.map { .init($0, []) }, sort: sort)
          let all = try ids(query, database)
          for limit in condition == nil ? [1, 5, 1001] : [1, 5] {
            query.limit = limit
            #expect(
              try ids(query, database) == Array(all.prefix(limit)),
              "\(filter.types) \(filter.after ?? "") \(condition ?? "") \(sort ?? "") \(limit) \(note)")
          }
        }
      }
    }
  }

  /// More records than are read in the order of the ids before another order is tried.
  @Test(arguments: TestSeed.some(1)) func limitedQueryYieldsPrefix(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let database = try tests.database()
    defer { database.close() }
    var records: [String] = []
    for k in (0..<1600).shuffled(using: &random) {
      let (id, type) = k < 1400 ? ("k\(String(k + 10000).dropFirst())", k % 300 == 0 ? "rare" : "a") : ("z\(k)", "last")
      records.append(#"{"_id":"\#(id)","_type":"\#(type)","n":\#(k),"m":\#(Int.random(in: 0..<9, using: &random))}"#)
    }
    try tests.put(database, records)
    try expectPrefixes(database, "without an index, seed \(seed)")
    for (name, text) in [("n", "a:/n"), ("m", "a:/m"), ("both", "last:/m,/n")] {
      try database.store.makeIndex(name, #require(IndexDefinition(.values, text)))
    }
    try expectPrefixes(database, "with indexes, seed \(seed)")
  }

  private static let values: [String: [String]] = [
    "n": [
      "0", "-0.0", "1", "1.0", "-1", "2.5", "1e300", "-1e300", "9007199254740993", "9007199254740992",
      "-9007199254740993", #"{"$decimal":"1.50"}"#, #"{"$decimal":"9007199254740992.5"}"#,
      #"{"$int":"99999999999999999999"}"#, #"{"$int":"-99999999999999999999"}"#, #"{"$counter":3}"#,
      #"{"$label":"Old","$value":2}"#,
    ],
    "d": [
      #"{"$date":"2026-03-01T00:00:00Z"}"#, #"{"$day":"2026-03-01"}"#, #"{"$date":"2026-03-01T00:00:00.001Z"}"#,
      #"{"$day":"2026-02-28"}"#, #"{"$day":"0001-01-01"}"#, #"{"$date":"1969-12-31T23:59:59.999Z"}"#,
    ],
    "b": ["true", "false"],
    "s": ["\"x\"", "\"X\"", "\"é\"", "\"Z\"", "\"12\"", "\"5\""],
    "r": [#"{"$ref":"x"}"#, #"{"$ref":"12"}"#, #"{"$ref":"5"}"#],
    "mixed": ["1", "true", "\"x\"", #"{"$day":"2026-03-01"}"#],
  ]

  /// An index of numbers, dates or booleans yields the first records in their order, also if some are in conflict.
  @Test(arguments: TestSeed.some(2)) func indexYieldsFirstRecordsInOrder(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(2)
    let database = group.instances[0]
    func record(_ k: Int) -> String {
      var text = #"{"_id":"r\#(k)","_type":"t""#
      for (name, some) in Self.values.sorted(by: { $0.key < $1.key }) where Int.random(in: 0..<5, using: &random) > 0 {
        text += #","\#(name)":\#(some.randomElement(using: &random)!)"#
      }
      return text + "}"
    }
    try tests.put(database, (0..<300).map(record))
    try group.exchange()
    for _ in 0..<9 {
      let k = Int.random(in: 0..<300, using: &random)
      for one in group.instances { try tests.put(one, [record(k)]) }
    }
    try group.exchange(merging: false)
    var filter = RecordFilter()
    filter.types = ["t"]
    var expected: [String: [String]] = [:]
    let orders = Self.values.keys.flatMap { [$0, "-\($0)", "\($0),-s"] }
    for order in orders { expected[order] = try ids(RecordQuery(filter, sort: order), database) }
    for name in Self.values.keys {
      try database.store.makeIndex(name, #require(IndexDefinition(.values, "t:/\(name)")))
    }
    for order in orders {
      for limit in [1, 3, 20, 150, 299] {
        let found = try ids(RecordQuery(filter, sort: order, limit: limit), database)
        #expect(found == Array(expected[order]!.prefix(limit)), "\(order) \(limit), seed \(seed)")
      }
    }
    for (name, isSorted) in [("n", true), ("d", true), ("b", true), ("s", false), ("r", false), ("mixed", false)] {
      let found = try database.store.records.first(3, of: "t", by: name, isDescending: true)
      #expect((found != nil) == isSorted, "\(name)")
    }
  }
}
