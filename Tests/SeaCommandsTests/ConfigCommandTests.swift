import SeaCommands
import SeaEngine
import SeaSystem
import Testing

@Suite struct ConfigCommandTests {
  private func home() throws -> Run {
    var run = Run()
    run.variables = ["HOME": try scratch(), "SEA_CONFIG_NOSYSTEM": "1"]
    return run
  }

  @Test func valuesAreSetReadListedAndUnset() throws {
    let run = try home()
    #expect(run("config", "get", "tool.host.command").status == 1)
    #expect(run("config", "set", "--global", "tool.host.command", "max; # 1").out == "")
    #expect(run("config", "get", "tool.host.command").out == "max; # 1\n")
    #expect(
      run("config", "set", "--global", "tool.host.command", "min", "--json").out.hasPrefix(#"{"event":"configured""#))
    #expect(run("config", "list", "--global").out == "tool.host.command=min\n")
    #expect(run("config", "list", "--global", "-z").out == "tool.host.command\nmin\0")
    #expect(run("config", "unset", "--global", "tool.host.command", "-n").out.hasPrefix("would unset"))
    #expect(run("config", "unset", "--global", "tool.host.command").status == 0)
    #expect(run("config", "unset", "--global", "tool.host.command").status == 1)
  }

  @Test func getShowsOriginAndConvertsTypes() throws {
    let run = try home()
    let file = "\(run.variables["HOME"]!)/.config/sea/config"
    #expect(run("config", "path", "--global").out == file + "\n")
    #expect(run("config", "set", "--force", "--global", "a.size", "64K").status == 0)
    #expect(run("config", "get", "--type=size", "a.size").out == "65536\n")
    #expect(run("config", "get", "--show-origin", "a.size").out == "file:\(file):2\t64K\n")
    #expect(
      run("-c", "a.size=1M", "config", "get", "--show-origin", "--type=size", "a.size").out == "command:\t1048576\n")
    #expect(
      run("config", "get", "a.size", "--json").out
        == #"{"name":"a.size","value":"64K","scope":"global","file":"\#(file)","line":2}"# + "\n")
    #expect(run("config", "get", "--type=bool", "a.size").status == 13)
    #expect(run("config", "set", "--global", "--type=int", "a.n", "x").status == 13)
    #expect(run("config", "get", "a.other", "--default=7").out == "7\n")
  }

  @Test func addKeepsMultipleValuesAndSetRefusesThem() throws {
    let run = try home()
    for path in ["/a", "/b"] { #expect(run("config", "set", "--global", "--add", "safe.directory", path).status == 0) }
    #expect(run("config", "get", "--all", "safe.directory").out == "/a\n/b\n")
    #expect(run("config", "get", "safe.directory").out == "/b\n")
    let refused = run("config", "set", "--global", "safe.directory", "/c")
    #expect(refused.status == 4 && refused.err.contains("has 2 values"))
    #expect(run("config", "unset", "--global", "--all", "safe.directory").status == 0)
    #expect(run("config", "get", "safe.directory").status == 1)
  }

  @Test func localScopeRequiresDatabase() throws {
    var run = try home()
    run.directory = try scratch()
    #expect(run("-C", run.directory, "config", "set", "--force", "a.b", "c").status == 10)
    try Path.createDirectories(run.directory + "/.sea")
    #expect(run("-C", run.directory, "config", "set", "--force", "a.b", "c").status == 10)
    try AtomicFile.write(run.directory + "/.sea/db", [], replace: false)
    #expect(run("-C", run.directory, "config", "set", "--force", "a.b", "c").status == 0)
    #expect(run("-C", run.directory, "config", "get", "a.b").out == "c\n")
    #expect(run("--sea-dir", run.directory + "/.sea", "config", "get", "--local", "a.b").out == "c\n")
    #expect(run("-C", run.directory, "config", "get", "--global", "a.b").status == 1)
  }

  @Test func malformedFileIsReportedWithLine() throws {
    let run = try home()
    let file = run("config", "path", "--global").outLines[0]
    try Path.createDirectories(Path.parent(file))
    try AtomicFile.write(file, Array("[a]\nb = \"open\n".utf8), replace: true)
    let outcome = run("config", "list", "--json")
    #expect(outcome.status == 13 && outcome.err.contains(#""line":2"#))
  }

  @Test func invalidArgumentsAreRefused() throws {
    let run = try home()
    for words in [
      ["get"], ["set", "a.b"], ["list", "a.b"], ["get", "a.b", "c"], ["frob"], ["get", "ab"], ["get", "a.1"],
    ] {
      #expect(run.run(["config"] + words).status == 2, "\(words)")
    }
    #expect(run("config", "list", "--global", "--local").status == 2)
    #expect(run("config", "set", "--shared", "driver.x.command", "rm").status == 7)
    #expect(run("config", "set", "--shared", "--add", "merge.a.policy", "max").status == 2)
    #expect(run("config", "edit", "--shared").err.contains("are not stored in a file"))
  }

  @Test func sharedScopeIsReadForShareableSettingsOnly() throws {
    var run = try home()
    run.directory = try scratch()
    try Path.createDirectories(run.directory + "/.sea")
    try AtomicFile.write(run.directory + "/.sea/db", [1], replace: false)
    let here = ["-C", run.directory, "config", "get"]
    #expect(run.run(here + ["core.lockWait"]).out == "10\n")
    #expect(run.run(here + ["--global", "core.abbrev"]).status == 1)
    // What is in this .sea is no database.
    #expect(run.run(here + ["core.abbrev"]).status != 0)
    #expect(run.run(["-c", "core.abbrev=9", "-C", run.directory, "rev-parse", "--help"]).status == 0)
  }

  @Test func editStartsEditorOnlyAtTerminal() throws {
    var run = try home()
    run.variables["VISUAL"] = "vim -u x"
    #expect(run("config", "edit", "--global").status == 2)
    run.terminals = [0, 1]
    let file = run("config", "path", "--global").outLines[0]
    #expect(run("config", "edit", "--global").program?.arguments == ["sh", "-c", "vim -u x \"$@\"", "vim -u x", file])
    #expect(run("--no-input", "config", "edit", "--global").status == 2)
  }
}
