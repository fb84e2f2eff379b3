import SeaCommands
import Testing

@Suite struct CompletionTests {
  private func words(_ line: String) -> [String] {
    Run()("--complete", line, "\(line.utf8.count)").outLines.map { String($0.split(separator: "\t")[0]) }
  }

  @Test func commands() {
    #expect(words("sea ") == Commands.names.filter { Commands.find($0) != nil })
    #expect(words("sea -q hash") == ["hash-record"])
    #expect(words("sea help pick") == ["pick-winner"])
    #expect(words("sea nothing --") == [])
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
