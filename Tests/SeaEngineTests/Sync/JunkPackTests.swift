import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Unsigned files in the places of pack files do not prevent any exchange.
@Suite struct JunkPackTests {
  private static let junk: [[UInt8]] = [Array("junk".utf8), [UInt8](repeating: 7, count: 3000), []]

  @Test(arguments: [false, true]) func ownerQuarantinesJunkAfterChainEnd(sealed: Bool) throws {
    let world = try SyncWorld(sealed: sealed)
    world.settings.patience = { 3_600_000 }
    let (desk, lap) = (try world.instance("desk"), try world.instance("lap"))
    for one in [desk, lap] { try world.attach("team", to: one) }
    try desk.put("a", [("n", .integer(1))])
    for one in [desk, lap, desk] { try one.exchange("team") }
    let chain = "team/transactions/\(desk.instance)"
    for (number, bytes) in JunkPackTests.junk.enumerated() {
      let places = ["\(chain)/2/1.blocks", "\(chain)/2/\(5 + number).blocks", "\(chain)/3/1/0.blocks"]
      for path in places { try world.scratch.write(path, bytes) }
      // Others wait, but can push their own blocks.
      try lap.put("b\(number)", [("n", .integer(2))])
      #expect(try lap.exchange("team").pushed > 0)
      // The owner of the chain moves them aside at once.
      try desk.put("a\(number)", [("n", .integer(3))])
      let result = try desk.exchange("team")
      #expect(result.pushed > 0 && !result.isIncomplete && result.problems.allSatisfy { !$0.isDamage })
      let there = try world.scratch.files(chain)
      for path in places {
        let isKept = there.contains { $0.hasPrefix("\(path).damaged-") }
        #expect(!there.contains(path) && (isKept || bytes.isEmpty), "\(path)")
      }
      for one in [desk, lap, desk] {
        let result = try one.exchange("team")
        #expect(!result.isIncomplete && result.problems.allSatisfy { !$0.isDamage })
      }
      #expect(try lap.number("a\(number)") == 3 && desk.number("b\(number)") == 2)
      #expect(try desk.exchange.statuses(probe: true).map(\.state) == [.ok])
    }
  }

  /// In the chain of an absent instance, such a file is reported for some time and then quarantined by any writer.
  @Test(arguments: [false, true]) func writerQuarantinesJunkInChainOfAbsentInstance(sealed: Bool) throws {
    let world = try SyncWorld(sealed: sealed)
    let (desk, lap, third) = (try world.instance("desk"), try world.instance("lap"), try world.instance("third"))
    for one in [desk, lap, third] { try world.attach("team", to: one) }
    try desk.put("a", [("n", .integer(1))])
    for one in [desk, lap] { try one.exchange("team") }
    let chain = "team/transactions/\(desk.instance)"
    for (number, bytes) in JunkPackTests.junk.enumerated() {
      let places = ["\(chain)/1.blocks", "\(chain)/3/1/0.blocks"]
      for path in places { try world.scratch.write(path, bytes) }
      try lap.put("b\(number)", [("n", .integer(2))])
      var syncs = 0
      func isWell(_ result: SyncResult) -> Bool { !result.isIncomplete && result.problems.allSatisfy { !$0.isDamage } }
      #expect(try !isWell(lap.exchange("team")))
      while try !isWell(lap.exchange("team")), syncs < 10 { syncs += 1 }
      #expect(syncs < 5, "\(bytes.count)")
      let there = try world.scratch.files(chain)
      for path in places { #expect(!there.contains(path) && there.contains { $0.hasPrefix("\(path).damaged-") }) }
      #expect(try isWell(third.exchange("team")) && third.number("a") == 1 && third.number("b\(number)") == 2)
      #expect(try lap.exchange.statuses(probe: true).map(\.state) == [.ok])
      #expect(try isWell(lap.exchange("team")))
    }
  }

  /// `removePending` does it at once. A file that may hold a thousand unknown blocks stays and is reported.
  @Test func removePendingQuarantinesJunkPack() throws {
    let world = try SyncWorld()
    world.settings.patience = { 3_600_000 }
    let (desk, lap) = (try world.instance("desk"), try world.instance("lap"))
    for one in [desk, lap] { try world.attach("team", to: one) }
    try desk.put("a", [("n", .integer(1))])
    for one in [desk, lap] { try one.exchange("team") }
    let chain = "team/transactions/\(desk.instance)"
    try world.scratch.write("\(chain)/1.blocks", [UInt8](repeating: 7, count: 200_000))
    try world.scratch.write("\(chain)/2/1.blocks", [UInt8](repeating: 7, count: 200_000))
    let setting = try lap.containers.setting("team")
    for _ in 0..<3 { #expect(try lap.exchange("team").problems.contains { $0.isDamage || $0.code == .incomplete }) }
    #expect(try lap.exchange.removePending(in: setting, dryRun: true).files == 1)
    #expect(try world.scratch.files(chain).contains("\(chain)/1.blocks"))
    #expect(try lap.exchange.removePending(in: setting, dryRun: false).files == 1)
    let there = try world.scratch.files(chain)
    #expect(!there.contains("\(chain)/1.blocks") && there.contains("\(chain)/2/1.blocks"))
    #expect(try lap.exchange("team").problems.contains { $0.isDamage || $0.code == .incomplete })
    try Path.remove(world.scratch.path("\(chain)/2/1.blocks"))
    #expect(try lap.exchange("team").problems == [])
  }

  /// In chains of strangers the file is removed; after the last block of a revoked instance it is quarantined.
  @Test func removePendingClearsChainsOfStrangersAndRevoked() throws {
    let world = try MemberWorld(sealed: false)
    let (one, two, three) = try world.members(.write, .write)
    try two.put("b", [("n", .integer(1))])
    _ = try world.converge([one, two, three])
    _ = try one.access.revoke(two.instance, after: nil, rotates: false)
    try one.exchange("team")
    try three.exchange("origin")
    let (stranger, setting) = (UUID(high: 0xABC, low: 1), try one.containers.setting("team"))
    let places = ["\(stranger)/2/1.blocks", "\(stranger)/1.blocks", "\(two.instance)/2/3.blocks"]
    for place in places { try world.scratch.write("team/transactions/\(place)", JunkPackTests.junk[1]) }
    #expect(try one.exchange("team").isIncomplete)
    let dropped = try one.exchange.removePending(in: setting, dryRun: false)
    #expect(Set(dropped.instances.map(\.instance)) == [stranger] && dropped.files == 1)
    let there = try world.scratch.files("team/transactions")
    #expect(places.allSatisfy { !there.contains("team/transactions/\($0)") })
    #expect(try !one.exchange("team").isIncomplete && !three.exchange("origin").isIncomplete)
    #expect(try three.number("b") == 1)
  }
}
