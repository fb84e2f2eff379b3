import SeaContainer
import SeaCore
import SeaEngine
import SeaTestSupport
import Testing

/// How much of what blocks say is read by a sync that nothing calls to them, and that all of it has its turn.
@Suite(.plainAndSealed) struct TurnTests {
  private let world: SyncWorld
  private let one: Database
  private let memory = MemoryContainer()
  private let container: DatedContainer
  private var branch: BranchID { BranchID(one.instance) }

  init() throws {
    world = try SyncWorld(inMemory: true)
    one = try world.instance("one")
    container = DatedContainer(memory)
    try memory.create(
      ContainerInfo(
        container: .random(), database: world.databaseID, contentType: "org.example.test", proof: world.proof))
  }

  private func push() throws -> (result: SyncResult, read: Int) {
    let counter = CountingContainer(container)
    var result = SyncResult()
    try one.exchange.push(to: counter, named: "x", into: &result)
    return (result, counter.bytesRead)
  }

  private func blocks() throws -> [[UInt8]] {
    var all: [[UInt8]] = []
    _ = try memory.readBlocks(of: branch, from: 0) { _, bytes in
      all.append(Array(bytes))
      return true
    }
    return all
  }

  /// Nothing but its content shows it.
  @Test func whatRottedIsFoundWithinThirtySyncs() throws {
    for n in 1...100 { try one.put("a", [("n", .integer(Int64(n)))]) }
    #expect(try push().result.pushed == 101)
    _ = try push()
    let good = try blocks()
    for index in [3, 50, 98] {
      var bytes = good[index]
      bytes[bytes.count / 2] ^= 1
      memory.place(bytes, of: branch, UInt32(index))
    }
    let (all, largest) = (good.map(\.count).reduce(0, +), good.map(\.count).max() ?? 0)
    var healed = 0
    for _ in 1...31 {
      let now = try push()
      healed += now.result.healed
      // The end of the own chain is looked at each time, and what is found wrong twice.
      #expect(now.read <= all / 30 + 4 * largest)
    }
    #expect(try healed == 3 && blocks() == good)
  }

  /// Of a place that was empty when it was looked at last nothing is known to be as it was.
  @Test func whatWasChangedBehindTheFirstSyncIsLookedAt() throws {
    for n in 1...40 { try one.put("a", [("n", .integer(Int64(n)))]) }
    container.changed = 1
    #expect(try push().result.pushed == 41)
    let good = try blocks()
    var bytes = good[20]
    bytes[bytes.count / 2] ^= 1
    memory.place(bytes, of: branch, 20)
    container.changed = 2
    #expect(try push().result.healed == 1 && blocks() == good)
  }

  /// All of it has changed at once, as after a copy: most has its turn later.
  @Test func noMoreThanSoMuchAtOnce() throws {
    let mebibyte = 1 << 20
    var random = SeededRandom(7)
    for n in 1...80 { try one.put("r\(n)", [("d", .data(random.bytes(mebibyte)))]) }
    _ = try push()
    container.changed = 1
    _ = try push()
    container.changed = 2
    #expect(try (60 * mebibyte...67 * mebibyte).contains(push().read))
    // What has changed at the moment of the last look may have changed after it.
    #expect(try push().read > 60 * mebibyte)
    container.changed = 1
    #expect(try push().read < 5 * mebibyte)
  }
}
