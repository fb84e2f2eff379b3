import SeaSystem
import SeaTestSupport
import Testing

/// The one table of codes on sea-format(5) has every code that a vector expects, for the thing that the vector is.
@Suite struct CodeTableTests {
  private static let things: [String: [String]] = [
    "block": ["block", "first block", "removed block"],
    "chain": ["block", "chain", "removed block", "revision"],
    "seal": ["block", "first block", "removed block"],
    "asset": ["encrypted asset"], "slot": ["slot"], "request": ["join request"], "recovery": ["recovery words"],
    "name": ["container"],
  ]

  /// The things that the table names, by code.
  private func table() throws -> [String: Set<String>] {
    let page = try read("man/sea-format.5")
    let start = try #require(page.firstRange(of: ".Sh CODES"))
    var found: [String: Set<String>] = [:]
    for line in page[start.upperBound...].split(separator: "\n").prefix(while: { !$0.hasPrefix(".Sh") }) {
      let parts = line.split(separator: " Ta ").map { String($0) }
      guard parts.count == 3, parts[0].hasPrefix(".It "), !parts[0].hasPrefix(".It Sy") else { continue }
      found[String(parts[0].dropFirst(4)), default: []].formUnion(parts[1].split(separator: ", ").map { String($0) })
    }
    return found
  }

  @Test func everyVectorErrorCodeHasARow() throws {
    let table = try table()
    var seen = 0
    for (family, things) in CodeTableTests.things {
      let folder = Path.join(packageRoot, "Tests/vectors/\(family)")
      for entry in try Directory(folder).list().entries where entry.name.hasSuffix(".vec") {
        let text = try read("Tests/vectors/\(family)/\(entry.name)")
        let line = text.split(separator: "\n").first { $0.hasPrefix("expect: ") }
        guard let code = line.map({ String($0.dropFirst("expect: ".count)) }), code != "ok", code != "passed-over"
        else { continue }
        seen += 1
        #expect(!(table[code] ?? []).isDisjoint(with: things), "\(family)/\(entry.name): \(code)")
      }
    }
    #expect(seen > 500)
  }
}
