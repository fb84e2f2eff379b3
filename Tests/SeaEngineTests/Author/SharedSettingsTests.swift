import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

@Suite(.plainAndSealed) struct SharedSettingsTests {
  private func key(_ text: String) throws -> ConfigKey { try #require(ConfigKey(text)) }

  private func text(_ database: Database) throws -> [String] {
    try database.sharedSettings.all().map { "\($0.key)=\($0.value)" }
  }

  // MARK: - Values

  /// Any order of arrival gives the same settings: those of the last entry in the order of sea-format(5).
  @Test(arguments: TestSeed.some(20)) func theOrderOfArrivalDoesNotMatter(seed: UInt64) throws {
    var generator = SeededRandom(seed)
    let authors = try (0..<3).map { _ in try UUID.random() }
    var rows: [ControlRow] = []
    for number in 0..<60 {
      let head = BlockRef(
        instance: authors.randomElement(using: &generator)!, index: UInt32(number),
        digest: try #require(Digest(Random.bytes(32))))
      let name = ["merge.a.policy", "MERGE.a.Policy", "merge.A.policy", "index.x"].randomElement(using: &generator)!
      rows.append(
        ControlRow(
          entry: .shared(key: name, value: Bool.random(using: &generator) ? "\(number)" : nil), block: head,
          time: UInt32.random(in: 1...20, using: &generator), earned: UInt32.random(in: 0...3, using: &generator),
          item: Int.random(in: 0..<2, using: &generator),
          isApplied: number % 7 != 0))
    }
    var expected: [String] = []
    for name in ["index.x", "merge.A.policy", "merge.a.policy"] {
      let last = try rows.filter {
        guard $0.isApplied, case .shared(let text, _) = $0.entry else { return false }
        return try key(text) == key(name)
      }.max {
        ($0.earned, $0.time, $0.block.instance, $0.block.digest, $0.item)
          < ($1.earned, $1.time, $1.block.instance, $1.block.digest, $1.item)
      }
      if case .shared(_, let value?) = last?.entry { expected.append("\(name)=\(value)") }
    }
    for _ in 0..<10 {
      rows.shuffle(using: &generator)
      #expect(SharedSettings.holding(rows).map { "\($0.key)=\($0.value)" } == expected)
    }
  }

  @Test(arguments: TestSeed.some(5)) func randomExchangesConverge(seed: UInt64) throws {
    let world = try SyncWorld()
    var generator = SeededRandom(seed)
    let all = try (0..<3).map { try world.instance("i\($0)") }
    for database in all { try world.attach("team", to: database) }
    for step in 0..<40 {
      let one = all.randomElement(using: &generator)!
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1: try one.sharedSettings.set(key("index.i\(step % 3)"), "\(step)")
      case 2: try one.sharedSettings.set(key("index.i\(step % 3)"), nil)
      default: try one.exchange("team")
      }
    }
    for _ in 0..<2 { for database in all { #expect(try database.exchange("team").problems == []) } }
    let settings = try text(all[0])
    for database in all {
      #expect(try text(database) == settings)
      _ = try database.rebuildProjection(dryRun: false)
      #expect(try text(database) == settings)
    }
    #expect(try text(try Database.clone(world.scratch.path("team"), world)) == settings)
  }

  @Test func greaterInstanceWinsConcurrentChange() throws {
    let world = try SyncWorld()
    let both = try ["a", "b"].map { try world.instance($0) }.sorted { $0.instance < $1.instance }
    for database in both { try world.attach("team", to: database) }
    for _ in 0..<2 { for database in both { try database.exchange("team") } }
    try both[0].sharedSettings.set(key("merge.host.policy"), "/ram=max")
    try both[1].sharedSettings.set(key("merge.host.policy"), "/ram=min")
    for _ in 0..<2 { for database in both { try database.exchange("team") } }
    for database in both { #expect(try text(database) == ["merge.host.policy=/ram=min"]) }
    // An instance that has seen the other entry overrides it.
    try both[0].sharedSettings.set(key("merge.host.policy"), "/ram=max")
    for _ in 0..<2 { for database in both { try database.exchange("team") } }
    for database in both { #expect(try text(database) == ["merge.host.policy=/ram=max"]) }
    try both[1].sharedSettings.set(key("merge.host.policy"), nil)
    for _ in 0..<2 { for database in both { try database.exchange("team") } }
    for database in both { #expect(try text(database) == []) }
  }

  // MARK: - Writing

  @Test func unchangedSettingIsNotWritten() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    func index() throws -> UInt32? { try one.store.branches.chain(one.instance)?.head.index }
    #expect(try !one.sharedSettings.set(key("core.abbrev"), nil))
    #expect(try one.sharedSettings.set(key("core.abbrev"), "12", dryRun: true))
    #expect(try index() == 0 && text(one) == [])
    #expect(try one.sharedSettings.set(key("Core.Abbrev"), "12") && !one.sharedSettings.set(key("core.abbrev"), "12"))
    #expect(try index() == 1 && text(one) == ["core.abbrev=12"])
    #expect(try one.sharedSettings.set(key("core.abbrev"), nil) && text(one) == [])
    #expect(try index() == 2)
  }

  @Test func unshareableSettingIsRefused() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    #expect(throws: ConfigError.notShareable("password.command")) {
      try one.sharedSettings.set(key("password.command"), "x")
    }
    #expect(throws: ConfigError.unstorable(key: "index.x")) {
      try one.sharedSettings.set(key("index.x"), "a\nindex.y=b")
    }
    let long = String(repeating: "x", count: ControlEntry.longestValue)
    #expect(throws: ConfigError.tooLong(key: "index.x", limit: 65_536)) {
      try one.sharedSettings.set(key("index.x"), long + "x")
    }
    let name = "merge.\(String(repeating: "t", count: 1012)).policy"
    #expect(throws: ConfigError.tooLong(key: name, limit: 1024)) { try one.sharedSettings.set(key(name), "max") }
    #expect(throws: ConfigError.valueNotShareable(key: "merge.policy", value: "/a=ours")) {
      try one.sharedSettings.set(key("merge.policy"), "newest /a=ours")
    }
    #expect(try one.store.branches.chain(one.instance)?.head.index == 0)
    #expect(try one.sharedSettings.set(key("index.x"), long))
  }

  @Test func unshareableSettingOfOthersIsIgnored() throws {
    let world = try SyncWorld()
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("team", to: database) }
    try one.author.write { transaction in
      _ = try transaction.append(
        controls: [
          .shared(key: "password.command", value: "rm -r /"), .shared(key: "no name", value: "x"),
          .shared(key: "index.x", value: "a\nsafe.directory=*"), .shared(key: "core.abbrev", value: "11"),
        ], label: nil)
    }
    try one.exchange("team")
    try two.exchange("team")
    #expect(try text(two).count == 3)
    let sources = ConfigSources(variable: { $0 == "SEA_CONFIG_NOSYSTEM" ? "1" : nil }, database: two.path)
    let config = try Config(sources).sharing(two.sharedSettings.all())
    #expect(config.entries(.shared).map(\.key.description) == ["core.abbrev"])
    #expect(try config.text("password.command") == nil && config.integer("core.abbrev") == 11)
  }

  /// A limited number of names per group is used, other groups are not read for it, and the last value of a repeated
  /// name counts. Types that differ only in case are two groups.
  @Test func groupIsReadUpToNameLimit() throws {
    let world = try SyncWorld()
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("team", to: database) }
    var controls: [ControlEntry] = []
    for k in 0..<SharedNames.most + 500 {
      controls.append(.shared(key: "merge.p\(10_000 + k).policy", value: "min"))
      controls.append(.shared(key: "type.T/p\(10_000 + k).default", value: "x"))
      controls.append(.shared(key: "core.abbrev", value: "\(k)"))
    }
    controls += [.shared(key: "type.t/q.default", value: "y"), .shared(key: "type.t2/q.default", value: "z")]
    controls += [.shared(key: "CORE.Abbrev", value: "9"), .shared(key: "Merge.p10001.Policy", value: nil)]
    try one.author.write { _ = try $0.append(controls: controls, label: nil) }
    try one.exchange("team")
    try two.exchange("team")
    for database in [one, two] {
      let settings = database.sharedSettings
      // A name without a value counts as a name.
      let merge = try settings.settings(of: "merge.")
      #expect(merge.count == SharedNames.most - 1 && !merge.contains { $0.key.description == "merge.p10001.policy" })
      #expect(merge.last?.key.description == "merge.p\(10_000 + SharedNames.most - 1).policy")
      #expect(try settings.settings(of: key("type.t2/other.default").group).map(\.value) == ["z"])
      #expect(try settings.settings(of: key("core.compress").group).map(\.value) == ["9"])
      #expect(try settings.settings(of: "type.T/").count == SharedNames.most)
      #expect(try settings.settings(of: "type.t/").map(\.value) == ["y"])
      #expect(try settings.overfull().map(\.group) == ["merge.", "type.T/"])
      #expect(try settings.overfull().map(\.names) == [SharedNames.most + 500, SharedNames.most + 500])
      #expect(try settings.all().count == 2 * SharedNames.most + 1000 + 2)
      #expect(try database.store.control.shared("core.").count == 1)
    }
  }

  /// The bytes that are read of a group have a limit, too.
  @Test func groupIsReadUpToByteLimit() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    let value = String(repeating: " ", count: ControlEntry.longestValue - 3) + "max"
    try one.author.write { transaction in
      let long = (100..<170).map { ControlEntry.shared(key: "merge.t\($0).policy", value: value) }
      _ = try transaction.append(controls: long, label: nil)
    }
    #expect(try one.sharedSettings.settings(of: "merge.").count == SharedNames.mostBytes / ControlEntry.longestValue)
    #expect(try one.sharedSettings.overfull().map(\.names) == [70])
    #expect(try one.sharedSettings.all().count == 70)
  }

  /// Only the last value of a setting is read, however often it changed.
  @Test func onlyLastValuePerInstanceIsRead() throws {
    let world = try SyncWorld()
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("team", to: database) }
    for n in 10..<40 {
      try one.sharedSettings.set(key("core.abbrev"), "\(n)")
      try one.sharedSettings.set(key("CORE.ABBREV"), "\(n)")
    }
    for database in [one, two] {
      try database.exchange("team")
      #expect(try text(database) == ["core.abbrev=39"])
      #expect(try database.store.control.shared("core.").count == 1)
    }
    // Two instances write at the same time.
    try one.sharedSettings.set(key("core.abbrev"), "40")
    try two.sharedSettings.set(key("core.abbrev"), "41")
    for database in [one, two, one] { try database.exchange("team") }
    #expect(try text(one) == text(two))
    #expect(try one.store.control.shared("core.").count == 2)
  }

  // MARK: - Members

  @Test(arguments: [false, true]) func onlySettingsOfMembersApply(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed)
    let alice = try world.founder("alice", ["team"])
    try alice.exchange("team")
    let bob = try world.newcomer("bob", ["team"], password: sealed ? world.password : nil)
    try alice.sharedSettings.set(key("index.by-name"), "alice")
    try bob.sharedSettings.set(key("index.by-age"), "bob")
    #expect(try world.converge([alice, bob]) != nil)
    // Bob's own settings apply to Bob, as his own records do.
    #expect(try text(alice) == ["index.by-name=alice"])
    #expect(try text(bob) == ["index.by-age=bob", "index.by-name=alice"])
    try alice.authorize(bob, as: .write)
    #expect(try text(alice) == text(bob))
    try bob.exchange("origin")
    try bob.sharedSettings.set(key("index.by-name"), "bob")
    #expect(try world.converge([alice, bob]) != nil)
    #expect(try text(alice) == ["index.by-age=bob", "index.by-name=bob"])
    // After the revocation point, Bob's settings are ignored.
    let last = try #require(try alice.store.branches.chain(bob.instance)?.head.index)
    let row = try #require(try alice.store.control.shared("").map(\.block).max { $0.index < $1.index })
    #expect(row.instance == bob.instance && row.index <= last)
    _ = try alice.access.revoke(bob.instance, after: .index(row.index - 1), rotates: false)
    #expect(try text(alice) == ["index.by-age=bob", "index.by-name=alice"])
    #expect(try world.converge([alice, bob]) != nil)
    #expect(try text(bob) == text(alice))
    #expect(throws: KitError.unauthorized(.revoked)) { try bob.sharedSettings.set(key("index.by-name"), "bob") }
    #expect(throws: KitError.unauthorized(.revoked)) {
      try bob.sharedSettings.set(key("index.none"), nil, dryRun: true)
    }
    _ = try alice.rebuildProjection(dryRun: false)
    #expect(try text(alice) == text(bob))
    try alice.authorize(bob, as: .read)
    #expect(try world.converge([alice, bob]) != nil)
    #expect(throws: KitError.unauthorized(.readOnly)) { try bob.sharedSettings.set(key("index.by-name"), "bob") }
  }

  @Test func readingSettingsNeedsNoKey() throws {
    let world = try MemberWorld(sealed: true)
    let alice = try world.founder("alice", ["team"], members: false)
    try alice.sharedSettings.set(key("core.abbrev"), "12")
    try alice.exchange("team")
    let bob = try world.newcomer("bob", ["team"], password: world.password, keepsKeys: false)
    bob.close()
    let again = try world.reopened("bob")
    #expect(try text(again) == ["core.abbrev=12"])
    #expect(try !again.sharedSettings.set(key("core.abbrev"), "12"))
    #expect(throws: KitError.noKey(path: again.path, pending: false)) {
      try again.sharedSettings.set(key("core.abbrev"), "13")
    }
  }
}

extension Database {
  fileprivate static func clone(_ from: String, _ world: SyncWorld) throws -> Database {
    let database = try world.instance("late")
    try world.attach(Path.name(from), to: database)
    try database.exchange(Path.name(from))
    return database
  }
}
