import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Queries at a point in time: the answer is the same as then, including names and notices.
@Suite struct PastQueryTests {
  private static let statements = [
    """
    SELECT _id, _type, _rev, _created, _created_by, _modified, _modified_by, _conflict, json, prop(_id, '/to') AS t,
      label(_id, '/tel') FROM records ORDER BY _id
    """,
    "SELECT * FROM a ORDER BY _id", "SELECT * FROM b ORDER BY _id", "SELECT n, late FROM a", "SELECT lat FROM a",
    "SELECT x._id, prop(x.\"to\", '/n'), prop(x.\"to\", '/to'), refers(x._id, 'r1') FROM records x ORDER BY 1",
    "SELECT x._id, y._id FROM records x JOIN records y ON x.n = y.n ORDER BY 1, 2",
    "SELECT x._id, y._id FROM records x JOIN records y ON x.\"to\" = y._id ORDER BY 1, 2",
    "SELECT _type, count(*), sum(n) FROM records GROUP BY 1 ORDER BY 1",
    "SELECT _id FROM records WHERE n = 1 ORDER BY _id DESC",
  ]

  private static let queries: [(filter: RecordFilter, condition: String?, sort: String?)] = {
    var typed = RecordFilter()
    typed.types = ["a"]
    var several = RecordFilter()
    several.types = ["b", "a"]
    var referring = RecordFilter()
    referring.refersTo = "r1"
    var contested = RecordFilter()
    contested.onlyConflicts = true
    var all = RecordFilter()
    all.withDeleted = true
    return [
      (RecordFilter(), nil, nil), (typed, nil, nil), (referring, nil, nil), (contested, nil, nil), (all, nil, nil),
      (typed, "n > 1", nil), (several, nil, nil), (several, "n > 1", "-n"),
      (RecordFilter(), "has(late, 1) OR n < 3", "-n"),
    ]
  }()

  /// All answers about a database, line by line.
  private func answers(_ database: Database) throws -> [String] {
    var lines: [String] = []
    let queries = database.queries
    for sql in Self.statements {
      do {
        var columns: [String] = []
        try queries.run(sql, begin: { columns = $0.columns }) { row in
          lines.append("\(columns.indices.map { row.value($0) })")
          return true
        }
        lines.append("\(columns) \(queries.notices)")
      } catch let fault as QueryFault {
        lines.append("\(fault)")
      }
    }
    let selections = try ["id", "n", "to->n", "late"].map { try Selection($0) }
    for (filter, condition, sort) in Self.queries {
      let query = try RecordQuery(filter, condition.map { .init($0, []) }, sort: sort)
      do {
        try queries.check(query, selecting: selections)
        lines.append("\(try queries.count(query)) \(try queries.columns(query).map(\.text)) \(queries.notices)")
        let ids = try ids(query, database)
        lines += ids
        // A few records are looked up one by one, many are read from the index.
        var few = query
        few.limit = 1000
        #expect(try self.ids(few, database) == ids)
        if sort == nil {
          var rest = query
          rest.filter.after = "r1"
          #expect(try self.ids(rest, database) == ids.filter { $0 > "r1" })
        }
        try queries.forEach(query) { lines.append(try text($0, selections, database)) }
        try queries.forEachInPlace(
          query,
          {
            var writer = ByteWriter()
            try JSONWriter.write(record: $0, into: &writer)
            lines.append(String(decoding: writer.bytes, as: UTF8.self))
          }, { lines.append(try text($0, selections, database)) })
      } catch let fault as QueryFault {
        lines.append("\(fault)")
      }
    }
    for one in try queries.types() { lines.append("\(one)") }
    lines.append("\(try database.store.projection.digest())")
    return lines
  }

  private func ids(_ query: RecordQuery, _ database: Database) throws -> [String] {
    var ids: [String] = []
    try database.queries.forEachID(query) { ids.append(String(decoding: $0, as: UTF8.self)) }
    return ids
  }

  private func text(_ view: RecordView, _ selections: [Selection], _ database: Database) throws -> String {
    var writer = ByteWriter()
    try view.writeJSON(.compact, into: &writer)
    let values = try selections.map { try $0.value(of: view, in: database.queries) }
    return "\(String(decoding: writer.bytes, as: UTF8.self)) \(values)"
  }

  private func work(_ database: Database, _ step: Int, _ random: inout SeededRandom) throws {
    let id = "r\(Int.random(in: 0..<5, using: &random))"
    let row = try? database.records.find(id)
    switch Int.random(in: 0..<10, using: &random) {
    case 0 where row?.isDeleted == false: try database.delete(id)
    case 1 where row?.conflict ?? .none != .none:
      _ = try database.conflicts.resolve([id], .winner, label: "resolve")
    case 2: try database.put(#"{"_id":"\#(id)","_type":"b","n":"\#(step)","to":{"$ref":"r1"}}"#)
    default:
      let n = Int64.random(in: 0..<6, using: &random)
      let batch = WriteBatch(label: "work")
      try batch.addEdit(id, type: n == 5 ? "b" : n == 4 ? nil : "a", .none, mustExist: false) { old in
        var members = old?.members ?? Members()
        switch n % 4 {
        case 0: members["n"] = .integer(n)
        case 1: members["to"] = .reference(id: "r\(step % 5)", kind: nil)
        case 2: members["tags"] = .setDraft([.integer(n)])
        default: members["tel"] = .labeled(.string("\(step)"), "Phone\(step % 3)")
        }
        if step > 20 { members["late"] = .array([.integer(n)]) }
        return .dictionary(members)
      }
      _ = try database.records.write(batch)
    }
  }

  @Test(arguments: TestSeed.some(4)) func pastQueryRepeatsFormerAnswer(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(3)
    var states: [(k: Int, moment: Moment, answers: [String])] = []
    for step in 0..<36 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        try group.exchange(Int.random(in: 0..<2, using: &random) == 0 ? [0, 1] : nil, merging: seed % 2 == 0)
      } else {
        try work(group[Int.random(in: 0..<3, using: &random)], step, &random)
      }
      guard step % 3 == 2 else { continue }
      let k = Int.random(in: 0..<3, using: &random)
      states.append((k, try group[k].history.now(), try answers(group[k])))
    }
    try group.exchange()
    for state in states {
      let now = try group[state.k].atOneState(at: state.moment) { try answers(group[state.k]) }
      #expect(now == state.answers)
    }
    // The same for the present.
    let last = try #require(states.last)
    let database = group[last.k]
    #expect(try answers(database) == database.atOneState(at: database.history.now()) { try answers(database) })
  }

  /// An index contains the current values, but a query finds exactly the former ones.
  @Test func indexedPastQueryRepeatsFormerAnswer() throws {
    let tests = QueryTests()
    let database = try tests.database()
    defer { database.close() }
    for (name, kind, text) in [
      ("by-n", .values, "t:/n"), ("by-e", .values, "t:/d/e,/n"), ("notes", .text, "t:/note"),
    ] as [(String, IndexDefinition.Kind, String)] {
      try database.store.makeIndex(name, #require(IndexDefinition(kind, text)))
    }
    let statements = [
      "SELECT _id, n FROM t WHERE n = 3 ORDER BY _id", "SELECT _id FROM t WHERE n BETWEEN 2 AND 4 ORDER BY _id",
      "SELECT _id FROM t WHERE \"/d/e\" = 1 AND n > 1 ORDER BY _id", "SELECT _id, \"/d/e\" FROM t ORDER BY _id",
      "SELECT _id, snippet(_notes) FROM t WHERE _notes MATCH 'lake' ORDER BY _id",
      "SELECT a._id, b._id FROM t a JOIN t b ON a.n = b.n ORDER BY 1, 2",
      "SELECT _id FROM t WHERE _notes MATCH 'step3*'",
    ]
    func answers() throws -> [String] {
      try statements.map { "\(try tests.rows(database, $0))" }
    }
    var states: [(moment: Moment, answers: [String])] = []
    for step in 0..<8 {
      try tests.put(
        database,
        (0..<6).filter { ($0 + step) % 3 != 0 }.map {
          let note = ($0 + step) % 2 == 0 ? "a lake, step\(step)" : "a hill"
          return #"{"_id":"r\#($0)","_type":"t","n":\#(($0 * step) % 5),"d":{"e":\#(step % 3)},"note":"\#(note)"}"#
        })
      if step % 3 == 2 { try database.delete("r\(2 + step % 2)") }
      states.append((try database.history.now(), try answers()))
    }
    for state in states {
      #expect(try database.atOneState(at: state.moment) { try answers() } == state.answers)
      #expect(try database.atOneState(at: state.moment) { try answers() + answers() } == state.answers + state.answers)
    }
    #expect(try answers() == states.last?.answers)
    #expect(Set(states.map(\.answers)).count > 4)
  }
}
