import SeaCommands
import SeaEngine
import SeaSystem
import Testing

/// Which programs merge, and what they are given.
@Suite struct MergeProgramTests {
  @Test func placeholdersAreSubstitutedOnce() {
    let values: [Character: String] = ["A": "/x/%B y", "B": "$(b)", "P": "%A", "%": "%"]
    for (word, want) in [
      ("%A", "/x/%B y"), ("a%Ab", "a/x/%B yb"), ("%P%P", "%A%A"), ("%%A", "%A"), ("%%%B", "%$(b)"), ("%", "%"),
      ("%x%", "%x%"), ("", ""), ("--out=%A", "--out=/x/%B y"),
    ] { #expect(MergeProgram.filled(word, values) == want, "\(word)") }
  }

  private func session(_ run: Run = Run(), shared: [(String, String)], own: String) throws -> Session {
    let folder = try scratch()
    try AtomicFile.write(Path.join(folder, "config"), Array(own.utf8), replace: false)
    let sources = ConfigSources(variable: { $0 == "SEA_CONFIG_NOSYSTEM" ? "1" : nil }, database: folder)
    let session = run.session()
    session.loadedConfig = try Config(sources).sharing(shared.map { (try #require(ConfigKey($0.0)), $0.1) })
    return session
  }

  /// Settings that arrive from others run nothing, whatever they say.
  @Test func sharedSettingsCannotNamePrograms() throws {
    let foreign = [
      ("driver.x.command", "evil"), ("driver.y.command", "evil"), ("driver.y.scope", "property"),
      ("tool.x.command", "evil"), ("merge.tool", "x"), ("hook.timeout", "1"),
    ]
    let session = try session(shared: foreign, own: "[driver \"y\"]\ncommand = \"own %A\"\n")
    #expect(throws: ProgramError.self) { try MergeProgram.driver("x", session) }
    #expect(throws: ProgramError.self) { try MergeProgram.tool("x", session) }
    #expect(throws: ProgramError.self) { try MergeProgram.tool(nil, session) }
    let driver = try MergeProgram.driver("y", session)
    #expect(driver.scope == .record)
    guard case .driver(let words) = driver.kind else {
      Issue.record("no driver")
      return
    }
    #expect(words == ["own", "%A"])
    #expect(try session.config().duration("hook.timeout") == 60)
  }

  @Test func emptyProgramSettingCountsAsUnset() throws {
    let session = try session(shared: [], own: "[driver \"x\"]\ncommand =\n[merge]\ntool = \"\"\n")
    #expect(throws: ProgramError.self) { try MergeProgram.driver("x", session) }
    #expect(throws: ProgramError.self) { try MergeProgram.tool(nil, session) }
  }

  @Test func conflictingPropertiesAreFoundAtAnyDepth() {
    for (text, want) in [
      ("{}", []), (#"{"$clash":1}"#, [""]), (#"{"a":{"$clash":{"base":{"$clash":1}}}}"#, ["/a", "/a/$clash/base"]),
      (#" { "a" : [ 1 , { "$clash" : 2 } , [ ] , { } ] , "b~/" : { "$clash":"x\"}" } } "#, ["/a/1", "/b~0~1"]),
      (#"{"a":"$clash","b":{"$dict":{"$clash":1}},"c":{"d":{"\u0024clash":-1.5e3}}}"#, ["/c/d"]),
      (#"{"a":[[[{"$clash":null}]],true,false]}"#, ["/a/0/0/0"]),
    ] as [(String, [String])] { #expect(MergeText.clashes(in: Array(text.utf8)) == want, "\(text)") }
    for text in ["", "{", "[]", "1", #"{"a":}"#, "{} {}", #"{"$clash":1"#, #"{"$clash":1,"$clash":2}"#] {
      #expect(MergeText.clashes(in: Array(text.utf8)) == nil, "\(text)")
    }
  }
}
