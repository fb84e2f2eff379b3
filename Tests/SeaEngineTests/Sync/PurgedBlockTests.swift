import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Blocks without their payload: purged by an authorized order, or by anyone with write access to the folder.
@Suite(.plainAndSealed) struct PurgedBlockTests {
  let world: SyncWorld
  let author: Database
  let container = MemoryContainer()
  let chain: BranchID

  init() throws {
    world = try SyncWorld()
    author = try world.instance("author")
    chain = BranchID(author.instance)
    try container.create(
      ContainerInfo(
        container: UUID.random(), database: world.databaseID, contentType: "org.example.test", proof: world.proof))
    for n in 1...4 { try author.put("r\(n)", [("n", .integer(Int64(n)))]) }
    try storeChain()
  }

  private func row(_ index: UInt32) throws -> BlockRow { try #require(try author.store.blocks.block(chain, index)) }

  private func storeChain() throws {
    let head = try #require(try author.store.branches.branch(chain)).head.index
    for index in 0...head { container.setBytes(try author.store.content.bytes(of: row(index)), of: chain, index) }
  }

  /// The purged form of a block, which anyone can make.
  private func removed(_ index: UInt32) throws -> [UInt8] {
    SeaTestSupport.removed(try author.store.content.bytes(of: row(index)))
  }

  private func order(_ index: UInt32) throws -> ControlEntry {
    .purge(PurgeOrder(try row(index).ref))
  }

  private func order(in database: Database, _ entries: [ControlEntry]) throws {
    _ = try database.author.write { try $0.append(controls: entries, label: "purge") }
  }

  private func verify(keys: KeyRing?) throws -> (codes: [Problem.Code], unknown: Int) {
    var codes: [Problem.Code] = []
    let unknown = try Verification.container(
      container, named: "c", readsPayloads: keys != nil || world.key == nil, keys: keys,
      { report in codes += [report.problem?.code].compactMap { $0 } }, { codes.append($0.code) })
    return (codes, unknown)
  }

  private func keys() throws -> KeyRing? { try author.keychain.availableKeyRing() }

  @Test func unauthorizedPurgeIsReportedAndRepaired() throws {
    let whole = try author.store.content.bytes(of: row(2))
    container.setBytes(try removed(2), of: chain, 2)
    let reader = try world.instance("reader")
    for _ in 1...2 {
      var result = SyncResult()
      try reader.exchange.pull(from: container, named: "c", into: &result)
      #expect(result.problems.map(\.code) == [.badRemoval] && result.problems.allSatisfy(\.isDamage))
      #expect(result.problems.first?.index == 2)
      #expect(try reader.store.branches.branch(chain)?.head.index == 4)
      #expect(try reader.number("r4") == 4 && reader.number("r2") == nil)
    }
    #expect(try verify(keys: keys()).codes == [.badRemoval])
    #expect(try verify(keys: nil).codes == [.badRemoval])
    // It is not copied to other containers.
    let other = MemoryContainer()
    let copied = try Mirror.copy(from: container, to: other, dryRun: false)
    #expect(copied.problems.map(\.code) == [.badRemoval])
    #expect(try other.lastIndex(of: chain) == 1)
    var pushed = SyncResult()
    let third = MemoryContainer()
    try third.create(
      ContainerInfo(
        container: UUID.random(), database: world.databaseID, contentType: "org.example.test", proof: world.proof))
    try reader.exchange.push(to: third, named: "d", into: &pushed)
    #expect(try third.lastIndex(of: chain) == 1)
    container.setBytes(whole, of: chain, 2)
    #expect(try reader.pullCodes(container, named: "c") == [])
    #expect(try reader.number("r4") == 4 && reader.number("r2") == 2)
    #expect(try verify(keys: keys()).codes == [])
  }

  /// An altered purged block does not match its author's signature.
  @Test func alteredPurgedBlockIsRejected() throws {
    let right = try removed(2)
    let header = try right.withUnsafeBytes { try BlockHeader($0) }
    var (clock, size, mode) = (header, header, header)
    clock.lamport += 40
    size.payloadSize += 1
    mode.mode.formSymmetricDifference(.compressed)
    let rest = right[BlockHeader.size...]
    var content = right
    content[header.contentStart] ^= 1
    for (number, bytes) in ([clock, size, mode].map { $0.encoded() + rest } + [content, resealed(content)]).enumerated()
    {
      container.setBytes(bytes, of: chain, 2)
      let reader = try world.instance("reader\(number)")
      #expect(try reader.pullCodes(container) != [])
      #expect(try reader.store.branches.branch(chain)?.head.index == 1)
      #expect(try verify(keys: keys()).codes != [])
    }
  }

  /// The same at the end of a chain, where no later block depends on it.
  @Test func unauthorizedPurgeOfLastBlockIsReported() throws {
    container.setBytes(try removed(4), of: chain, 4)
    let reader = try world.instance("reader")
    #expect(try reader.pullCodes(container) == [.badRemoval])
    #expect(try verify(keys: keys()).codes == [.badRemoval])
  }

  /// Two problems of a branch are both reported, whichever is repaired first.
  @Test func verifyReportsBothFaultsOfBranch() throws {
    try order(in: author, [order(3)])
    try storeChain()
    container.setBytes(try removed(3), of: chain, 3)
    let reader = try world.instance("reader")
    #expect(try reader.pullCodes(container) == [])
    let rows = try [1, 3].map { try #require(try reader.store.blocks.block(chain, $0)) }
    try reader.store.write { try reader.store.intake.setRemains(nil, of: rows[1]) }
    try reader.alter("UPDATE piece SET bytes = zeroblob(length(bytes)) WHERE key >> 16 = \(rows[0].sequence)")
    try reader.alter("UPDATE sealed SET bytes = zeroblob(length(bytes)) WHERE key >> 16 = \(rows[0].sequence)")
    var told: [UInt32?: Problem.Code] = [:]
    try reader.verification.verifyStore(
      { report in for one in [report.problem].compactMap(\.self) + report.faults { told[one.index] = one.code } },
      { told[$0.index] = $0.code }, projection: false)
    #expect(told.count == 2 && told[1] != nil && told[3] == .badRemoval)
  }

  /// An instance that has the block keeps it and can name it as a good copy.
  @Test func holderKeepsOriginalBlock() throws {
    container.setBytes(try removed(2), of: chain, 2)
    #expect(try author.pullCodes(container) == [])
    #expect(try author.number("r2") == 2)
    #expect(try author.verification.goodCopy(of: Problem(.badRemoval, place: "c", branch: chain, index: 2)) == ".sea")
  }

  @Test func purgeOrderedByAuthorIsValid() throws {
    try order(in: author, [order(2)])
    try author.put("r5", [("n", .integer(5))])
    try storeChain()
    container.setBytes(try removed(2), of: chain, 2)
    let reader = try world.instance("reader")
    #expect(try reader.pullCodes(container) == [])
    #expect(try reader.number("r5") == 5 && reader.number("r2") == nil)
    #expect(try reader.store.branches.branch(chain)?.head.index == 6)
    #expect(try reader.members.badRemovals() == [])
    #expect(try reader.store.projection.digest() == reader.store.projection.expectedDigest())
    #expect(try verify(keys: keys()).codes == [])
    // Without a key, the validity of an order is unknown.
    if world.key != nil {
      let found = try verify(keys: nil)
      #expect(found.codes == [] && found.unknown == 1)
    }
    var problems: [Problem] = []
    try reader.verification.verifyStore({ problems += [$0.problem].compactMap { $0 } }, { problems.append($0) })
    #expect(problems == [])
    // It is forwarded, and an instance with the original block keeps it.
    var result = SyncResult()
    let third = MemoryContainer()
    try third.create(
      ContainerInfo(
        container: UUID.random(), database: world.databaseID, contentType: "org.example.test", proof: world.proof))
    try reader.exchange.push(to: third, named: "d", into: &result)
    #expect(try third.lastIndex(of: chain) == 6)
    #expect(try author.pullCodes(third) == [] && author.number("r2") == 2)
  }

  /// The order follows another purged block that it also names.
  @Test func orderAfterPurgedBlockIsValid() throws {
    try order(in: author, [order(2), order(4)])
    try storeChain()
    for index in [2, 4] as [UInt32] { container.setBytes(try removed(index), of: chain, index) }
    let reader = try world.instance("reader")
    #expect(try reader.pullCodes(container) == [])
    #expect(try reader.store.branches.branch(chain)?.head.index == 5)
  }

  /// Without members, an order of another instance has no effect.
  @Test func purgeOrderedByOtherInstanceIsInvalid() throws {
    let stranger = try world.instance("stranger")
    try order(in: stranger, [order(2)])
    let branch = BranchID(stranger.instance)
    try stranger.store.blocks.forEachBlock(of: branch, from: 0) { row, bytes in
      container.setBytes(bytes, of: branch, row.index)
      return true
    }
    container.setBytes(try removed(2), of: chain, 2)
    let reader = try world.instance("reader")
    #expect(try reader.pullCodes(container) == [.badRemoval])
    #expect(try reader.store.branches.branch(chain)?.head.index == 4)
    #expect(try reader.store.branches.branch(branch)?.head.index == 1)
    #expect(try verify(keys: keys()).codes == [.badRemoval])
  }
}

/// With members: the rights to order, and purged blocks whose order becomes invalid.
@Suite(.serialized) struct MemberPurgedBlockTests {
  @Test(arguments: [false, true]) func purgeBecomesDamageWhenOrdererIsRevoked(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed)
    let password = sealed ? world.password : nil
    let alice = try world.founder("alice", ["team"])
    try alice.exchange("team")
    let (bob, carol) = (
      try world.newcomer("bob", ["team"], password: password), try world.newcomer("carol", ["team"], password: password)
    )
    for one in [bob, carol, alice] { try one.exchange(one === alice ? "team" : "origin") }
    _ = try alice.access.authorize(alice.access.candidate("bob"), as: .admin)
    _ = try alice.access.authorize(alice.access.candidate("carol"), as: .write)
    #expect(try world.converge([alice, bob, carol]) == [])
    try carol.put("r1", [("n", .integer(1))])
    let chain = BranchID(carol.instance)
    let row = try #require(try carol.store.blocks.block(chain, carol.store.branches.branch(chain)!.head.index))
    try carol.put("r2", [("n", .integer(2))])
    #expect(try world.converge([alice, bob, carol]) == [])

    let whole = try carol.store.content.bytes(of: row)
    _ = try bob.author.write { try $0.append(controls: [.purge(PurgeOrder(row.ref))], label: "purge") }
    try bob.exchange("origin")
    let file = "team/transactions/\(carol.instance)/\(Layout.path(of: row.index))"
    try world.scratch.write(file, SeaTestSupport.removed(whole))

    let dave = try world.newcomer("dave", ["team"], password: password)
    #expect(try dave.number("r1") == nil && dave.number("r2") == 2)
    // The order is in another chain than the verified one.
    var told: [Problem] = []
    let unknown = try Verification.container(
      world.container("team"), named: "c", readsPayloads: true, keys: dave.keychain.availableKeyRing(),
      only: carol.instance,
      { told += [$0.problem].compactMap { $0 } }, { told.append($0) })
    #expect(told == [] && unknown == 0)
    #expect(try dave.members.badRemovals() == [])

    // The revocation undoes all of bob's blocks, including the order.
    let bobs = bob.instance
    _ = try alice.access.revoke(bobs, after: nil, rotates: false)
    try alice.exchange("team")
    try dave.exchange("origin")
    let lost = try dave.members.badRemovals()
    #expect(lost.map(\.index) == [row.index])
    // The order is no longer valid, but blocks after the purged one are.
    #expect(lost.allSatisfy { $0.detail.hasPrefix("\(bobs)/") })
    #expect(try dave.number("r2") == 2)
    try world.attach("west", dave)
    try dave.exchange("west")
    #expect(try world.container("west").lastIndex(of: chain) == row.index - 1)
    var problems: [Problem] = []
    try dave.verification.verifyStore({ problems += [$0.problem].compactMap { $0 } }, { problems.append($0) })
    #expect(problems.contains { $0.code == .badRemoval })

    try world.scratch.write(file, whole)
    try dave.exchange("origin")
    #expect(try dave.members.badRemovals() == [])
    #expect(try dave.number("r1") == 1 && dave.number("r2") == 2)
    #expect(try dave.store.projection.digest() == dave.store.projection.expectedDigest())
    try dave.exchange("west")
    #expect(try world.container("west").lastIndex(of: chain) == row.index + 1)
  }
}
