import SeaEngine
import SeaCommands
import Testing

@Suite struct DispatchTests {
  @Test func callWithoutCommandListsCommandsAndFails() {
    let outcome = Run()()
    #expect(outcome.status == 2 && outcome.out.isEmpty)
    #expect(outcome.err.contains("config"))
    #expect(outcome.errLines.suffix(2).first == "sea: error[usage]: no command given")
  }

  @Test func jsonOptionAtAnyPositionFormatsUsageErrors() {
    let outcome = Run()("confg", "--json")
    #expect(outcome.status == 2 && outcome.out.isEmpty)
    let message = "unknown command 'confg'"
    #expect(
      outcome.errLines == [
        #"{"event":"error","code":"usage","exit":2,"message":"\#(message)","hint":"did you mean: sea config"}"#
      ])
    #expect(Run()("--json").errLines.count == 1)
    #expect(Run()("version", "--", "--json").errLines.first?.hasPrefix("sea: error[usage]") == true)
  }

  @Test func hintsCanBeSilenced() {
    var run = Run()
    run.variables["SEA_ADVICE"] = "0"
    #expect(run("confg").errLines.count == 1)
  }

  @Test func programNameSelectsCommand() {
    var run = Run()
    run.program = "/usr/bin/sea-version"
    #expect(run().out == "sea \(Commands.version)\n")
    #expect(Run()("--version").out == "sea \(Commands.version)\n")
  }

  @Test func argumentsMustBeUTF8() {
    let outcome = Run()("version", nil)
    #expect(outcome.status == 2 && outcome.err == "sea: error[usage]: argument 2 is not UTF-8\n")
  }

  @Test func messagesEscapeControlCharacters() {
    let outcome = Run()("a\u{1B}[2J\u{202E}")
    #expect(outcome.err.contains(#"'a\x1b[2J\u202e'"#))
    #expect(!outcome.errors.contains(0x1B))
  }

  @Test func externalProgramsRunAsCommands() {
    var run = Run()
    run.variables = ["PATH": "/bin::/usr/bin", "SEA_EXEC_PATH": "/x"]
    run.executables = ["/usr/bin/sea-foo", "/opt/sea/bin/sea-foo"]
    let outcome = run("--sea-dir=/d/.sea", "-c", "a.b=c", "--literal-ids", "-C", "/w", "foo", "--bar", "-q")
    #expect(outcome.program?.path == "/opt/sea/bin/sea-foo")
    #expect(outcome.program?.arguments == ["/opt/sea/bin/sea-foo", "--bar", "-q"])
    #expect(outcome.program?.directory == "/w/.")
    let variables = outcome.program?.variables.map { "\($0.name)=\($0.value)" }
    #expect(
      variables == [
        "SEA_DIR=/d/.sea", "SEA_LITERAL_IDS=1", "SEA_CONFIG_KEY_0=a.b", "SEA_CONFIG_VALUE_0=c", "SEA_CONFIG_COUNT=1",
      ])
    run.executables.insert("/x/sea-foo")
    #expect(run("foo").program?.path == "/x/sea-foo")
    run.executables = ["/bin/sea-version"]
    #expect(run("version").program == nil)
    #expect(run("../foo").status == 2)
  }

  @Test func helpOpensInstalledManPage() {
    var run = Run()
    run.variables["PATH"] = "/usr/bin"
    run.executables = ["/usr/bin/man"]
    // What man does not find is not for man to tell of.
    #expect(run("put", "--help").out == run("put", "-h").out)
    let outcome = run("help", "nothing")
    #expect(outcome.status == 4 && outcome.err.hasPrefix("sea: error[not-found]"))
    run.answers["/bin/sh"] = "/usr/share/man/man1/sea-config.1"
    #expect(run("help", "config").program?.arguments == ["man", "sea-config"])
    #expect(run("config", "--help").program?.arguments == ["man", "sea-config"])
    #expect(run("--help").program?.arguments == ["man", "sea"])
    let page = "/opt/sea/bin/../share/man/man7/sea-cli.7"
    run.executables.insert(page)
    #expect(run("help", "cli").program?.arguments == ["man", page])
  }

  @Test func helpWithoutManPrintsUsage() {
    #expect(Run()("help", "config").out == Run()("config", "-h").out)
    #expect(Run()("help").out.contains("Setup:"))
    let outcome = Run()("help", "nothing")
    #expect(outcome.status == 4 && outcome.err.hasPrefix("sea: error[not-found]"))
  }

  @Test func fullDiskFailsAndClosedPipeIsSilent() {
    var run = Run()
    run.outputFault = 28
    let full = run("version")
    #expect(full.status == 12 && full.err.hasPrefix("sea: error[no-space]: cannot write standard output"))
    #expect(
      run("version", "--json").errLines.first?.hasPrefix(#"{"event":"error","code":"no-space","exit":12"#) == true)
    run.outputFault = 32
    let broken = run("version")
    #expect(broken.status == 141 && broken.err.isEmpty)
  }

  @Test func mostSevereStatusWins() {
    let order: [ExitStatus] = [
      .brokenPipe, .bug, .system, .corrupt, .denied, .incompatible, .refused, .badData, .locked, .conflict, .notFound,
      .unreachable, .partial, .no, .success,
    ]
    for (k, grave) in order.enumerated() {
      for light in order[k...] { #expect(grave.and(light) == grave && light.and(grave) == grave) }
    }
  }

  /// A program called `sea-something` that is no command is `sea`: looked for as a command of its own, it would find
  /// and start itself for ever.
  @Test func unknownProgramNameActsAsSea() {
    var run = Run()
    run.program = "/usr/bin/sea-static"
    run.executables = ["/usr/bin/sea-static"]
    let outcome = run("version")
    #expect(outcome.status == 0 && outcome.program == nil)
    run.program = "/usr/bin/sea-version"
    #expect(run().out == outcome.out)
  }
}
