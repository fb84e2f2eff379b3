import SeaEngine
import Testing

@Suite struct ConfigFileTests {
  private func file(_ text: String) throws -> ConfigFile { try ConfigFile(Array(text.utf8), path: "f") }

  private func text(_ file: ConfigFile) -> String { String(decoding: file.bytes, as: UTF8.self) }

  private func list(_ text: String) throws -> [String] {
    try file(text).entries.map { "\($0.key)=\($0.value ?? "-")@\($0.line)" }
  }

  @Test func sectionsCommentsAndEscapesAreParsed() throws {
    #expect(
      try list("\u{FEFF}[Core]\n  Abbrev = 8 # c\n\tflag\r\n; c\nx=1;2\n") == [
        "core.abbrev=8@2", "core.flag=-@3", "core.x=1@5",
      ])
    #expect(try list("[merge \"host/ram.gb \\\"q\\\\\"] policy = max") == ["merge.host/ram.gb \"q\\.policy=max@1"])
    #expect(try list("[a]\nk = \" x # y \" z\\t\\n\\\"\\\\ \n") == ["a.k= x # y  z\t\n\"\\@2"])
    #expect(try list("[a]\nk = one \\\n  two\nl = 3\n") == ["a.k=one   two@2", "a.l=3@4"])
    #expect(try list("[a]\nk =\n[b]\nk\n") == ["a.k=@2", "b.k=-@4"])
    #expect(try list("[a]\r\nk = v\r\n") == ["a.k=v@2"])
    #expect(try list("") == [])
  }

  @Test(arguments: [
    ("k = 1\n", 1, ConfigError.FileFault.nameOutsideSection), ("[a]\n[b\n", 2, .badHeader),
    ("[a]\n1k = 1\n", 2, .badName),
    ("[a]\nk v\n", 2, .badName), ("[a]\n\nk = \"x\ny\"\n", 3, .openQuote), ("[a]\nk = \\q\n", 2, .badEscape),
    ("[a \"b]\n", 1, .badHeader), ("[a]\nk_b = 1\n", 2, .badName), ("[]\n", 1, .badHeader),
    ("[a]\nk = x\\", 2, .badEscape),
  ])
  func syntaxErrorNamesLine(_ text: String, _ line: Int, _ fault: ConfigError.FileFault) {
    #expect(throws: ConfigError.badFile(path: "f", line: line, fault)) { try file(text) }
  }

  @Test func editsPreserveOtherText() throws {
    var file = try file("# mine\n[a] k = 1 ; why\n\tl = 2\n\n[b \"S\"]\n\tm = 3")
    try file.set(ConfigKey("a.k")!, "x y")
    try file.set(ConfigKey("a.n")!, "")
    try file.set(ConfigKey("b.S.m")!, "#")
    try file.set(ConfigKey("b.s.m")!, "4")
    #expect(
      text(file) == "# mine\n[a] k = x y ; why\n\tl = 2\n\tn = \n\n[b \"S\"]\n\tm = \"#\"\n[b \"s\"]\n\tm = 4\n")
    #expect(try file.unset(ConfigKey("a.k")!))
    #expect(try file.unset(ConfigKey("a.l")!))
    #expect(try !file.unset(ConfigKey("a.l")!))
    #expect(text(file).hasPrefix("# mine\n[a]  ; why\n\tn = \n"))
  }

  @Test func settingFlagAddsValue() throws {
    var file = try file("[a]\nk # c\n")
    try file.set(ConfigKey("a.k")!, "no")
    #expect(text(file) == "[a]\nk = no # c\n")
  }

  @Test func everyValueReadsBackUnchanged() throws {
    let values = [
      "", " ", "a b", " a", "a ", "#", ";x", "\"", "\\", "a\\", "\n", "\t\u{8}", "é中", "a\"b;c\\d\n e", "'",
    ]
    for (k, value) in values.enumerated() {
      for start in ["", "[a]", "[a]\nx = 1", "[a]\nk = old \\\n more ; c\n[b]\n"] {
        var edited = try file(start)
        try edited.set(ConfigKey("a.k")!, value)
        #expect(try file(text(edited)).values(ConfigKey("a.k")!).map(\.value) == [value], "\(k) \(start)")
      }
    }
    var file = try file("")
    #expect(throws: ConfigError.unstorable(key: "a.k")) { try file.set(ConfigKey("a.k")!, "\u{1}") }
    try file.set(ConfigKey("merge.a.\"b\\.policy")!, "x")
    #expect(file.entries.first?.key.subsection == "a.\"b\\")
  }

  @Test func severalValuesAreNotOverwritten() throws {
    var file = try file("[a]\nk = 1\nk = 2\n")
    #expect(throws: ConfigError.severalValues(key: "a.k", count: 2, path: "f")) { try file.set(ConfigKey("a.k")!, "3") }
    try file.set(ConfigKey("a.k")!, "3", adding: true)
    #expect(file.values(ConfigKey("a.k")!).compactMap(\.value) == ["1", "2", "3"])
    #expect(throws: ConfigError.self) { try file.unset(ConfigKey("a.k")!) }
    #expect(try file.unset(ConfigKey("a.k")!, all: true))
    #expect(text(file) == "[a]\n")
  }

  @Test func keysIgnoreCaseExceptSubsection() {
    #expect(ConfigKey("Core.Abbrev") == ConfigKey("core.abbrev"))
    #expect(ConfigKey("a.B.c") != ConfigKey("a.b.c"))
    #expect(ConfigKey("driver.x.y.command")?.subsection == "x.y")
    for text in ["", "a", "a.", ".b", "a.1b", "a_.b", "a.b_c", "a.\n.b"] { #expect(ConfigKey(text) == nil, "\(text)") }
  }
}
