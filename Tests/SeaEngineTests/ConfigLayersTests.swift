import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

@Suite struct ConfigLayersTests {
  private let scratch: ScratchFolder
  private var folder: String { scratch.path }

  init() throws {
    scratch = try ScratchFolder()
    for name in ["home/.config/sea", "db"] { try Path.createDirectories("\(folder)/\(name)") }
  }

  private func write(_ name: String, _ text: String) throws {
    try AtomicFile.write("\(folder)/\(name)", Array(text.utf8), replace: true)
  }

  private func sources(_ variables: [String: String] = [:]) -> ConfigSources {
    var all = ["HOME": "\(folder)/home", "SEA_CONFIG_SYSTEM": "\(folder)/system"]
    all.merge(variables) { $1 }
    return ConfigSources(variable: { [all] in all[$0] }, database: "\(folder)/db")
  }

  @Test func eachLayerOverridesPreviousLayer() throws {
    var sources = self.sources([
      "SEA_CONFIG_COUNT": "1", "SEA_CONFIG_KEY_0": "core.abbrev", "SEA_CONFIG_VALUE_0": "15", "V": "16",
    ])
    var shared: [(key: ConfigKey, value: String)] = []
    func now(_ sources: ConfigSources) throws -> Int? { try Config(sources).sharing(shared).integer("core.abbrev") }
    var weak = self.sources()
    #expect(try now(weak) == 8)
    try write("system", "[core]\nabbrev = 11\n")
    #expect(try now(weak) == 11)
    try write("home/.config/sea/config", "[core]\nabbrev = 12\n")
    #expect(try now(weak) == 12)
    try write("db/config", "[core]\nabbrev = 14\n")
    #expect(try now(weak) == 14)
    shared = [(ConfigKey("core.abbrev")!, "13"), (ConfigKey("merge.h.policy")!, "max")]
    #expect(try now(weak) == 14)
    weak.database = nil
    #expect(try now(weak) == 13)
    #expect(try Config(weak).sharing(shared).text("merge.h.policy") == "max")
    #expect(try now(sources) == 15)
    sources.settingVariables = ["core.abbrev=V"]
    #expect(try now(sources) == 16)
    sources.settings = ["core.abbrev=17", "core.flag"]
    #expect(try now(sources) == 17)
    #expect(try Config(sources).bool("core.flag") == true)
  }

  @Test func sharedSettingsCannotRunPrograms() throws {
    let refused = [
      "driver.x.command", "safe.directory", "merge.driver", "core.editor", "core.pager", "core.abbrev.abbrev",
      "password.command", "init.encrypt", "alias.x", "hook.put.command", "merge.h.command", "core.lockWait",
    ]
    let unknown = [("index.by-name", "a\nb"), ("merge.auto", "drivers"), ("merge.h.policy", "ours")]
    let config = try Config(sources()).sharing(
      refused.map { (ConfigKey($0)!, "bad") } + unknown.map { (ConfigKey($0)!, $1) })
    #expect(config.entries(.shared) == [])
    for name in refused {
      #expect(try config.text(name) != "bad", "\(name)")
      #expect(throws: ConfigError.notShareable(ConfigKey(name)!.description)) {
        try ConfigSources.checkShareable(ConfigKey(name)!, nil)
      }
    }
  }

  @Test func subsectionsAreComparedByBytes() throws {
    #expect(ConfigKey("Merge.caf\u{E9}.Policy") == ConfigKey("merge.caf\u{E9}.policy"))
    #expect(ConfigKey("merge.caf\u{E9}.policy") != ConfigKey("merge.cafe\u{301}.policy"))
    #expect(ConfigKey("merge.a.policy") != ConfigKey("merge.policy"))
  }

  @Test func databaseCannotDeclareItselfSafe() throws {
    try write("db/config", "[safe]\ndirectory = *\n")
    try write("system", "[safe]\ndirectory = /a\n")
    let config = try Config(sources())
    #expect(config.all("safe.directory", protected: true).compactMap(\.value) == ["/a"])
    #expect(config.all("safe.directory").count == 2)
  }

  @Test func environmentSelectsConfigFiles() {
    #expect(sources().file(.global) == "\(folder)/home/.config/sea/config")
    #expect(sources(["XDG_CONFIG_HOME": "/x"]).file(.global) == "/x/sea/config")
    #expect(sources(["SEA_CONFIG_GLOBAL": "/g"]).file(.global) == "/g")
    #expect(sources(["SEA_CONFIG_GLOBAL": ""]).file(.global) == nil)
    #expect(sources(["SEA_CONFIG_NOSYSTEM": "1"]).file(.system) == nil)
    #expect(ConfigSources(variable: { _ in nil }, database: nil).file(.global) == nil)
    #expect(ConfigSources(variable: { _ in nil }, database: nil).file(.system) == "/etc/sea/config")
  }

  @Test func invalidEnvironmentSettingsAreRefused() {
    #expect(throws: ConfigError.missingVariable("SEA_CONFIG_KEY_0")) {
      try Config(self.sources(["SEA_CONFIG_COUNT": "1"]))
    }
    #expect(throws: ConfigError.badCount("x")) { try Config(self.sources(["SEA_CONFIG_COUNT": "x"])) }
    var sources = self.sources()
    sources.settingVariables = ["a.b=GONE"]
    #expect(throws: ConfigError.missingVariable("GONE")) { try Config(sources) }
  }

  @Test func valuesAreCanonicalizedByType() throws {
    let cases: [(ConfigType, String?, String?)] = [
      (.bool, nil, "true"), (.bool, "Yes", "true"), (.bool, "", "false"), (.bool, "2", nil), (.int, "-5", "-5"),
      (.int, "5k", nil), (.int, nil, nil), (.size, "2m", "2097152"), (.size, "2s", nil), (.duration, "2h", "7200"),
      (.duration, "x", nil), (.path, "~/x", "/h/x"), (.path, "~", "/h"), (.path, "/y", "/y"), (.path, "", nil),
    ]
    for (type, text, want) in cases { #expect(type.canonical(text, home: "/h") == want, "\(type) \(text ?? "-")") }
    #expect(ConfigType.path.canonical("~/x", home: nil) == nil)
  }

  @Test func savingFollowsALinkAndKeepsTheMode() throws {
    try write("real", "[a]\nk = 1\n")
    _ = try Launch("chmod", ["chmod", "600", "\(folder)/real"]).run()
    _ = try Launch("ln", ["ln", "-s", "real", "\(folder)/link"]).run()
    var config = try ConfigSources.read("\(folder)/link")
    try config.set(ConfigKey("a.k")!, "2")
    try config.save()
    #expect(try Path.status("\(folder)/link")?.kind == .link)
    #expect(try ConfigSources.read("\(folder)/real").entries.first?.value == "2")
    #expect(try Path.status("\(folder)/real")?.mode == 0o600)
    #expect(try ConfigSources.read("\(folder)/none").entries.isEmpty)
  }

  /// A default setting has the same valid value in every way of reading it: defaults are not checked again.
  @Test func defaultsAreValidAndFoundByName() throws {
    let config = try Config(sources())
    let listed = config.entries()
    #expect(listed.count == Config.builtin.count && config.own.isEmpty)
    for (name, value) in Config.builtin {
      let key = try #require(ConfigKey(name))
      for spelt in [name, name.uppercased(), name.lowercased()] { #expect(try config.text(spelt) == value) }
      let found = config.entry(key)
      let entry = try #require(found)
      #expect(config.values(key) == [entry] && listed.contains(entry))
      #expect(throws: Never.self) { try ConfigError.check(entry) }
      let parts = name.split(separator: ".")
      let others = [
        "\(name)x", "x\(name)", "\(parts[0]).x.\(parts[1])", "\(parts[0])-\(parts[1]).x", "\(name.dropLast())",
      ]
      for other in others { #expect(try config.text(other) == nil, "\(other)") }
    }
  }
}
