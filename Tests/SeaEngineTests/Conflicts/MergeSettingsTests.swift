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

  @Test func ownSettingsAreOnTopOfThoseThatAllHave() throws {
    let all = try settings(
      [
        ("merge.policy", "winner"), ("merge.t.policy", "newest"), ("merge.t.atomic", "/a,/b"),
        ("merge.u.policy", "max"),
      ],
      own: [("merge.t.policy", "max"), ("merge.t.atomic", ""), ("merge.u.policy", "")])
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
}
