import SeaCommands
import SeaSystem
import SeaTestSupport
import Testing

@Suite struct CompletionTests {
  private func words(_ line: String) -> [String] {
    Run()("--complete", line, "\(line.utf8.count)").outLines.map { String($0.split(separator: "\t")[0]) }
  }

  @Test func commandAndHelpTopicNamesAreCompleted() {
    #expect(words("sea ") == Commands.names.filter { Commands.find($0) != nil })
    #expect(words("sea -q hash") == ["hash-record"])
    #expect(words("sea help pick") == ["pick-winner"])
    #expect(words("sea help tut") == ["tutorial"])
    #expect(words("sea help conf") == ["config", "conflicts"])
    #expect(words("sea nothing --") == [])
  }

  @Test func guidesMatchManPages() throws {
    let pages = Set(try Directory(Path.join(packageRoot, "man")).list().entries.map(\.name))
    let guides = Set(Commands.guides.map(\.name))
    for guide in guides { #expect(pages.contains("sea-\(guide).7") || pages.contains("sea-\(guide).5"), "\(guide)") }
    for page in pages where page.hasPrefix("sea-") && (page.hasSuffix(".7") || page.hasSuffix(".5")) {
      #expect(guides.contains(String(page.dropFirst(4).dropLast(2))), "\(page)")
    }
  }

  @Test func commandAndGlobalOptionsAreCompleted() {
    for command in Commands.all {
      let found = Set(words("sea \(command.name) -"))
      for option in command.options + GlobalOptions.all {
        #expect(
          found.contains(option.dashed) || found.contains(option.dashed + "="), "\(command.name) \(option.dashed)")
      }
    }
    #expect(words("sea config --sh") == ["--shared", "--show-origin"])
  }

  @Test func optionValuesAndOperandsAreCompleted() {
    #expect(words("sea hash-record --kind=") == ["--kind=put", "--kind=delete", "--kind=resolved"])
    #expect(words("sea hash-record --kind d") == ["delete"])
    #expect(words("sea config ") == ["get", "set", "unset", "list", "path", "edit"])
    #expect(words("sea config se") == ["set"])
  }

  @Test func typeNamesComeFromSessionCandidates() {
    let session = Run().session()
    session.candidates = { kind, start, _ in kind == .type && start == "h" ? [("host", "3 records"), ("x", "")] : [] }
    #expect(Completion.candidates("sea hash-record -q -t h", 99, session).map(\.word) == ["host"])
    #expect(Completion.candidates("sea hash-record --type=h", 99, session).map(\.word) == ["--type=host"])
    #expect(Completion.candidates("sea hash-record --type=h ", 99, session).map(\.meaning) == ["file"])
    #expect(Completion.candidates("sea config -t x se", 99, session).isEmpty)
  }

  /// What the words before say is handed on.
  @Test func precedingWordsSetCandidateContext() {
    let session = Run().session()
    var seen: [String] = []
    session.candidates = { kind, start, context in
      seen.append("\(kind) \(start) \(context?.type ?? "-") \(context?.record ?? "-")")
      return []
    }
    for line in ["sea get a/1 n", "sea set --type=t a k", "sea query -t t --sort=x", "sea query -tt --select y"] {
      _ = Completion.candidates(line, 99, session)
    }
    #expect(seen == ["path n - a/1", "assignment k t a", "paths x t -", "paths y t -"])
  }

  @Test func filesAreOfferedOnlyForPathArguments() {
    #expect(Run()("--complete", "sea put ", "8").out == "\tfile\n")
    #expect(Run()("--complete", "sea import x", "12").out == "\tfile\n")
    #expect(Run()("--complete", "sea dump --output=", "18").out == "\tfile\n")
    #expect(Run()("--complete", "sea -C ", "7").out == "\tdirectory\n")
    #expect(Run()("--complete", "sea init --name=", "16").out == "")
    #expect(Run()("--complete", "sea query --limit=", "18").out == "")
  }

  @Test func settingsAreCompletedWithoutDatabase() {
    #expect(Run()("--complete", "sea config set core.pa", "22").out.isEmpty)
    let session = Run().session()
    session.candidates = { kind, start, context in try Candidates(session, context).find(kind, start) }
    #expect(Completion.candidates("sea config set core.pa", 99, session).map(\.word) == ["core.pager"])
    #expect(Completion.candidates("sea config set color.ui al", 99, session).map(\.word) == ["always"])
    #expect(Completion.candidates("sea -c core.old", 99, session).map(\.word) == ["core.oldKey="])
    #expect(Completion.candidates("sea -c core.oldKey=f", 99, session).map(\.word) == ["core.oldKey=false"])
  }

  @Test func completionIgnoresTextAfterCursor() {
    #expect(Run()("--complete", "sea hel --json", "7").out.hasPrefix("help\t"))
    #expect(Completion.split("sea  'a b'\\ c \"d", 99) == ["sea", "a b c", "d"])
    #expect(Completion.split("sea x ", 99) == ["sea", "x", ""])
  }
}
