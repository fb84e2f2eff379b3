import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// What is remembered of a container: how it is encoded, and that it may be lost.
@Suite struct ContainerStateTests {
  /// Writes states with random values in the order of their fields, without the help of the encoder.
  private struct Writer {
    var random: SeededRandom
    var bytes: [UInt8] = []

    mutating func number(_ count: Int) { bytes += random.bytes(count) }
    mutating func flag() -> Bool {
      let flag = random.next() & 1 == 1
      bytes.append(flag ? 1 : 0)
      return flag
    }
    mutating func count(_ count: Int) { bytes += [0, 0, 0, UInt8(count)] }

    /// Keys that grow, as they stand in sets and dictionaries.
    mutating func keys(_ size: Int, _ value: (inout Writer) -> Void = { _ in }) {
      let keys = Set((0..<random.next() % 4).map { _ in random.bytes(size) }).sorted {
        $0.lexicographicallyPrecedes($1)
      }
      count(keys.count)
      for key in keys {
        bytes += key
        value(&self)
      }
    }

    mutating func list(_ element: (inout Writer) -> Void) {
      let count = Int(random.next() % 4)
      self.count(count)
      for _ in 0..<count { element(&self) }
    }

    mutating func text(_ text: String) {
      count(text.utf8.count)
      bytes += Array(text.utf8)
    }

    mutating func branch() {
      number(16)
      if flag() { number(16) }
    }

    mutating func state() -> [UInt8] {
      bytes = [0, 0, 0, 1]
      if flag() { number(16) }
      number(8)
      text("ok")
      // Blocks: how far contents were read, the latest, waits, packs, strays.
      number(16)
      if flag() {
        branch()
        number(4)
      }
      number(8)
      count(1)
      branch()
      number(4)
      count(1)
      branch()
      list {
        $0.bytes += [0, 0, 0, 7, 0, 0, 0, 9]
        $0.number(12)
      }
      count(1)
      branch()
      keys(4) { $0.number(8) }
      keys(8)
      // Hints.
      number(40)
      keys(16) {
        $0.number(24)
        _ = $0.flag()
        if $0.flag() { $0.number(32) }
      }
      number(8)
      list {
        $0.branch()
        $0.number(36)
      }
      // Assets, slots, purges, placeholders, what was left.
      if flag() {
        text("max-size=9")
        number(8)
      }
      number(16)
      if flag() { number(8) }
      number(8)
      keys(32)
      number(8)
      keys(8)
      count(1)
      text("slot")
      count(2)
      for name in ["a", "ä"] {
        text(name)
        number(12)
      }
      if flag() {
        _ = flag()
        keys(16) { $0.number(4) }
      }
      return bytes
    }
  }

  @Test(arguments: 0..<20) func whatIsReadIsWrittenAgainAndGarbageIsNothing(seed: Int) throws {
    var writer = Writer(random: SeededRandom(UInt64(seed)))
    let bytes = writer.state()
    let state = try #require(ContainerState(bytes))
    #expect(state.bytes == bytes && ContainerState(state.bytes) == state)
    for count in 0..<bytes.count { #expect(ContainerState(Array(bytes[..<count])) == nil) }
    #expect(ContainerState(bytes + [0]) == nil && ContainerState([0, 0, 0, 2] + bytes[4...]) == nil)
    for _ in 0..<20 {
      var other = bytes
      other[Int(writer.random.next() % UInt64(bytes.count))] ^= UInt8(1 << (writer.random.next() % 8))
      if let read = ContainerState(other) { #expect(ContainerState(read.bytes) == read) }
    }
  }

  enum Loss: CaseIterable { case forgotten, garbage }

  /// Blocks, assets and slots were exchanged before, and something is wrong in the container: a sync that remembers nothing finds all
  /// that one which remembers everything would find, and changes nothing else.
  @Test(arguments: Loss.allCases, [false, true]) func aStateThatIsLostLosesNothing(loss: Loss, sealed: Bool) throws {
    let world = try SyncWorld(sealed: sealed)
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("team", to: database) }
    for n in 1...4 {
      for (name, database) in [("a", one), ("b", two)] {
        try database.put("\(name)\(n)", [("n", .integer(Int64(n)))])
        try database.exchange("team")
      }
    }
    let asset = try one.addAsset("r", randomContent(5000))
    try one.exchange("team")
    try two.exchange("team")
    func contents() throws -> [String: [UInt8]] {
      let files = try world.scratch.files("team").filter { !$0.contains("/heads/") }
      return try Dictionary(uniqueKeysWithValues: files.map { ($0, try world.scratch.bytes($0)) })
    }
    let before = try contents()
    let lost = [world.place("team", one.instance, 2), "team/" + asset.extent!.start.path]
    #expect(try one.folder.state(of: "team").lastSync > 0)
    for database in [one, two] {
      try database.store.write {
        if loss == .forgotten { return try database.store.peers.forget("team") }
        try database.store.peers.setState([9, 9, 9], of: "team")
      }
    }
    for path in lost { try Path.remove(world.scratch.path(path)) }
    let found = try one.exchange("team")
    #expect(found.pushed == 1 && found.assetsPushed == 1 && found.pulled == 0 && found.problems == [])
    let other = try two.exchange("team")
    #expect(other.pulled == 0 && other.pushed == 0 && other.problems == [])
    #expect(try contents() == before)
    #expect(try one.containers.statuses(probe: true).map(\.state) == [.ok])
    for database in [one, two] {
      for n in Int64(1)...4 { #expect(try database.number("a\(n)") == n && database.number("b\(n)") == n) }
    }
  }
}
