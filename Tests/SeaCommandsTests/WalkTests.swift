import Testing

/// docs/architecture.md follows one put through the sources: what it names is there, and is as much as it says.
@Suite struct WalkTests {
  private struct Step: Hashable {
    let file: String
    let function: String
  }

  /// The part of the page after a heading, to the next of that rank.
  private func walk() throws -> Substring {
    let page = try read("docs/architecture.md")
    let begin = try #require(page.firstRange(of: "## The walk of one put"))
    let end = page[begin.upperBound...].firstRange(of: "\n## ")?.lowerBound ?? page.endIndex
    return page[begin.upperBound..<end]
  }

  /// Functions, and behind them in brackets the file that they are in.
  private func steps(_ text: Substring) -> [Step] {
    var steps: [Step] = []
    var names: [Substring] = []
    for match in text.matches(of: /`([^`]+)`|\(([A-Z][A-Za-z+]*)\)/) {
      if let name = match.1, name.first != "." { names.append(name) }
      guard let file = match.2 else { continue }
      steps += names.map { Step(file: String(file), function: String($0.split(separator: ".").last!)) }
      names = []
    }
    return steps
  }

  @Test func everyStepIsInItsFile() throws {
    var texts: [String: String] = [:]
    for path in try SourceTests.sources("Sources") {
      texts[String(path.split(separator: "/").last!.dropLast(".swift".count)), default: ""] += try read(path)
    }
    let walk = try walk()
    let begin = try #require(walk.firstRange(of: "\n### "))
    let steps = Set(steps(walk[begin.upperBound...]))
    #expect(steps.count > 300)
    for step in steps {
      let text = try #require(texts[step.file], "no file \(step.file)")
      let isThere =
        step.function == "init"
        ? text.contains("init")
        : ["func", "var"].contains { word in
          text.ranges(of: "\(word) \(step.function)").contains { found in
            // Not the beginning of a longer name.
            text[found.upperBound...].first.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
          }
        }
      #expect(isThere, "\(step.function) is not in \(step.file)")
    }
  }

  @Test func theCountsAreThoseOfTheSteps() throws {
    var met: Set<Step> = []
    var files: Set<String> = []
    let count = /(\d+) (?:more )?functions in (\d+)\s+files(?:, (\d+) of which had no part so far)?/
    let walk = try walk()
    var sections = 0
    for section in walk.split(separator: "\n### ").dropFirst() {
      let said = try #require(section.firstMatch(of: count))
      // What stands behind the count is of other cases.
      let new = Set(steps(section[..<said.range.lowerBound])).subtracting(met)
      let newFiles = Set(new.map(\.file))
      let title = section.prefix { $0 != "\n" }
      #expect(Int(said.1) == new.count, "\(title): \(new.count) functions")
      #expect(Int(said.2) == newFiles.count, "\(title): \(newFiles.count) files")
      if let first = said.3 { #expect(Int(first) == newFiles.subtracting(files).count, "\(title): \(first) files") }
      met.formUnion(new)
      files.formUnion(newFiles)
      sections += 1
    }
    #expect(sections == 5)
    #expect(walk.contains("\(met.count) in \(files.count) for all of it"))
  }
}
