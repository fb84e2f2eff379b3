import Testing

/// docs/architecture.md follows one put through the sources: what it names is there.
@Suite struct WalkTests {
  @Test func everyStepIsInItsFile() throws {
    let page = try read("docs/architecture.md")
    let begin = try #require(page.firstRange(of: "## The walk of one put"))
    let steps = try #require(page[begin.upperBound...].firstRange(of: "\n1. "))
    let end = page[steps.upperBound...].firstRange(of: "\n## ")?.lowerBound ?? page.endIndex
    let sources = Dictionary(grouping: try SourceTests.sources("Sources")) { path in
      path.split(separator: "/").last!.dropLast(".swift".count)
    }
    var count = 0
    var names: [Substring] = []
    for match in page[steps.lowerBound..<end].matches(of: /`([^`]+)`|\(([A-Z][A-Za-z+]*)\)/) {
      if let name = match.1, name.first != "." { names.append(name) }
      guard let file = match.2 else { continue }
      let paths = try #require(sources[file], "no file \(file)")
      let text = try paths.map { try read($0) }.joined()
      for name in names {
        let last = name.split(separator: ".").last!
        let isThere =
          last == "init"
          ? text.contains("init")
          : ["func", "var"].contains { word in
            text.ranges(of: "\(word) \(last)").contains { found in
              // Not the beginning of a longer name.
              text[found.upperBound...].first.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
            }
          }
        #expect(isThere, "\(name) is not in \(file)")
      }
      count += names.count
      names = []
    }
    #expect(count > 100)
  }
}
