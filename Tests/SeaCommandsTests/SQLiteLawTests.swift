import SeaCommands
import SeaSystem
import SeaTestSupport
import Testing

/// What is dumped as a SQLite file and loaded into an empty database is the same records, value by value: whatever kinds of values a
/// property has, and whatever it and its type are called.
@Suite struct SQLiteLawTests {
  private struct Maker {
    var random: SeededRandom

    mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }

    /// Kinds of values, each as the JSON of some.
    static let kinds: [[String]] = [
      ["0", "-7", "9007199254740991", "{\"$int\":\"9223372036854775807\"}", "{\"$int\":\"-9223372036854775808\"}"],
      ["{\"$int\":\"9223372036854775808\"}", "{\"$int\":\"-98765432109876543210987654321098765432109876\"}"],
      ["0.1", "-1e300", "5e-324", "1.7976931348623157e308", "36893488147419103232.0"],
      [
        "\"\"", "\"007\"", "\"1e5\"", "\"ü😀\\u0000x\"", "\"' \\\" ; --\"", "\" 12 \"", "\"0x1F\"", "\"null\"",
        "\"1.50\"",
      ],
      ["{\"$data\":\"\"}", "{\"$data\":\"AAE=\"}", "{\"$data\":\"MQ==\"}"], ["true", "false"],
      ["{\"$decimal\":\"1.50\"}", "{\"$decimal\":\"-0.00\"}", "{\"$decimal\":\"1E+400\"}"],
      ["{\"$date\":\"2026-02-03T04:05:06Z\"}", "{\"$date\":\"0001-01-01T00:00:00.001Z\"}"],
      ["{\"$day\":\"1927-01-26\"}", "{\"$day\":\"0001-01-01\"}"],
      ["{\"$ref\":\"a/1\"}", "{\"$ref\":\"7\"}"],
      ["{\"$counter\":0}", "{\"$counter\":-12}", "{\"$counter\":{\"$int\":\"18446744073709551615\"}}"],
      ["{\"$set\":[]}", "{\"$set\":[1,\"1\",[null]]}"],
      [
        "[]", "[1,null,{\"$date\":\"2026-01-01T00:00:00Z\"}]", "{\"a\":{\"b\":null}}", "{\"$dict\":{\"$set\":1}}",
        "{\"$ref\":\"a/1\",\"as\":\"owner\"}", "{\"$label\":\"Home\",\"$value\":\"x\"}",
      ],
    ]

    /// Two are one to SQLite, and two are one to Swift.
    static let names = [
      "a", "A", "é", "e\u{301}", "É", "x y", "id", "rowid", "sqlite_x", "select", "a\\\"b", "1:a", ".",
    ]
    static let types = ["host", "Host", "a/b", "sqlite_sequence", "ä", "a\u{308}", "records"]

    /// - Parameter mixes: whether a property may be of several kinds.
    mutating func record(_ k: Int, mixes: Bool) -> String {
      var members = ["\"_id\":\"\(pick(["r/", "", "é", "'"]))\(k)\""]
      if Int.random(in: 0...3, using: &random) > 0 { members.append("\"_type\":\"\(pick(Maker.types))\"") }
      for (n, name) in Maker.names.enumerated() where Int.random(in: 0...2, using: &random) == 0 {
        let kind = mixes ? pick(Maker.kinds) : Maker.kinds[n % Maker.kinds.count]
        members.append("\"\(name)\":\(pick(kind))")
      }
      return "{" + members.joined(separator: ",") + "}"
    }
  }

  @Test(arguments: TestSeed.some(30)) func loadRestoresSQLiteDump(seed: UInt64) throws {
    var maker = Maker(random: SeededRandom(seed))
    let folder = try scratch()
    #expect(Run()("init", folder + "/a").status == 0)
    #expect(Run()("init", folder + "/b").status == 0)
    let mixes = Bool.random(using: &maker.random)
    let records = (0..<Int.random(in: 0...40, using: &maker.random)).map { maker.record($0, mixes: mixes) }
    let put = Run(input: records.joined(separator: "\n"))("-C", folder + "/a", "put", "-")
    #expect(put.status == 0, "\(put.err)")
    let file = folder + "/file"
    let dumped = Run()("-C", folder + "/a", "dump", "--format=sqlite", "-o", file)
    #expect(dumped.status == 0 && dumped.err == "", "\(dumped.err)")
    let loaded = Run()("-C", folder + "/b", "load", file)
    #expect(loaded.status == 0 && loaded.err == "", "\(loaded.err)")
    let want = contents(folder + "/a")
    #expect(want.count == records.count)
    #expect(contents(folder + "/b") == want)
    #expect(try Directory(folder).list().entries.count == 3)
  }

  /// The records without the revisions, which have counters and sets of their own.
  private func contents(_ path: String) -> [String] {
    Run()("-C", path, "query", "--json").outLines.map { line in
      guard let start = line.firstRange(of: "\"_rev\":\"") else { return line }
      return String(line[..<start.lowerBound] + line[start.upperBound...].drop { $0 != "\"" })
    }
  }
}
