import SeaCommands
import SeaEngine
import SeaSystem
import Testing

/// Every setting is checked when it is set.
@Suite struct SettingTests {
  private func home() throws -> Run {
    var run = Run()
    run.variables = ["HOME": try scratch(), "SEA_CONFIG_NOSYSTEM": "1"]
    return run
  }

  /// Values that a kind does not take, and those that it does.
  private func values(_ kind: SettingKind) -> (wrong: [String], right: [String]) {
    switch kind.rule {
    case .bool: (["maybe", "2", "tru"], ["true", "off", "1"])
    case .size: (["lots", "1.5M", "-1", ""], ["64K", "0"])
    case .duration: (["soon", "1x", "-1", ""], ["5m", "90"])
    case .durationOrForever: (["never", "1x", ""], ["forever", "2h"])
    case .color: (["rad", "red green blue", "#12"], ["bold red", "#ff8000"])
    case .integer(let least, let most):
      (["x", "1.5", "", "\(least - 1)"] + (most.map { ["\($0 + 1)"] } ?? []), ["\(least)"])
    case .oneOf(let words, let orEmpty):
      ([words[0] + "x", words[0].uppercased()] + (orEmpty ? [] : [""]), words + (orEmpty ? [""] : []))
    case .groups: (["/a,,", ",", "a,b", "/a/b/~", "/a b"], ["/a,/b /c/d", ""])
    case .policies:
      (["most", "max min", "/a", "a=max", "/a=most", "/a=max /a="], ["max", "", "=", "newest /a=max /b="])
    case .drivers: (["/a", "x y", "a=x", "/a=x /a=y"], ["x", "", "x /a=y /b="])
    case .words: (["a 'b", "a \\"], ["a 'b c'", ""])
    case .path: ([""], ["/a"])
    case .assets: (["some", "max-size=x"], ["none", "max-size=1M"])
    case .index: (["bird", ":", "bird:"], ["bird:name"])
    case .value: ([":={", ":=[1"], ["text", ":=1"])
    case .rule(.required), .rule(.unique): (["maybe"], ["true", "off", ""])
    case .rule(.type): (["integer", "Int"], TypeRule.Kind.allCases.map(\.rawValue) + [""])
    case .rule(.minimum), .rule(.maximum): (["x", "true", "{\"$int\":1"], ["0", "1.5", "2026-03-01", ""])
    case .rule(.enum): (["a", "[]", "[1", "{}"], ["[\"a\",1]", ""])
    case .rule(.pattern): (["[a", "[z-a]", String(repeating: "a", count: 300), "a{300}"], ["^A.*$", ""])
    case .text: (["a\u{1}"], ["text", "a # b"])
    }
  }

  private func name(_ kind: SettingKind) -> String {
    kind.pattern.replacing("TYPE/PROPERTY", with: "bird/n").replacing("TYPE", with: "bird").replacing(
      "NAME", with: "x")
  }

  @Test func everySettingIsCheckedWhenItIsSet() throws {
    let run = try home()
    for kind in SettingKind.all {
      let (wrong, right) = values(kind)
      for value in wrong {
        let outcome = run("config", "set", "--global", name(kind), "--", value)
        #expect(outcome.status == 13, "\(kind.pattern) '\(value)'")
        #expect(run("config", "list", "--global").out == "", "\(kind.pattern) '\(value)'")
      }
      for value in right {
        #expect(run("config", "set", "--global", name(kind), value).status == 0, "\(kind.pattern) '\(value)'")
        // Where a container lies is the same wherever somebody stands.
        let isPlace = kind.pattern == "container.NAME.location"
        let out = run("config", "get", name(kind)).out
        #expect(isPlace ? out.hasPrefix("/") && out.hasSuffix("/\(value)\n") : out == "\(value)\n")
      }
      #expect(run("config", "unset", "--global", name(kind)).status == 0)
    }
  }

  @Test func everySettingIsDescribedAndFoundByItsName() throws {
    let run = try home()
    let described = run("config", "list", "--describe").out
    for kind in SettingKind.all {
      #expect(described.contains(kind.pattern))
      let key = try #require(ConfigKey(name(kind)))
      #expect(SettingKind.of(key) == kind, "\(kind.pattern)")
      let slip = String(name(kind).dropLast())
      #expect(SettingKind.likeliest(for: slip)?.lowercased() != nil, "\(slip)")
    }
    for line in described.split(separator: "\n") where line.hasPrefix(" ") { #expect(!line.hasPrefix("    ;")) }
    for (name, _) in Config.builtin {
      #expect(ConfigKey(name).flatMap(SettingKind.of) != nil, "\(name) has a value and is no setting")
    }
  }

  @Test func manPageDescribesEverySetting() throws {
    let page = try read("man/sea-config.5")
    for kind in SettingKind.all {
      let word =
        switch kind.middle {
        case nil: kind.pattern
        case .type: "\(kind.section).\(kind.name) "
        case .name: "\(kind.section). Ns Ar NAME Ns Cm .\(kind.name)"
        case .property: "\(kind.section). Ns Ar TYPE/PATH Ns Cm .\(kind.name)"
        }
      #expect(page.contains(word), "\(kind.pattern)")
    }
  }

  @Test func unknownSettingsRequireForce() throws {
    let run = try home()
    let refused = run("config", "set", "--global", "core.abbrv", "9")
    #expect(refused.status == 2 && refused.err.contains("did you mean: core.abbrev"))
    #expect(run("config", "set", "--global", "--force", "core.abbrv", "9").status == 0)
    #expect(run("config", "set", "--global", "--force", "core.abbrev", "many").status == 0)
    #expect(run("config", "unset", "--global", "core.abbrv").status == 0)
  }
}
