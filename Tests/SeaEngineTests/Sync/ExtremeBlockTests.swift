import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Blocks with the most extreme time, Lamport time or index that the format allows.
@Suite struct ExtremeBlockTests {
  private let world: SyncWorld
  private let database: Database
  private let container = MemoryContainer()
  private let chain: ForeignChain

  init() throws {
    world = try SyncWorld(sealed: false, inMemory: true)
    database = try world.instance("here")
    try container.create(
      ContainerInfo(container: .random(), database: world.databaseID, contentType: "org.example.test"))
    chain = try ForeignChain("peer", world.databaseID, in: container)
  }

  private func body(_ number: Int64) -> Value { .dictionary(Members([("n", .integer(number))])) }

  @Test(arguments: [Int64.min, -1, 0, Int64.max]) func blocksWithExtremeTimesAreImportedAndContinued(time: Int64) throws
  {
    var chain = chain
    let first = try chain.add([.init(body(1))], time: time)
    try chain.add([.init(body(2), parent: first[0])], time: time == .max ? .min : .max)
    #expect(try database.pullCodes(container) == [])
    #expect(try database.number("r") == 2)
    try database.put("r", [("n", .integer(3))])
    #expect(try database.number("r") == 3)
    _ = try database.status()
    var faults: [Problem.Code] = []
    try database.verification.verifyStore({ faults += $0.faults.map(\.code) }, { faults.append($0.code) })
    #expect(faults == [])
  }

  @Test func farLamportTimeIsRefusedWithoutAdvancingClock() throws {
    var chain = chain
    func clock() throws -> UInt32 { try database.store.branches.branch(BranchID(database.instance))?.lamport ?? 0 }
    let before = try clock()
    chain.position.lamport = .max - 2
    try chain.add([.init(body(1))])
    #expect(try database.pullCodes(container) != [])
    #expect(try database.number("r") == nil)
    #expect(LamportClock.next(after: .max) == .max)
    try database.put("own", [("n", .integer(1))])
    #expect(try clock() <= before + 2)
  }

  @Test(arguments: [UInt32.max, UInt32.max - 1, 1 << 31] as [UInt32])
  func blockNearIndexLimitWaitsForPredecessors(index: UInt32)
    throws
  {
    var chain = chain
    let head = try #require(chain.position.head)
    chain.position.head = BlockRef(instance: head.instance, index: index - 1, digest: head.digest)
    try chain.add([.init(body(1))])
    for _ in 0..<3 { _ = try database.pullCodes(container) }
    #expect(try database.number("r") == nil)
    // The same in a folder.
    try world.attach("team", to: database)
    let place = world.blockPath("team", chain.identity.instance, index)
    try world.scratch.write(place, chain.lastBlock)
    for _ in 0..<3 { try database.exchange("team") }
    try database.put("own", [("n", .integer(1))])
    #expect(try database.exchange("team").pushed == 1)
    #expect(try database.number("r") == nil && database.number("own") == 1)
    #expect(try world.scratch.bytes(place) == chain.lastBlock)
  }
}
