import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Guests that have requested access while keys change, and a creator that is restored from a copy.
@Suite struct GuestEpochTests {
  private let world: MemberWorld

  init() throws { world = try MemberWorld(sealed: true) }

  private func founder() throws -> Database {
    let one = try world.founder("one", ["team"])
    try one.put("first", [("n", .integer(0))])
    try one.exchange("team")
    return one
  }

  private func expectSame(_ one: Database, _ two: Database) throws {
    #expect(try world.converge([one, two])?.filter(\.isError).map(\.code) == [])
    #expect(try one.store.projection.digest() == two.store.projection.digest())
    #expect(try one.memberText() == two.memberText())
  }

  private func beginEpoch(_ number: Int64, _ one: Database) throws {
    _ = try one.access.rotate(nil)
    try one.put("epoch\(number)", [("n", .integer(number))])
    try one.exchange("team")
  }

  @Test(arguments: [1, 2]) func authorizedGuestReadsEpochsBegunSinceRequest(epochs: Int64) throws {
    let one = try founder()
    let two = try world.newcomer("two", ["team"])
    for number in 1...epochs { try beginEpoch(number, one) }
    try two.exchange("origin")
    #expect(try two.isPending() && two.number("first") == nil)
    try one.authorize(two, as: .write)
    try expectSame(one, two)
    for number in 1...epochs { #expect(try two.number("epoch\(number)") == number) }
    try two.put("answer", [("n", .integer(9))])
    try expectSame(one, two)
    #expect(try one.number("answer") == 9)
  }

  @Test func revokedGuestReadsNewEpochsOnlyAfterReauthorization() throws {
    let one = try founder()
    let two = try world.newcomer("two", ["team"])
    try one.authorize(two, as: .write)
    try expectSame(one, two)
    _ = try one.access.revoke(two.instance, after: nil, rotates: true)
    try beginEpoch(1, one)
    try beginEpoch(2, one)
    try two.exchange("origin")
    #expect(try two.number("epoch1") == nil && two.number("epoch2") == nil)
    try one.authorize(two, as: .write)
    try expectSame(one, two)
    #expect(try two.number("epoch1") == 1 && two.number("epoch2") == 2)
  }

  @Test func restoredCreatorPullsLaterBlocksAndContinues() throws {
    let one = try founder()
    one.close()
    let copy = try world.scratch.files("one").map { ($0, try world.scratch.bytes($0)) }
    let later = try world.reopened("one")
    let two = try world.newcomer("two", ["team"])
    try later.authorize(two, as: .admin)
    try beginEpoch(1, later)
    try expectSame(later, two)
    later.close()
    try ScratchFolder.removeAll(world.scratch.path("one"))
    for (name, bytes) in copy { try world.scratch.write(name, bytes) }
    let restored = try world.reopened("one")
    // It does not know yet that it has a successor.
    try restored.put("after", [("n", .integer(3))])
    try expectSame(restored, two)
    #expect(try restored.number("epoch1") == 1 && two.number("after") == 3)
    #expect(try restored.members.membership()?.role(of: two.instance) == .admin)
    try restored.put("after", [("n", .integer(4))])
    try expectSame(restored, two)
    #expect(try two.number("after") == 4)
    let three = try world.newcomer("three", ["team"])
    try restored.authorize(three, as: .write)
    try expectSame(restored, three)
    #expect(try three.number("epoch1") == 1)
  }
}
