import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// With members, a senior may purge blocks that others wrote.
@Suite struct MemberPurgeTests {
  /// A founder, and an instance that has requested access.
  private func joined(_ sealed: Bool) throws -> (MemberWorld, alice: Database, bob: Database) {
    let world = try MemberWorld(sealed: sealed)
    let alice = try world.founder("alice", ["team"])
    try alice.exchange("team")
    let bob = try world.newcomer("bob", ["team"], password: sealed ? world.password : nil)
    for one in [bob, alice] { try one.exchange(one === alice ? "team" : "origin") }
    return (world, alice, bob)
  }

  @Test(arguments: [false, true]) func adminPurgesBlocksOfOthers(sealed: Bool) throws {
    let (world, alice, bob) = try joined(sealed)
    _ = try alice.access.authorize(alice.access.candidate("bob"), as: .write)
    #expect(try world.converge([alice, bob]) == [])
    try bob.put("a", [("v", .string("SECRET-bob"))])
    try alice.put("b", [("v", .string("SECRET-alice"))])
    #expect(try world.converge([alice, bob]) == [])
    // A junior may not.
    let tried = try bob.purge.run(.record("b", keepsNow: false))
    #expect(tried.plan.obstacles.map(\.obstacle) == [.foreign] && tried.emptied == 0)
    #expect(tried.plan.revisions == 0 && tried.plan.staying == 1)
    let done = try alice.purge.run(.record("a", keepsNow: false))
    #expect(done.plan.obstacles.isEmpty && done.emptied == 1)
    #expect(try world.converge([alice, bob]) == [])
    #expect(try alice.purge.report(alice.containers).isDone)
    for folder in ["alice", "bob", "team"] {
      let found = try world.scratch.files(folder).filter { name in
        try !world.scratch.bytes(name).ranges(of: Array("SECRET-bob".utf8)).isEmpty
      }
      #expect(found == [])
    }
    #expect(try bob.members.badRemovals() == [] && alice.members.badRemovals() == [])
    #expect(try alice.store.projection.digest() == bob.store.projection.digest())
    #expect(try bob.store.projection.digest() == bob.store.projection.expectedDigest())
  }

  /// Orders of an admin that only a junior has revoked are valid, and all instances learn of them.
  @Test(arguments: [false, true]) func juniorCannotUndoPurgeOfSenior(sealed: Bool) throws {
    let (world, alice, bob) = try joined(sealed)
    try alice.authorize(bob, as: .admin)
    try alice.put("own", [("v", .string("gone"))])
    try bob.put("other", [("v", .string("gone"))])
    #expect(try world.converge([alice, bob]) == [])
    _ = try bob.access.revoke(alice.instance, after: nil, rotates: false)
    for id in ["own", "other"] { #expect(try alice.purge.run(.record(id, keepsNow: false)).emptied == 1) }
    #expect(try world.converge([alice, bob]) == [])
    let carol = try world.newcomer("carol", ["team"], password: sealed ? world.password : nil)
    try bob.exchange("origin")
    for one in [alice, bob, carol] {
      #expect(try one.members.badRemovals() == [])
      #expect(try one.store.blocks.purgedBlocks().count == 2)
      #expect(try one.members.membership()?.role(of: alice.instance) == nil)
    }
  }

  /// A revoked instance that does not know it yet orders purges. They have no effect, even after purges by the revoking
  /// admin, and holders of the blocks restore them.
  @Test func purgeByRevokedInstanceHasNoEffect() throws {
    let world = try MemberWorld(sealed: false)
    let alice = try world.founder("alice", ["team"])
    try alice.exchange("team")
    let (bob, carol) = (try world.newcomer("bob", ["team"]), try world.newcomer("carol", ["team"]))
    for (one, role) in [(bob, Role.admin), (carol, Role.write)] {
      for one in [one, alice] { try one.exchange(one === alice ? "team" : "origin") }
      _ = try alice.access.authorize(alice.access.candidate(one === bob ? "bob" : "carol"), as: role)
    }
    try alice.put("own", [("v", .string("gone"))])
    try carol.put("important", [("v", .string("yes"))])
    #expect(try world.converge([alice, bob, carol]) == [])
    #expect(try alice.purge.run(.record("own", keepsNow: false)).emptied == 1)
    #expect(try world.converge([alice, bob, carol]) == [])
    _ = try alice.access.revoke(
      bob.instance, after: .block(bob.store.branches.chain(bob.instance)!.head), rotates: false)
    #expect(try bob.purge.run(.record("important", keepsNow: false)).emptied == 1)
    try bob.exchange("origin")
    try alice.exchange("team")
    let dave = try world.newcomer("dave", ["team"])
    try carol.exchange("origin")
    try dave.exchange("origin")
    for one in [alice, carol, dave] {
      #expect(try one.members.badRemovals() == [])
      #expect(try one.store.records.record("important")?.live == 1)
    }
  }
}
