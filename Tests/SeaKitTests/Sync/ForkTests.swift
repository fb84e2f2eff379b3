import SeaContainer
import SeaCore
import SeaKit
import SeaSystem
import SeaTestSupport
import Testing

/// Two blocks at one place, as after the copy of a database.
@Suite struct ForkTests {
  let world: SyncWorld
  let one: Database
  let copy: Database

  init() throws {
    world = try SyncWorld()
    let first = try world.instance("one")
    for folder in ["east", "west"] { try world.attach(folder, to: first) }
    try first.put("a", [("n", .integer(1))])
    for folder in ["east", "west"] { try first.exchange(folder) }
    first.close()
    try world.copy("one", to: "copy")
    one = try world.reopened("one")
    copy = try world.reopened("copy")
    try one.put("a", [("n", .integer(2))])
    try copy.put("a", [("n", .integer(3))])
    try copy.put("a", [("n", .integer(4))])
  }

  @Test func neitherBranchOverwritesTheOther() throws {
    try one.exchange("east")
    let found = try copy.exchange("east")
    #expect(found.problems.map { $0.code } == [.fork] && found.pushed == 0)
    #expect(try world.scratch.bytes(world.place("east", one.instance, 2)) == bytes(of: one, 2))
    #expect(try copy.number("a") == 4)
  }

  @Test func whoMeetsBothReportsIt() throws {
    try one.exchange("east")
    try copy.exchange("west")
    let reader = try world.instance("reader")
    for folder in ["east", "west"] { try world.attach(folder, to: reader) }
    #expect(try reader.exchange("east").problems == [])
    let found = try reader.exchange("west")
    #expect(found.problems.map { $0.code }.allSatisfy { $0 == .fork } && !found.problems.isEmpty)
    #expect(try reader.number("a") == 2)
    #expect(try world.container("west").lastIndex(of: ChainName(one.instance)) == 3)
  }

  @Test func anotherProcessTookInTheOtherBranchMeanwhile() throws {
    try one.exchange("east")
    try copy.exchange("west")
    let reader = try world.instance("reader")
    try reader.exchange(of: world.container("east"), upTo: 1)
    let other = try world.reopened("reader")
    let racing = RacingContainer(world.container("west")) {
      var exchange = Exchange()
      try other.pull(from: world.container("east"), named: "east", into: &exchange)
      #expect(exchange.pulled == 1)
    }
    #expect(try reader.pullCodes(racing) == [.fork])
    #expect(try reader.number("a") == 2)
    var problems: [Problem] = []
    try reader.verify({ if let problem = $0.problem { problems.append(problem) } }, { problems.append($0) })
    #expect(problems == [])
  }

  @Test func aBranchInAContainerIsVerifiedWithItsTrunk() throws {
    try one.exchange("east")
    let sibling = ChainName(one.instance, forkedAt: SHA256.hash(try bytes(of: copy, 2)))
    var next: UInt32 = 2
    _ = try world.container("east").writeBlocks(of: sibling, from: 2) {
      defer { next += 1 }
      return next <= 3 ? try bytes(of: copy, next) : nil
    }
    var reports: [ChainReport] = []
    var codes: [Problem.Code] = []
    try Verify.container(
      world.container("east"), named: "east", readsPayloads: true, { reports.append($0) }, { codes.append($0.code) })
    #expect(reports.map { $0.blocks } == [3, 4] && reports.allSatisfy { $0.problem == nil })
    #expect(codes == [.fork])
    let result = try Mirror.copy(from: world.container("east"), to: world.container("new"), dryRun: false)
    #expect(result.blocks == 5 && result.problems == [])
    #expect(try world.container("new").chains() == world.container("east").chains())
    #expect(try Database.heads(in: world.container("new")) == Database.heads(in: world.container("east")))
  }

  private func bytes(of database: Database, _ index: UInt32) throws -> [UInt8] {
    try database.store.bytes(of: #require(try database.store.block(database.instance, index)))
  }
}

extension Database {
  /// Takes in a container's chains up to an index.
  fileprivate func exchange(of container: Container, upTo last: UInt32) throws {
    let part = MemoryContainer()
    try part.create(container.info())
    for chain in try container.chains().chains {
      _ = try container.readBlocks(of: chain, from: 0) { index, bytes in
        part.place(Array(bytes), of: chain, index)
        return index < last
      }
    }
    #expect(try pullCodes(part) == [])
  }
}

/// Lets something happen after a reader has begun and before it gets its first block.
private final class RacingContainer: Container {
  private let inner: Container
  private var meanwhile: (() throws -> Void)?
  var location: String { inner.location }

  init(_ inner: Container, _ meanwhile: @escaping () throws -> Void) {
    self.inner = inner
    self.meanwhile = meanwhile
  }

  func readBlocks(
    of chain: ChainName, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    if let now = meanwhile, index > 0 {
      meanwhile = nil
      try now()
    }
    return try inner.readBlocks(of: chain, from: index, body)
  }

  func info() throws(ContainerError) -> ContainerInfo { try inner.info() }
  func create(_ info: ContainerInfo) throws(ContainerError) { try inner.create(info) }
  func chains() throws(ContainerError) -> ChainListing { try inner.chains() }
  func lastIndex(of chain: ChainName) throws(ContainerError) -> UInt32? { try inner.lastIndex(of: chain) }
  func has(_ chain: ChainName, _ index: UInt32) throws(ContainerError) -> Bool { try inner.has(chain, index) }
  func writeBlocks(of chain: ChainName, from index: UInt32, _ next: () throws -> [UInt8]?) throws -> Int {
    try inner.writeBlocks(of: chain, from: index, next)
  }
  func fold(_ chain: ChainName) throws(ContainerError) -> Int { try inner.fold(chain) }
  func names(in folder: SmallFolder) throws(ContainerError) -> [String] { try inner.names(in: folder) }
  func read(_ name: String, in folder: SmallFolder) throws(ContainerError) -> [UInt8]? {
    try inner.read(name, in: folder)
  }
  func write(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws(ContainerError) {
    try inner.write(name, bytes, in: folder)
  }
  func remove(_ name: String, in folder: SmallFolder) throws(ContainerError) { try inner.remove(name, in: folder) }
  func foreignFiles() throws(ContainerError) -> ForeignFiles { try inner.foreignFiles() }
}
