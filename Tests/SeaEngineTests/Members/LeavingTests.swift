import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// All instances learn that a member has left, even without a common folder. Also the decisions of a senior that a
/// junior has revoked.
@Suite struct LeavingTests {
  /// Of the instances, `two` leaves in a folder that it shares with only one other.
  private func world(_ world: MemberWorld) throws -> (one: Database, two: Database, far: Database) {
    let one = try world.founder("one", ["east", "west"])
    for folder in ["east", "west"] { try one.exchange(folder) }
    let two = try world.newcomer("two", ["east"], password: world.isSealed ? world.password : nil)
    let far = try world.newcomer("far", ["west"], password: world.isSealed ? world.password : nil)
    for database in [two, far] { try database.exchange("origin") }
    for folder in ["east", "west"] { try one.exchange(folder) }
    try one.authorize(two, as: .admin)
    try one.authorize(far, as: .write)
    #expect(try world.converge([one, two, far]) == [])
    return (one, two, far)
  }

  @Test(arguments: [false, true]) func leaveIsForwardedBetweenFolders(sealed: Bool) throws {
    let scene = try MemberWorld(sealed: sealed)
    let (one, two, far) = try world(scene)
    _ = try two.access.revoke(two.instance, after: nil, rotates: true)
    #expect(try scene.converge([one, two, far]) == [])
    for database in [one, far] {
      #expect(try database.members.membership()?[two.instance]?.revoked?.author == two.instance)
    }
    #expect(try one.memberText() == far.memberText())
  }

  /// Blocks after the leave are forwarded too, but end no role.
  @Test func blocksAfterLeaveHaveNoEffect() throws {
    let scene = try MemberWorld(sealed: false)
    let (one, two, far) = try world(scene)
    _ = try two.access.revoke(two.instance, after: nil, rotates: true)
    let leave = try #require(try two.store.branches.chain(two.instance)).head
    let lamport = try #require(try two.store.branches.chain(two.instance)).lamport
    try two.exchange("origin")
    let more = try ForgedBlock.make(
      two, behind: leave, lamport: lamport + 1, [.revoke(instance: two.instance, last: leave)])
    try scene.scratch.write("east/transactions/\(two.instance)/\(Layout.path(of: leave.index + 1))", more)
    for folder in ["east", "west", "east", "west"] { try one.exchange(folder) }
    try far.exchange("origin")
    #expect(try one.store.branches.chain(two.instance)?.head.index == leave.index + 1)
    #expect(try far.store.branches.chain(two.instance)?.head.index == leave.index + 1)
    #expect(try one.memberText() == far.memberText())
  }

  @Test func leaveSurvivesRemovalOfPendingBlocks() throws {
    let scene = try MemberWorld(sealed: false)
    let (one, two, _) = try world(scene)
    _ = try two.access.revoke(two.instance, after: nil, rotates: true)
    try two.exchange("origin")
    let setting = try #require(try one.containers.settings().first { $0.name == "east" })
    #expect(try one.exchange.removePending(in: setting, dryRun: false).instances.isEmpty)
    let late = try scene.newcomer("late", ["east"])
    #expect(try late.members.membership()?[two.instance]?.role == nil)
    #expect(try late.members.membership()?[two.instance] != nil)
  }

  @Test(arguments: [false, true]) func decisionsOfRevokedSeniorAreForwarded(sealed: Bool) throws {
    let scene = try MemberWorld(sealed: sealed)
    let (one, two, far) = try world(scene)
    _ = try two.access.revoke(one.instance, after: nil, rotates: false)
    try one.put("r", [("n", .integer(1))])
    try one.authorize(far, as: .admin)
    try one.exchange("east")
    try scene.attach("north", two)
    for folder in ["origin", "north"] { try two.exchange(folder) }
    let late = try scene.newcomer("late", ["north"], password: sealed ? scene.password : nil)
    for database in [two, late] {
      let membership = try #require(try database.members.membership())
      #expect(membership.role(of: one.instance) == nil && membership.role(of: far.instance) == .admin)
      #expect(try database.number("r") == nil)
    }
    let setting = try #require(try two.containers.settings().first { $0.name == "north" })
    #expect(try two.exchange.removePending(in: setting, dryRun: false).instances.isEmpty)
  }

  /// A role that would not be granted is refused.
  @Test func onlySeniorRestoresAdminRole() throws {
    let scene = try MemberWorld(sealed: false)
    let (one, two, far) = try world(scene)
    try one.authorize(far, as: .admin)
    _ = try one.access.revoke(two.instance, after: nil, rotates: false)
    #expect(try scene.converge([one, far]) == [])
    #expect(throws: KitError.unauthorized(.notSenior)) { try far.authorize(two, as: .admin) }
    try far.authorize(two, as: .write)
    #expect(try far.members.membership()?.role(of: two.instance) == .write)
    #expect(try scene.converge([one, far]) == [])
    try one.authorize(two, as: .admin)
    #expect(try one.members.membership()?.role(of: two.instance) == .admin)
  }
}
