import SeaEngine
import SeaCommands
import SeaSystem
import Testing

/// The pages of the commands say what the table says. `SEA_REGENERATE=1` writes the sections that come from it.
@Suite(.serialized) struct ManPageTests {
  private let regenerates = ThisProcess.environment("SEA_REGENERATE") == "1"

  private func path(_ page: String) -> String { Path.join(packageRoot, "man/\(page).1") }

  private func expect(_ page: String, _ sections: [(String, String)]) throws {
    let there = try Path.exists(path(page))
    if regenerates {
      var text = there ? ManPage(try read("man/\(page).1")) : ManPage.empty(page)
      for (name, body) in sections { text.set(table: name, body) }
      try AtomicFile.write(path(page), Array(text.source.utf8), replace: true)
    }
    guard there || regenerates else {
      Issue.record("man/\(page).1 is missing")
      return
    }
    let text = ManPage(try read("man/\(page).1"))
    for (name, body) in sections {
      #expect(
        text.table(name) == body, "\(name) of \(page) is stale: SEA_REGENERATE=1 swift test --filter ManPageTests")
    }
    let names = text.sections.map(\.name)
    #expect(
      ManPage.required.allSatisfy(names.contains), "\(page) lacks \(ManPage.required.filter { !names.contains($0) })")
    #expect(names == ManPage.order.filter(names.contains), "the sections of \(page) are out of order or unknown")
    for section in text.sections { #expect(section.text.count > 2, "\(section.name) of \(page) is empty") }
  }

  /// Scripts look at the slugs: the page names each, beside or below its status.
  @Test func errorSlugsMatchExitStatusTable() throws {
    var found: [String: String] = [:]
    var status = ""
    for line in try read("man/sea-cli.7").split(separator: "\n") where line.hasPrefix(".It ") {
      let cells = line.dropFirst(4).split(separator: "Ta", omittingEmptySubsequences: false).map {
        $0.filter { $0 != " " }
      }
      guard cells.count == 3, cells[0].isEmpty || cells[0].first?.isNumber == true else { continue }
      if !cells[0].isEmpty { status = cells[0] }
      if !cells[1].isEmpty { found[cells[1]] = status }
    }
    for kind in ErrorKind.allCases {
      let status = kind == .interrupted ? "128+n" : String(kind.status.rawValue)
      #expect(found.removeValue(forKey: kind.rawValue) == status, "\(kind.rawValue)")
    }
    #expect(found.isEmpty)
  }

  @Test func commandPagesMatchCommandTable() throws {
    for command in Commands.all { try expect("sea-\(command.name)", ManSections.of(command)) }
    try expect("sea", ManSections.ofSea())
  }

  @Test func globalOptionsAreOnCLIPage() throws {
    let options = try #require(ManPage(try read("man/sea-cli.7")).section("OPTIONS"))
    for option in GlobalOptions.all {
      let name = option.long.isEmpty ? option.key : "-\(option.long)"
      #expect(options.contains("Fl \(name) ") || options.contains("Fl \(name)\n"), "\(option.spelling)")
    }
  }

  @Test func helpListsEveryWorkflowRecipe() throws {
    let page = try read("man/sea-workflows.7")
    let titles = page.split(separator: "\n").filter { $0.hasPrefix(".Ss ") }.map {
      $0.dropFirst(4).replacing("\\&", with: "").replacing("\"", with: "")
    }
    #expect(Topics.recipes.map(\.title) == titles.map(String.init))
  }

  @Test func everySynonymHasItsPage() throws {
    for synonym in Commands.synonyms where Commands.find(synonym.name) != nil {
      let text = ManPage(try read("man/sea-\(synonym.name).1"))
      #expect(text.section("NAME")?.hasPrefix(".Nm sea-\(synonym.name)\n") == true)
      #expect(text.section("SEE ALSO")?.contains(".Xr sea-\(synonym.command) 1") == true)
    }
  }

  @Test func everyPageDescribesACommand() throws {
    // Helpers are programs of their own.
    let helpers = [
      "sea-remote-s3.1", "sea-remote-rclone.1", "sea-remote-sea+https.1", "sea-server.1", "sea-read-xlsx.1",
    ]
    let known = Set(Commands.names.map { "sea-\($0).1" } + ["sea.1"] + helpers)
    for entry in try Directory(Path.join(packageRoot, "man")).list().entries where entry.name.hasSuffix(".1") {
      #expect(known.contains(entry.name), "man/\(entry.name) describes no command")
    }
  }

  @Test func mandocReportsNoWarning() throws {
    let pages = try Directory(Path.join(packageRoot, "man")).list().entries.map(\.name).filter { $0.hasSuffix(".1") }
    #expect(!pages.isEmpty)
    for page in pages {
      let file = Path.join(packageRoot, "man/\(page)")
      #expect(try Launch("mandoc", ["mandoc", "-Tlint", "-Wwarning", file]).run() == .exited(0), "\(page)")
    }
  }

  @Test func synopsisIsConvertedToMdoc() {
    #expect(
      Synopsis.mdoc("sea Cm x", "[-t TYPE] [--short[=N]] (--a=B | -c) RECORD... [FILE | - | JSON]... [-N] get")
        == """
        .Nm sea Cm x
        .Oo Fl t Ar TYPE Oc
        .Oo Fl -short Ns Oo = Ns Ar N Oc Oc
        .Po Fl -a Ns = Ns Ar B | Fl c Pc
        .Ar RECORD Ns ...
        .Oo Ar FILE | Cm - | Ar JSON Oc Ns ...
        .Oo Fl Ns Ar N Oc
        .Cm get

        """)
  }
}
