import SeaCore
import SeaEngine
import Testing

/// The settings of a merge: those shared by all instances, overridden by local ones.
@Suite struct MergeSettingsTests {
  private func settings(_ shared: [(String, String)], own: [(String, String)]) throws -> MergeSettings {
    func entries(_ pairs: [(String, String)], _ scope: ConfigScope) throws -> [Config.Entry] {
      try pairs.map { key, value in
        Config.Entry(key: try #require(ConfigKey(key)), value: value, origin: ConfigOrigin(scope))
      }
    }
    return try MergeSettings(entries(shared, .shared) + entries(own, .local))
  }

  @Test func localSettingsOverrideSharedSettings() throws {
    let all = try settings(
      [
        ("merge.policy", "winner"), ("merge.t.policy", "newest"), ("merge.t.atomic", "/a,/b"),
        ("merge.u.policy", "max"),
      ],
      own: [("merge.t.policy", "max"), ("merge.t.atomic", ""), ("merge.u.policy", "=")])
    let path = PropertyPath(names: ["a"])
    #expect(all.rules(type: "t").policy(path) == .max)
    #expect(all.rules(type: "t").atomic.isEmpty)
    #expect(all.rules(type: "u").policy(path) == nil)
    // Without local settings, the result is the same as on every other instance.
    #expect(all.rules(type: "t", own: false).policy(path) == .newest)
    #expect(all.rules(type: "t", own: false).atomic.map { $0.map(\.pointer) } == [["/a", "/b"]])
    #expect(all.rules(type: "u", own: false).policy(path) == .max)
    #expect(all.rules(type: nil, own: false).policy(path) == .winner)
  }

  @Test func pathOfTypePrecedesLongerGeneralPath() throws {
    let all = try settings(
      [
        ("merge.policy", "winner /d=min /d/e/f=max"), ("merge.t.policy", "/d/e=newest /n="), ("merge./d.policy", "max"),
      ],
      own: [("merge.t.driver", "/d=x /d/e="), ("merge.driver", "y")])
    for (type, pointer, policy, driver) in [
      ("t", "/d/e/f", Policy.newest, nil), ("t", "/d/x", .min, "x"), ("t", "/n/x", nil, "y"), ("t", "/x", .winner, "y"),
      ("u", "/d/e/f", .max, "y"), ("u", "/d/e", .min, "y"), ("u", "/dd", .winner, "y"),
    ] as [(String, String, Policy?, String?)] {
      let path = try PropertyPath(pointer)
      #expect(all.rules(type: type).policy(path) == policy, "\(type) \(pointer)")
      #expect(all.driver(type: type, path) == driver, "\(type) \(pointer)")
    }
  }

  @Test func invalidSharedSettingIsIgnoredAndLocalRefused() throws {
    let path = PropertyPath(names: ["a"])
    for bad in ["max min", "max /a", "/a=max /a=min", "ours", "max a=min"] {
      #expect(
        try settings([("merge.policy", "winner"), ("merge.t.policy", bad)], own: []).rules(type: "t").policy(path)
          == .winner)
    }
    let origin = ConfigOrigin(.local)
    #expect(throws: ConfigError.badSetting(key: "merge.t.policy", value: "/a=best", .policies, origin: origin)) {
      try settings([], own: [("merge.t.policy", "max /a=best /b=worst")])
    }
    #expect(throws: ConfigError.badSetting(key: "merge.atomic", value: "/c,d", .groups, origin: origin)) {
      try settings([], own: [("merge.atomic", "/a,/b /c,d")])
    }
  }
}
