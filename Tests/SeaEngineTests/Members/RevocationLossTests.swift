import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// The predicted loss of a revocation equals its actual loss.
@Suite struct RevocationLossTests {
  private func world(_ world: MemberWorld) throws -> (one: Database, two: Database, three: Database) {
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.isSealed ? world.password : nil)
    let three = try world.newcomer("three", ["team"], password: world.isSealed ? world.password : nil)
    for database in [two, three] { try database.exchange("origin") }
    try one.exchange("team")
    try one.authorize(two, as: .admin)
    try one.authorize(three, as: .write)
    #expect(try world.converge([one, two, three]) == [])
    return (one, two, three)
  }

  /// Checks that the loss is as predicted.
  private func expect(_ said: RevocationLoss, _ one: Database, _ body: () throws -> MemberChange) throws {
    func counts() throws -> Int {
      try one.store.branches.chains().reduce(0) { sum, chain in
        try sum + one.store.blocks.appliedBlocks(of: chain.instance, after: -1).filter { !$0.isRemoved }.count
      }
    }
    let before = try counts()
    let change = try body()
    #expect(change.loss == said)
    // The block of the revocation counts, too.
    #expect(try before + 1 - counts() == said.blocks)
  }

  @Test(arguments: [false, true]) func predictionCountsInvalidatedPurges(sealed: Bool) throws {
    let scene = try MemberWorld(sealed: sealed)
    let (one, two, three) = try world(scene)
    for n in 1...6 { try three.put("r\(n)", [("n", .integer(Int64(n)))]) }
    let cut = try #require(try two.store.branches.chain(two.instance)).head.index
    #expect(try scene.converge([one, two, three]) == [])
    _ = try two.purge.run(.record("r1", keepsNow: false))
    _ = try scene.converge([one, two, three])
    #expect(try one.store.blocks.unauthorizedPurges().isEmpty && one.store.blocks.purgedBlocks().count == 1)
    #expect(try one.access.revocationLoss(of: two.instance, after: nil).loss == RevocationLoss())
    let (last, loss) = try one.access.revocationLoss(of: two.instance, after: .index(cut))
    #expect(last?.index == cut && loss.removed == 1 && loss.others == 0 && loss.behind > 0)
    #expect(throws: KitError.wouldInvalidatePurges(loss)) {
      try one.access.revoke(two.instance, after: .index(cut), rotates: false)
    }
    #expect(try one.number("r6") == 6)
    try expect(loss, one) {
      try one.access.revoke(two.instance, after: .index(cut), rotates: false, isConfirmed: true)
    }
    // Blocks after the purged one are valid.
    #expect(try one.number("r6") == 6)
    #expect(try one.store.blocks.unauthorizedPurges().count == 1)
  }

  @Test func predictionCountsOtherBranches() throws {
    let scene = try MemberWorld(sealed: false)
    let (one, two, three) = try world(scene)
    let row = try #require(try two.store.branches.chain(two.instance))
    try two.put("a", [("n", .integer(1))])
    #expect(try scene.converge([one, two, three]) == [])
    // A second branch, which authorizes an instance that no other block authorizes.
    let (head, lamport) = (row.head, row.lamport)
    let guest = try scene.newcomer("guest", ["team"])
    try guest.put("b", [("n", .integer(1))])
    try guest.exchange("origin")
    let candidate = try guest.access.ownCandidate()
    let forked = try ForgedBlock.make(
      two, behind: head, lamport: lamport + 1,
      [.authorize(try Authorization(key: candidate.key, exchange: candidate.exchange, role: .write))])
    let hash = hash(of: forked)
    let branch = BranchID(two.instance, forkedAt: hash)
    try scene.scratch.write("team/transactions/\(branch)/\(Layout.path(of: head.index + 1))", forked)
    try one.exchange("team")
    #expect(try one.number("a") == 1 && one.number("b") == 1)
    let loss = try one.access.revocationLoss(of: two.instance, after: nil).loss
    #expect(loss == RevocationLoss(behind: 0, branches: [branch: 1], others: 2))
    // The other branch stays instead, with the instance that it authorizes.
    let other = BlockRef(branch, index: head.index + 1, digest: hash)
    let (last, less) = try one.access.revocationLoss(of: two.instance, after: .block(other))
    #expect(last?.branch == branch && less == RevocationLoss(behind: 0, branches: [BranchID(two.instance): 1]))
    #expect(throws: KitError.self) { try one.access.revocationLoss(of: guest.instance, after: .block(other)) }
    try expect(loss, one) { try one.access.revoke(two.instance, after: nil, rotates: false) }
    #expect(try one.number("a") == 1 && one.number("b") == nil)
  }
}
