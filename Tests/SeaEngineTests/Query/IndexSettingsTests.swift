import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// The indexes in the settings, both local and shared ones.
@Suite struct IndexSettingsTests {
  @Test func indexDefinitionsAndNamesAreValidated() throws {
    func read(_ text: String) -> String? { IndexDefinition(.values, text)?.description }
    #expect(read("host:os") == "host:/os" && read("host:net.ip,/ram") == "host:/net/ip,/ram")
    #expect(read("a:b:/c") == "a:b:/c" && read("a:b") == "a:/b")
    for bad in ["", "host", "host:", ":os", "host:os,", "host:/a~2", "h:a,b,c,d,e,f,g,h,i"] {
      #expect(read(bad) == nil)
    }
    #expect(["by-os", "a", "W_2"].allSatisfy(WantedIndex.isName))
    #expect(!["", "2", "a b", "id", "Created_By", "a.b", "é"].contains(where: WantedIndex.isName))
  }

  /// Shared indexes are created as far as they can be read, up to a limit.
  @Test func sharedIndexesAreCreatedAfterSync() throws {
    let group = try TestGroup(2)
    let (one, two) = (group.instances[0], group.instances[1])
    func share(_ name: String, _ value: String) throws {
      try one.sharedSettings.set(#require(ConfigKey("index.\(name).on")), value)
    }
    try share("v", "t:/v")
    try share("bad name", "t:/v")
    try share("none", "nothing")
    _ = try one.put(#"{"_id":"r","_type":"t","v":1}"#)
    try group.exchange()
    try two.indexes.follow(two.indexes.wanted())
    #expect(try two.indexes.kept().map(\.name) == ["v"] && two.store.projection.isRight())
    for k in 0..<20 { try share("x\(k)", "t:/v") }
    try group.exchange()
    try two.indexes.follow(two.indexes.wanted())
    #expect(try two.indexes.kept().count == Indexes.mostShared)
    try one.sharedSettings.set(#require(ConfigKey("index.v.on")), nil)
    try group.exchange()
    try two.indexes.follow(two.indexes.wanted())
    #expect(try !two.indexes.kept().contains { $0.name == "v" })
  }

  /// Names that differ only in case are the same: a local index precedes a shared one, and the first shared one counts.
  @Test func indexNamesIgnoreCase() throws {
    let group = try TestGroup(1)
    let one = group.instances[0]
    func share(_ name: String, _ value: String) throws {
      try one.sharedSettings.set(#require(WantedIndex.key(name, .text)), value)
    }
    try share("words", "t:/a")
    try share("Words", "t:/b")
    #expect(try one.indexes.wanted().map(\.name) == ["Words"])
    let change = IndexSettings([(try #require(WantedIndex.key("WORDS", .values)), "t:/c")], isShared: false)
    let wanted = try one.indexes.wanted(change)
    #expect(wanted.map(\.name) == ["WORDS"] && wanted.allSatisfy { !$0.isShared && $0.isCalled("words") })
  }

  /// A shared index beyond the limit is refused, not ignored.
  @Test func numberOfSharedIndexesIsLimited() throws {
    let group = try TestGroup(1)
    let one = group.instances[0]
    func change(_ name: String, _ value: String? = "t:/v") throws -> IndexSettings {
      IndexSettings([(try #require(WantedIndex.key(name, .values)), value)], isShared: true)
    }
    for k in 0..<Indexes.mostShared {
      _ = try one.indexes.wanted(change("x\(k)"))
      try one.sharedSettings.set(#require(WantedIndex.key("x\(k)", .values)), "t:/v")
    }
    for name in ["a", "z"] {
      #expect(throws: ConfigError.tooManyIndexes(most: Indexes.mostShared, isShared: true)) {
        try one.indexes.wanted(change(name))
      }
    }
    #expect(try one.indexes.wanted(change("X3")).count == Indexes.mostShared)
    #expect(try one.indexes.wanted(change("x3", "t:/w")).count == Indexes.mostShared)
    #expect(try one.indexes.wanted(change("x3", nil)).count == Indexes.mostShared - 1)
  }
}
