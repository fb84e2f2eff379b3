import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// A stranger with write access to the container that knows the public keys in a request.
@Suite struct ForgedKeyTests {
  @Test func forgedKeyAndBlockHaveNoEffect() throws {
    let world = try MemberWorld(sealed: true)
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.password)
    try two.exchange("origin")
    try one.exchange("team")
    try one.authorize(two, as: .write)
    #expect(try world.converge([one, two]) == [])
    let key = try #require(EpochKey(number: 7, bytes: [UInt8](repeating: 9, count: EpochKey.size)))
    let slot = try Slot.instance(
      one.instance, exchange: one.access.ownCandidate().exchange, key, database: one.databaseID,
      ephemeral: Random.bytes(32))
    try world.scratch.write("team/keys/\(slot.digest)", slot.bytes)
    // A block under the stranger's key, in the name of a member, as the start of a second branch.
    let asked = try two.access.ownCandidate()
    let forged = try ForgedBlock.first(
      of: two.instance, in: two.databaseID, under: key, previous: .zero,
      [.instance(name: "x", key: asked.key, exchange: asked.exchange)])
    let branch = BranchID(two.instance, forkedAt: hash(of: forged))
    try world.scratch.write("team/transactions/\(branch)/\(Layout.path(of: 0))", forged)
    for _ in 0..<2 {
      let problems = try one.exchange("team").problems
      #expect(problems.map(\.code) == [.badPrevious])
      #expect(try one.keychain.newestEpoch() == 1 && one.keychain.ring()?.all.map(\.number) == [1])
    }
    #expect(try one.store.branches.siblings().isEmpty)
    // The passphrase still works.
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let three = try world.newcomer("three", ["team"], password: world.password)
    #expect(try three.number("a") == 1)
  }
}
