import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// The remembered state of a container: its encoding, and that losing it is harmless.
@Suite struct ContainerStateTests {
  /// Lines in canonical order with random values.
  private func lines(_ random: inout SeededRandom) -> [String] {
    func number() -> Int64 { Int64(bitPattern: random.next() >> (random.next() % 64)) }
    func index() -> UInt32 { UInt32(truncatingIfNeeded: random.next()) }
    func digest() -> Digest { Digest(random.bytes(32))! }
    func name() -> UUID { UUID(random.bytes(16))! }
    func branch() -> BranchID { BranchID(name(), fork: random.next() & 1 == 0 ? nil : ForkID(random.bytes(16))) }
    func some<Key: Hashable & Comparable>(_ make: () -> Key, _ line: (Key) -> String) -> [String] {
      Set((0..<random.next() % 4).map { _ in make() }).sorted().map(line)
    }
    var lines = ["container 1", "sync \(number()) ok", "assets \(number()) \(number()) \(number()) \(number())"]
    lines += some({ 1 }) { _ in "took \(number())" }
    lines += some({ 1 }) { _ in "id \(name())" }
    lines += ["blocks \(number()) 0 \(number()) \(branch()) \(index())", "hints \(number()) \(digest()) \(number())"]
    lines += some(branch) { "latest \($0) \(index())" }
    lines += some(branch) { "wait \($0) 7 9 \(number()) \(index())\nwait \($0) 11 11 \(number()) 1" }
    lines += some(branch) { "pack \($0) 0 \(number())\npack \($0) 1000 \(number())" }
    lines += some({ random.next() }) { "stray \($0)" }
    lines += some(name) { "hint \($0) \(number()) \(number()) 3 true" }
    lines += some({ branch() }) { "head \($0) \(index()) \(digest())" }
    lines += some({ 1 }) { _ in "given \(number()) type=image/png, max-size=9k" }
    lines += some(digest) { "slot \($0)" }
    lines.append("purge \(random.next())")
    lines += some({ random.next() }) { "purged \($0)" }
    lines += some(digest) { "promise slot \($0) \(number()) \(index())" }
    return lines + ["left false"] + some(name) { "tail \($0) \(index())" } + ["end"]
  }

  @Test(arguments: 0..<50) func stateRoundTripsAndRejectsGarbage(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let lines = lines(&random).joined(separator: "\n").split(separator: "\n").map(String.init)
    let text = lines.joined(separator: "\n")
    let state = try #require(ContainerState(text))
    #expect(state.text == text && ContainerState(state.text) == state)
    for count in 0..<text.utf8.count { #expect(ContainerState(String(text.prefix(count))) == nil) }
    for (at, line) in lines.enumerated() {
      for other in ["\(line) x", "x\(line)", String(line.prefix { $0 != " " })]
      where other != line && !(line.hasPrefix("sync") || line.hasPrefix("given")) {
        #expect(
          ContainerState((lines[..<at] + [other] + lines[(at + 1)...]).joined(separator: "\n")) == nil, "\(other)")
      }
    }
  }

  enum Loss: CaseIterable { case forgotten, garbage }

  /// After a loss in the container, a sync without remembered state finds everything that a sync with it finds, and
  /// changes nothing else.
  @Test(arguments: Loss.allCases, [false, true]) func syncWithoutStateRestoresLostFiles(loss: Loss, sealed: Bool) throws
  {
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
    let lost = [world.blockPath("team", one.instance, 2), "team/" + asset.extent!.start.path]
    #expect(try one.folder.state(of: "team").lastSync > 0)
    for database in [one, two] {
      try database.store.write {
        if loss == .forgotten { return try database.store.peers.forget("team") }
        try database.store.peers.setState("other 9", of: "team")
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
