import SeaSystem
import SeaTestSupport
import Testing

/// What is dumped in any form and loaded into an empty database is the same records.
@Suite struct LoadLawTests {
  private struct Maker {
    var random: SeededRandom

    mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }

    mutating func text() -> String {
      let signs = ["a", "Ü", "😀", ",", "\\\"", "\\n", "\\r", "\\t", "\\\\", " ", "\\u0001", "7", "0"]
      return (0..<Int.random(in: 0...5, using: &random)).map { _ in pick(signs) }.joined()
    }

    /// The JSON of a value of a type, as `--types` calls it.
    mutating func value(_ type: String) -> String {
      let number = Int.random(in: -1000...1000, using: &random)
      switch type {
      case "number": return pick(["\(number)", "\(number).5", "9007199254740991", "1e300", "0.1"])
      case "bool": return pick(["true", "false"])
      case "int": return "{\"$int\":\"\(number)000000000000000000000\"}"
      case "decimal": return "{\"$decimal\":\"\(number).50\"}"
      case "date": return "{\"$date\":\"20\(10 + abs(number) % 80)-03-01T01:02:03.\(100 + abs(number) % 900)Z\"}"
      case "day": return "{\"$day\":\"20\(10 + abs(number) % 80)-02-28\"}"
      case "data": return pick(["{\"$data\":\"q83vEjRW\"}", "{\"$data\":\"AA==\"}"])
      case "ref": return "{\"$ref\":\"r/\(number)\"}"
      case "counter": return "{\"$counter\":\(number)}"
      case "set": return "{\"$set\":[\"\(number)\",\"a\",2]}"
      case "json": return pick(["[1,\"\(text())\",null]", "{\"a\":{\"b\":\(number)},\"c\":null}", "[]", "{}"])
      default: return "\"\(text())\""
      }
    }

    static let types = [
      "string", "number", "bool", "int", "decimal", "date", "day", "data", "ref", "counter", "set", "json",
    ]

    mutating func record(_ k: Int) -> String {
      var members = ["\"_id\":\"r/\(k)\""]
      if Bool.random(using: &random) { members.append("\"_type\":\"\(pick(["host", "a/b", "Ä"]))\"") }
      for name in ["id", "type", "rev"] where Int.random(in: 0..<4, using: &random) == 0 {
        members.append("\"\(name)\":\"\(text())\"")
      }
      for type in Maker.types where Bool.random(using: &random) { members.append("\"p_\(type)\":\(value(type))") }
      return "{" + members.joined(separator: ",") + "}"
    }
  }

  @Test(arguments: TestSeed.some(12)) func loadRestoresDumpInEveryFormat(seed: UInt64) throws {
    var maker = Maker(random: SeededRandom(seed))
    let folder = try scratch()
    #expect(Run().run(["init", folder + "/a"]).status == 0)
    let records = (0..<Int.random(in: 0...20, using: &maker.random)).map { maker.record($0) }
    #expect(Run(input: records.joined(separator: "\n")).run(["-C", folder + "/a", "put", "-"]).status == 0)
    let want = contents(folder + "/a")
    #expect(want.count == records.count)
    for form in ["jsonl", "json", "csv", "csv --excel=de", "tsv", "datastore", "datastore --compact"] {
      let words = form.split(separator: " ").map(String.init)
      let format = words[0]
      let copy = folder + "/" + form
      #expect(Run().run(["init", copy]).status == 0)
      let dumped = Run().run(["-C", folder + "/a", "dump", "--format=" + format] + words[1...])
      var run = Run()
      run.input = dumped.output
      let heading = dumped.outLines.first ?? ""
      let types = Maker.types.filter { heading.contains("p_" + $0) }.map { type in
        "p_\(type):\(type)" + (words.last == "--excel=de" && ["number", "decimal"].contains(type) ? "[1234,5]" : "")
      }
      let options =
        (format == "csv" || format == "tsv" ? ["--types=" + types.joined(separator: ",")] : [])
        + (words.last == "--excel=de" ? ["--delimiter=;"] : [])
      let loaded = run.run(["-C", copy, "load", "--format=" + format] + options)
      #expect(loaded.status == 0, "\(format): \(loaded.err)")
      #expect(contents(copy) == want, "\(form)")
    }
  }

  /// Every revision comes back under its id, wherever in it counters and sets stand.
  @Test(arguments: TestSeed.some(6)) func loadRestoresDumpedHistory(seed: UInt64) throws {
    var maker = Maker(random: SeededRandom(seed))
    let folder = try scratch()
    #expect(Run().run(["init", folder + "/a"]).status == 0)
    let values = ["{\"$counter\":2}", "{\"$set\":[\"x\"]}", "{\"$set\":[]}", "1", "\"a\"", "null"]
    func nested(_ depth: Int) -> String {
      switch depth == 0 ? 9 : Int.random(in: 0..<4, using: &maker.random) {
      case 0: return "[\(nested(depth - 1)),\(nested(depth - 1))]"
      case 1: return "{\"n\":\(nested(depth - 1)),\"m\":\(nested(depth - 1))}"
      case 2: return "{\"$dict\":{\"$k\":\(nested(depth - 1))}}"
      default: return maker.pick(values)
      }
    }
    for _ in 0..<3 {
      let records = (0..<5).map { "{\"_id\":\"r/\($0)\",\"x\":\(nested(3))}" }
      #expect(
        Run(input: records.joined(separator: "\n")).run(["-C", folder + "/a", "put", "--ignore-rev", "-"]).status == 0)
    }
    let history = Run().run(["-C", folder + "/a", "dump", "--history"])
    #expect(Run().run(["init", folder + "/b"]).status == 0)
    var run = Run()
    run.input = history.output
    let loaded = run.run(["-C", folder + "/b", "load", "--history"])
    #expect(loaded.status == 0, "\(loaded.err)")
    #expect(Run().run(["-C", folder + "/b", "dump", "--history"]).output == history.output)
  }

  /// Of an input with a fault nothing is made that it does not say, and what is left out stands in the other file as it was.
  @Test(arguments: TestSeed.some(40)) func eachInputFaultAltersAtMostOneRecord(seed: UInt64) throws {
    var maker = Maker(random: SeededRandom(seed))
    let folder = try scratch()
    let records = (0..<Int.random(in: 1...6, using: &maker.random)).map { maker.record($0) }
    var text = Array(
      maker.pick([
        records.joined(separator: "\n") + "\n", "[" + records.joined(separator: ",\n") + "]",
        "[" + records.joined(separator: ",") + "]",
        records.map { $0.replacing(",\"", with: ",\n\"").replacing(":{", with: ":\n{\n") }.joined(separator: "\n"),
      ]).utf8)
    let faults = Int.random(in: 1...2, using: &maker.random)
    for _ in 0..<faults {
      let place = Int.random(in: 0..<text.count, using: &maker.random)
      switch Int.random(in: 0...2, using: &maker.random) {
      case 0: text.remove(at: place)
      case 1: text.insert(maker.pick(Array("{}[],:\"x1\n \\".utf8)), at: place)
      default: text[place] = maker.pick(Array("{}[],:\"x1\n \\".utf8))
      }
    }
    func load(_ input: [UInt8], into database: String, _ options: [String]) -> Outcome {
      #expect(Run().run(["init", folder + database]).status == 0)
      var run = Run()
      run.input = input
      return run.run(["-C", folder + database, "load", "-t", "none"] + options)
    }
    #expect(load(Array(records.joined(separator: "\n").utf8), into: "/whole", []).status == 0)
    let want = Set(contents(folder + "/whole"))
    let loaded = load(text, into: "/a", ["--rejects=" + folder + "/rejects"])
    let made = contents(folder + "/a")
    #expect([0, 8, 13].contains(loaded.status), "\(loaded.err)")
    if loaded.status == 13 { #expect(made == []) }
    #expect(made.filter { !want.contains($0) }.count <= faults, "\(String(decoding: text, as: UTF8.self))")
    guard loaded.status == 8, text[0] != 0x5B else { return }
    let lines = Set(text.split(separator: 0x0A))
    for line in try File(folder + "/rejects").readAll(limit: 1 << 20)!.split(separator: 0x0A) {
      #expect(lines.contains(line))
    }
  }

  /// The records without the revisions, which have counters and sets of their own.
  private func contents(_ path: String) -> [String] {
    Run().run(["-C", path, "query", "--json"]).outLines.map { line in
      guard let start = line.firstRange(of: "\"_rev\":\"") else { return line }
      return String(line[..<start.lowerBound] + line[start.upperBound...].drop { $0 != "\"" })
    }
  }
}
