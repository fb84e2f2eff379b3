import SeaCore
import SeaEngine
import SeaTestSupport
import Testing

/// Defaults of types: the valid ones and their limits.
@Suite struct PrototypeTests {
  private func key(_ text: String) throws -> ConfigKey { try #require(ConfigKey(text)) }

  /// Shared defaults have a limit, so that neither the size of records nor the time of writes depends on their number.
  @Test func numberOfDefaultsPerTypeIsLimited() throws {
    let group = try TestGroup(1)
    let one = group.instances[0]
    for k in 0..<Prototypes.most + 20 {
      try one.sharedSettings.set(key("type.t/p\(1000 + k).default"), "x")
    }
    try one.sharedSettings.set(key("type.t2/q.default"), ":=[1]")
    for (id, type, count) in [("a", "t", Prototypes.most), ("b", "t2", 1), ("c", "t3", 0)] {
      _ = try one.put("{\"_id\":\"\(id)\",\"_type\":\"\(type)\"}")
      let view = try #require(try one.records.view(id))
      #expect(try view.propertyNames().count == count, "\(type)")
    }
  }

  @Test func malformedDefaultCannotBeShared() throws {
    let group = try TestGroup(1)
    let one = group.instances[0]
    for name in ["type.default", "type.t.default", "type./p.default", "type.t/_id.default", "type.t/p.other"] {
      #expect(throws: ConfigError.notShareable(name)) { try one.sharedSettings.set(key(name), "x") }
    }
    #expect(throws: ConfigError.valueNotShareable(key: "type.t/p.default", value: ":={")) {
      try one.sharedSettings.set(key("type.t/p.default"), ":={")
    }
  }

  /// An impossible default would prevent every write of the type on all instances.
  @Test func impossibleDefaultIsRefusedAndIgnored() throws {
    let group = try TestGroup(1)
    let one = group.instances[0]
    let deep = "type.t/" + String(repeating: "a.", count: 300) + "default"
    let bad = [
      (deep, "x"), ("type.t/c.default", ":={\"$counter\":{\"$int\":\"170141183460469231731687303715884105727\"}}"),
      ("type.t/a.b.c.default", ":=" + String(repeating: "[", count: 126) + String(repeating: "]", count: 126)),
    ]
    for (name, value) in bad {
      #expect(throws: ConfigError.valueNotShareable(key: name, value: value)) {
        try one.sharedSettings.set(key(name), value)
      }
    }
    try one.author.write { transaction in
      let large = (0..<100).map { k in
        ControlEntry.shared(key: "type.t/x\(100 + k).default", value: String(repeating: "x", count: 1000))
      }
      _ = try transaction.append(controls: bad.map { .shared(key: $0.0, value: $0.1) } + large, label: nil)
    }
    _ = try one.put("{\"_id\":\"a\",\"_type\":\"t\"}")
    let size = try one.records.view("a")?.body?.count
    #expect((50_000...Prototypes.mostBytes).contains(try #require(size)))
  }

  /// A setting that `config` does not list makes no property.
  @Test func invalidSharedDefaultIsIgnored() throws {
    let group = try TestGroup(1)
    let one = group.instances[0]
    try one.author.write { transaction in
      _ = try transaction.append(
        controls: [
          .shared(key: "type.t/good.default", value: "x"), .shared(key: "type.t/bad.default", value: "x\ny"),
          .shared(key: "type.t/broken.default", value: ":={"), .shared(key: "type.t/b\u{1B}d.default", value: "x"),
        ], label: nil)
    }
    _ = try one.put("{\"_id\":\"a\",\"_type\":\"t\"}")
    #expect(try #require(try one.records.view("a")).propertyNames() == ["good"])
  }
}
