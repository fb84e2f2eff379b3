import SeaContainer
import SeaCore
import SeaEngine
import SeaTestSupport
import Testing

/// The amount of block content that a sync without news reads, and that all content has its turn.
@Suite(.plainAndSealed) struct PeriodicReadTests {
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

  /// Only the content shows the damage.
  @Test func bitRotIsRepairedWithinThirtySyncs() throws {
    for n in 1...100 { try one.put("a", [("n", .integer(Int64(n)))]) }
    #expect(try push().result.pushed == 101)
    _ = try push()
    let good = try blocks()
    for index in [3, 50, 98] {
      var bytes = good[index]
      bytes[bytes.count / 2] ^= 1
      memory.setBytes(bytes, of: branch, UInt32(index))
    }
    let (all, largest) = (good.map(\.count).reduce(0, +), good.map(\.count).max() ?? 0)
    var healed = 0
    for _ in 1...31 {
      let now = try push()
      healed += now.result.healed
      // The end of the own chain is read each time, and damaged content twice.
      #expect(now.read <= all / 30 + 4 * largest)
    }
    #expect(try healed == 3 && blocks() == good)
  }

  /// For a container that was empty at the last scan, no file counts as unchanged.
  @Test func changedFileIsReadAtNextSync() throws {
    for n in 1...40 { try one.put("a", [("n", .integer(Int64(n)))]) }
    container.changed = 1
    #expect(try push().result.pushed == 41)
    let good = try blocks()
    var bytes = good[20]
    bytes[bytes.count / 2] ^= 1
    memory.setBytes(bytes, of: branch, 20)
    container.changed = 2
    #expect(try push().result.healed == 1 && blocks() == good)
  }

  /// Everything changes at once, as after a copy: most files have their turn later.
  @Test func oneSyncReadsLimitedAmount() throws {
    let mebibyte = 1 << 20
    var random = SeededRandom(7)
    for n in 1...80 { try one.put("r\(n)", [("d", .data(random.bytes(mebibyte)))]) }
    _ = try push()
    container.changed = 1
    _ = try push()
    container.changed = 2
    #expect(try (60 * mebibyte...67 * mebibyte).contains(push().read))
    // A file that changed at the moment of the last scan may have changed after it.
    #expect(try push().read > 60 * mebibyte)
    container.changed = 1
    #expect(try push().read < 5 * mebibyte)
  }
}
