import SeaCommands
import SeaSystem
import SeaTestSupport
import Testing

@Suite struct CompletionTests {
  private func words(_ line: String) -> [String] {
    Run()("--complete", line, "\(line.utf8.count)").outLines.map { String($0.split(separator: "\t")[0]) }
  }

  @Test func commands() {
    #expect(words("sea ") == Commands.names.filter { Commands.find($0) != nil })
    #expect(words("sea -q hash") == ["hash-record"])
    #expect(words("sea help pick") == ["pick-winner"])
    #expect(words("sea help tut") == ["tutorial"])
    #expect(words("sea help conf") == ["config", "conflicts"])
    #expect(words("sea nothing --") == [])
  }

  @Test func everyGuideIsAPage() throws {
    let pages = Set(try Directory(Path.join(packageRoot, "man")).list().entries.map(\.name))
    let guides = Set(Commands.guides.map(\.name))
    for guide in guides { #expect(pages.contains("sea-\(guide).7") || pages.contains("sea-\(guide).5"), "\(guide)") }
    for page in pages where page.hasPrefix("sea-") && (page.hasSuffix(".7") || page.hasSuffix(".5")) {
      #expect(guides.contains(String(page.dropFirst(4).dropLast(2))), "\(page)")
    }
  }

  @Test func optionsOfTheCommandAndOfSea() {
    for command in Commands.all {
      let found = Set(words("sea \(command.name) -"))
      for option in command.options + GlobalOptions.all {
        #expect(
          found.contains(option.dashed) || found.contains(option.dashed + "="), "\(command.name) \(option.dashed)")
      }
    }
    #expect(words("sea config --sh") == ["--shared", "--show-origin"])
  }

  @Test func valuesOfOptionsAndOperands() {
    #expect(words("sea hash-record --kind=") == ["--kind=put", "--kind=delete", "--kind=resolved"])
    #expect(words("sea hash-record --kind d") == ["delete"])
    #expect(words("sea config ") == ["get", "set", "unset", "list", "path", "edit"])
    #expect(words("sea config se") == ["set"])
  }

  @Test func namesComeFromTheContext() {
    let session = Run().session()
    session.candidates = { kind, start in kind == .type && start == "h" ? [("host", "3 records"), ("x", "")] : [] }
    #expect(Completion.candidates("sea hash-record -q -t h", 99, session).map(\.word) == ["host"])
    #expect(Completion.candidates("sea hash-record --type=h", 99, session).map(\.word) == ["--type=host"])
    #expect(Completion.candidates("sea hash-record --type=h ", 99, session).isEmpty)
    #expect(Completion.candidates("sea config -t x se", 99, session).isEmpty)
  }

  @Test func thePointIsWhereItEnds() {
    #expect(Run()("--complete", "sea hel --json", "7").out.hasPrefix("help\t"))
    #expect(Completion.split("sea  'a b'\\ c \"d", 99) == ["sea", "a b c", "d"])
    #expect(Completion.split("sea x ", 99) == ["sea", "x", ""])
  }
}
