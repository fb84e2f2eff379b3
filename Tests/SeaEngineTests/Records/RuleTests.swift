import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Rules of types: what local writes refuse, and what is only reported.
@Suite struct RuleTests {
  private func rule(_ text: String, _ value: String?, in database: Database) throws {
    try database.sharedSettings.set(#require(ConfigKey("type.t/" + text)), value)
  }

  private func broken(_ database: Database) throws -> [String] {
    var found: [String] = []
    try database.records.forEachBrokenRule(of: nil) { found.append("\($0.id) \($0.path) \($0.rule)") }
    return found
  }

  /// Whether a write is refused because of a rule; other errors are not expected.
  private func isRefused(_ body: () throws -> Void) throws -> Bool {
    do { try body() } catch KitError.breaksRule { return true }
    return false
  }

  @Test(arguments: ["meta/uuid", "g.n", "/g/n", "a\\.b", "/meta~1uuid"])
  func pathOfRuleIsReadLikeAnyOtherPath(_ path: String) throws {
    let group = try TestGroup(1)
    let one = group[0]
    try rule(path + ".maximum", "5", in: one)
    func refuses(_ n: Int) throws -> Bool {
      try isRefused {
        _ = try one.put(
          "{\"_id\":\"a\",\"_type\":\"t\",\"meta/uuid\":\(n),\"g\":{\"n\":\(n)},\"a.b\":\(n)}")
      }
    }
    #expect(try !refuses(5))
    #expect(try refuses(6))
  }

  @Test(
    arguments: [
      ("required", "true", ["1", "\"\"", "[]"], [nil]),
      ("type", "number", ["1", "1.5", "{\"$decimal\":\"1.50\"}", nil], ["\"1\"", "true", "{\"$counter\":1}"]),
      ("type", "int", ["1", "{\"$int\":\"99999999999999999999\"}"], ["1.5", "{\"$decimal\":\"1\"}"]),
      ("type", "string", ["\"a\""], ["1", "{\"$ref\":\"a\"}"]),
      ("type", "day", ["{\"$day\":\"2026-01-01\"}"], ["{\"$date\":\"2026-01-01T00:00:00Z\"}", "\"2026-01-01\""]),
      ("type", "array", ["[]", "[1]"], ["{\"$set\":[1]}", "{\"a\":1}"]),
      (
        "minimum", "0.5", ["0.5", "1", "{\"$decimal\":\"0.50\"}", "{\"$counter\":1}", nil],
        ["0", "-1", "\"7\"", "true"]
      ),
      ("maximum", "10", ["10", "-1e300"], ["11", "{\"$decimal\":\"10.0000000000000000000001\"}"]),
      (
        "minimum", "2026-03-01", ["{\"$day\":\"2026-03-01\"}", "{\"$date\":\"2026-03-01T00:00:00Z\"}"],
        ["{\"$day\":\"2026-02-28\"}", "{\"$date\":\"2026-02-28T23:59:59Z\"}", "5"]
      ),
      ("enum", "[\"m\",1,null]", ["\"m\"", "1", "1.0", "{\"$decimal\":\"1.00\"}"], ["\"f\"", "2", "\"1\""]),
      ("pattern", "^A[0-9]", ["\"A1\"", "\"A12\"", "{\"$ref\":\"A1\"}"], ["\"A\"", "\"B1\"", "\"\"", "1"]),
      ("unique", "true", ["\"a\"", nil], ["1", "1.0", "{\"$decimal\":\"1.0\"}"]),
    ] as [(String, String, [String?], [String?])])
  func eachRuleAllowsAndRefusesValues(
    _ word: String, _ wanted: String, _ good: [String?], _ bad: [String?]
  ) throws {
    let group = try TestGroup(1)
    let one = group[0]
    _ = try one.put("{\"_id\":\"0\",\"_type\":\"t\",\"n\":1,\"p\":\"A0\"}")
    try rule("n." + word, wanted, in: one)
    for (values, refuses) in [(good, false), (bad, true)] {
      for (k, value) in values.enumerated() {
        let id = "\(refuses)\(k)"
        let json = "{\"_id\":\"\(id)\",\"_type\":\"t\"\(value.map { ",\"n\":\($0)" } ?? "")}"
        #expect(try isRefused { _ = try one.put(json) } == refuses, "\(word)=\(wanted) \(value ?? "-")")
        #expect(try (one.get(id) == nil) == refuses)
      }
    }
    if word != "unique" { try one.delete("0") }
    // Other types have no rule, and an empty value turns it off.
    _ = try one.put("{\"_id\":\"u\",\"_type\":\"u\"}")
    try rule("n." + word, "", in: one)
    for (k, value) in bad.enumerated() {
      _ = try one.put("{\"_id\":\"b\(k)\",\"_type\":\"t\"\(value.map { ",\"n\":\($0)" } ?? "")}")
    }
    try rule("n." + word, wanted, in: one)
    #expect(try broken(one).count == bad.count)
  }

  @Test func rulesOfNestedPropertiesAreChecked() throws {
    let group = try TestGroup(1)
    let one = group[0]
    try rule("a.b.minimum", "1", in: one)
    #expect(try isRefused { _ = try one.put("{\"_id\":\"x\",\"_type\":\"t\",\"a\":{\"b\":0}}") })
    _ = try one.put("{\"_id\":\"x\",\"_type\":\"t\",\"a\":{\"b\":1},\"a.b\":0}")
  }

  @Test func errorNamesRecordPropertyRuleAndValue() throws {
    let group = try TestGroup(1)
    let one = group[0]
    try rule("n.minimum", "0", in: one)
    do { _ = try one.put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":-1}") } catch {
      let failure = try #require(Failure.known(error))
      #expect(failure.status == .badData)
      #expect(failure.message == "x: 'n' breaks the rule 'minimum=0': -1")
      #expect(failure.hint?.contains("-c type.t/n.minimum=") == true)
    }
  }

  @Test func changesOfOtherInstancesAndMergesAreNeverRefused() throws {
    let group = try TestGroup(2)
    _ = try group[0].put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":1,\"m\":1}")
    try group.exchange()
    try rule("n.unique", "true", in: group[0])
    try rule("n.maximum", "5", in: group[0])
    _ = try group[0].put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":1,\"m\":2}")
    _ = try group[1].put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":9,\"m\":1}")
    _ = try group[1].put("{\"_id\":\"y\",\"_type\":\"t\",\"n\":9}")
    try group.exchange(merging: true)
    #expect(try group[0].conflicts.count() == 0)
    for database in group.instances {
      #expect(try broken(database) == ["x n maximum=5", "y n maximum=5", "y n unique=true"])
      #expect(try database.records.countBrokenRules() == 3)
    }
    // Neither can be written again until it follows the rules, but both can be deleted.
    #expect(try isRefused { _ = try group[0].put("{\"_id\":\"y\",\"_type\":\"t\",\"n\":9,\"m\":1}") })
    _ = try group[0].put("{\"_id\":\"y\",\"_type\":\"t\",\"n\":5}")
    try group[0].delete("x")
    #expect(try broken(group[0]) == [])
  }

  @Test func undoAndResolveFollowTheRules() throws {
    let group = try TestGroup(2)
    _ = try group[0].put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":1}")
    _ = try group[0].put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":2}")
    try rule("n.minimum", "2", in: group[0])
    try group.exchange()
    for dryRun in [true, false] {
      #expect(try isRefused { _ = try group[0].history.undo(nil, dryRun: dryRun) })
    }
    _ = try group[0].put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":3}")
    _ = try group[1].put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":4}")
    try group.exchange()
    try rule("n.maximum", "3", in: group[0])
    let bad = Resolution.with(try Value.json("{\"n\":4}"), type: "t", revision: nil)
    for dryRun in [true, false] {
      #expect(
        try isRefused {
          _ = try group[0].conflicts.resolve(["x"], bad, label: "resolve", ResolveOptions(dryRun: dryRun))
        })
    }
    #expect(try group[0].conflict("x") != nil)
    let good = Resolution.with(try Value.json("{\"n\":3}"), type: "t", revision: nil)
    _ = try group[0].conflicts.resolve(["x"], good, label: "resolve")
    #expect(try group[0].conflict("x") == nil)
  }

  @Test func transactionIsCheckedInItsFinalState() throws {
    let group = try TestGroup(1)
    let one = group[0]
    try rule("n.required", "true", in: one)
    try rule("n.unique", "true", in: one)
    _ = try one.put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":1}")
    func run(_ steps: [(id: String, n: Int64?)]) throws {
      _ = try one.records.transaction(label: "test", dryRun: false) { open in
        for (id, n) in steps {
          _ = try open.write { batch in
            try batch.addEdit(id, type: "t", .none, mustExist: false) { _ in
              try Value.json(n.map { "{\"n\":\($0)}" } ?? "{}")
            }
          }
        }
        return true
      }
    }
    try run([("y", nil), ("y", 1), ("x", 2)])
    #expect(try broken(one) == [])
    #expect(try isRefused { try run([("z", 3), ("z", nil)]) })
    #expect(try isRefused { try run([("z", 2)]) })
    #expect(try isRefused { try run([("z", 3), ("w", 3)]) })
    // Two records exchange their values.
    try run([("x", 1), ("y", 2)])
  }

  @Test func recordsThatBreakARuleAreLeftOutInInputOrder() throws {
    let group = try TestGroup(1)
    let one = group[0]
    try rule("n.unique", "true", in: one)
    _ = try one.put("{\"_id\":\"m\",\"_type\":\"t\",\"n\":1}")
    let batch = WriteBatch(label: "load")
    batch.leavesOutFaults = true
    batch.mayReplace = { _, _, _, _ in }
    for (id, n) in [("z", 2), ("a", 2), ("b", 1), ("c", 3)] {
      try batch.add("{\"_id\":\"\(id)\",\"_type\":\"t\",\"n\":\(n)}", WriteBatch.Options())
    }
    let result = try one.records.write(batch)
    #expect(result.results.map(\.outcome) == [.created, .rejected, .rejected, .created])
    #expect(result.faults.map(\.entry).sorted() == [1, 2])
    #expect(try ["z", "a", "b", "c"].map { try one.get($0) == nil } == [false, true, true, false])
    #expect(try broken(one) == [])
  }

  @Test func uniqueValuesAreFoundWithAndWithoutAnIndex() throws {
    let group = try TestGroup(1)
    let one = group[0]
    try rule("n.unique", "true", in: one)
    let values = [
      "1", "1.5", "\"1\"", "\"\(String(repeating: "x", count: 200))\"", "true", "{\"$day\":\"2026-01-01\"}",
    ]
    for (k, value) in values.enumerated() { _ = try one.put("{\"_id\":\"\(k)\",\"_type\":\"t\",\"n\":\(value)}") }
    for name in [nil, "i"] {
      if let name { try one.store.makeIndex(name, #require(IndexDefinition(.values, "t:n"))) }
      for (k, value) in values.enumerated() {
        #expect(
          try isRefused { _ = try one.put("{\"_id\":\"a\",\"_type\":\"t\",\"n\":\(value)}") }, "\(value) \(name ?? "")")
        _ = try one.put("{\"_id\":\"\(k)\",\"_type\":\"t\",\"n\":\(value),\"m\":\"\(name ?? "")\"}")
      }
      #expect(try !isRefused { _ = try one.put("{\"_id\":\"a\",\"_type\":\"t\",\"n\":\"\(name ?? "-")\"}") })
    }
  }

  @Test func unknownRuleFromElsewhereIsIgnoredAndReported() throws {
    let group = try TestGroup(1)
    let one = group[0]
    try one.author.write { transaction in
      let settings = [
        ("type.t/n.multipleOf", "2"), ("type.t/n.minimum", "a few"), ("type.t/n.pattern", "[a"),
        ("type.t/n.type", "int"),
      ]
      _ = try transaction.append(controls: settings.map { .shared(key: $0.0, value: $0.1) }, label: nil)
    }
    _ = try one.put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":1}")
    #expect(try isRefused { _ = try one.put("{\"_id\":\"y\",\"_type\":\"t\",\"n\":1.5}") })
    #expect(try one.records.unknownRules() == ["type.t/n.minimum", "type.t/n.multipleof", "type.t/n.pattern"])
  }

  /// The time of a write grows with the steps of a pattern, which other instances can choose.
  @Test(arguments: ["a{300}", String(repeating: "a", count: 300), "[a", "(?:a{20}){20}"])
  func longOrInvalidPatternIsIgnored(_ pattern: String) throws {
    let group = try TestGroup(1)
    let one = group[0]
    try one.author.write { transaction in
      _ = try transaction.append(controls: [.shared(key: "type.t/n.pattern", value: pattern)], label: nil)
    }
    _ = try one.put("{\"_id\":\"x\",\"_type\":\"t\",\"n\":\"b\"}")
    #expect(try one.records.unknownRules() == ["type.t/n.pattern"])
  }

  /// Two names that look alike are two types: one has a rule, and the other has none.
  @Test func rulesApplyToTypesWithTheSameBytes() throws {
    let group = try TestGroup(1)
    let one = group[0]
    try one.sharedSettings.set(#require(ConfigKey("type.caf\u{E9}/n.required")), "true")
    let batch = WriteBatch(label: "a")
    try batch.add("{\"_id\":\"x\",\"_type\":\"cafe\u{301}\"}")
    _ = try one.records.write(batch)
    #expect(try isRefused { _ = try one.put("{\"_id\":\"y\",\"_type\":\"caf\u{E9}\"}") })
    let both = WriteBatch(label: "b")
    try both.add("{\"_id\":\"z\",\"_type\":\"cafe\u{301}\"}")
    try both.add("{\"_id\":\"w\",\"_type\":\"caf\u{E9}\"}")
    #expect(try isRefused { _ = try one.records.write(both) })
    #expect(try one.records.countBrokenRules() == 0)
  }
}
