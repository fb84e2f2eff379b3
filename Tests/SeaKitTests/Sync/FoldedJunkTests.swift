import SeaContainer
import SeaCore
import SeaKit
import SeaTestSupport
import Testing

/// Files that somebody has put where folded ones belong, and that nobody has signed: they keep nobody from anything.
@Suite struct FoldedJunkTests {
  private static let junk: [[UInt8]] = [Array("junk".utf8), [UInt8](repeating: 7, count: 3000), []]

  @Test(arguments: [false, true]) func behindTheEndOfAChain(sealed: Bool) throws {
    let world = try SyncWorld(sealed: sealed)
    world.settings.patience = { 3_600_000 }
    let (desk, lap) = (try world.instance("desk"), try world.instance("lap"))
    for one in [desk, lap] { try world.attach("team", to: one) }
    try desk.put("a", [("n", .integer(1))])
    for one in [desk, lap, desk] { try one.exchange("team") }
    let chain = "team/transactions/\(desk.instance)"
    for (number, bytes) in FoldedJunkTests.junk.enumerated() {
      let places = ["\(chain)/2/1.blocks", "\(chain)/2/\(5 + number).blocks", "\(chain)/3/1/0.blocks"]
      for path in places { try world.scratch.write(path, bytes) }
      // Others wait, and say what they have to say.
      try lap.put("b\(number)", [("n", .integer(2))])
      #expect(try lap.exchange("team").pushed > 0)
      // Whose chain it is takes them out of the way at once.
      try desk.put("a\(number)", [("n", .integer(3))])
      let result = try desk.exchange("team")
      #expect(result.pushed > 0 && !result.isArriving && result.problems.allSatisfy { !$0.isDamage })
      let there = try world.scratch.files(chain)
      for path in places {
        #expect(!there.contains(path) && there.contains { $0.hasPrefix("\(path).damaged-") }, "\(path)")
      }
      for one in [desk, lap, desk] {
        let result = try one.exchange("team")
        #expect(!result.isArriving && result.problems.allSatisfy { !$0.isDamage })
      }
      #expect(try lap.number("a\(number)") == 3 && desk.number("b\(number)") == 2)
      #expect(try desk.exchange.statuses(probe: true).map(\.state) == [.ok])
    }
  }

  /// Of strangers, and behind the end of whom somebody has revoked: with what they wrote it is taken out.
  @Test func dropHeldTakesItOut() throws {
    let world = try MemberWorld(sealed: false)
    let (one, two, three) = try world.members(.write, .write)
    try two.put("b", [("n", .integer(1))])
    _ = try world.converge([one, two, three])
    _ = try one.access.revoke(two.instance, after: nil, rotates: false)
    try one.exchange("team")
    try three.exchange("origin")
    let (stranger, setting) = (UUID(high: 0xABC, low: 1), try one.containers.setting("team"))
    let places = ["\(stranger)/2/1.blocks", "\(stranger)/1.blocks", "\(two.instance)/2/3.blocks"]
    for place in places { try world.scratch.write("team/transactions/\(place)", FoldedJunkTests.junk[1]) }
    #expect(try one.exchange("team").isArriving)
    let dropped = try one.exchange.dropHeld(in: setting, dryRun: false)
    #expect(Set(dropped.instances.map(\.instance)) == [stranger, two.instance])
    let there = try world.scratch.files("team/transactions")
    #expect(places.allSatisfy { !there.contains("team/transactions/\($0)") })
    #expect(try !one.exchange("team").isArriving && !three.exchange("origin").isArriving)
    #expect(try three.number("b") == 1)
  }
}
