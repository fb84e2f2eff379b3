import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Files in a container that cannot be moved or deleted.
@Suite(.plainAndSealed) struct ImmovableFileTests {
  private let world: SyncWorld
  private let one: Database

  init() throws {
    world = try SyncWorld()
    one = try world.instance("one")
    try world.attach("team", to: one)
    for n in 1...4 { try one.put("a", [("n", .integer(Int64(n)))]) }
    try one.exchange("team")
  }

  /// A file that cannot be moved does not prevent other exchanges. In the place of a block it is damage; after the end
  /// of a chain it is reported and ignored.
  @Test(arguments: [3, 5, 7] as [UInt32]) func immovableFileDoesNotPreventExchange(index: UInt32) throws {
    let two = try world.instance("two")
    try world.attach("team", to: two)
    try two.exchange("team")
    try two.put("b", [("n", .integer(7))])
    // Blocks of the other instance still arrive.
    try two.exchange("team", .push)
    let junk = world.blockPath("team", one.instance, index)
    let good = index == 3 ? try world.scratch.bytes(junk) : nil
    try world.scratch.write(junk, [UInt8](repeating: 7, count: 300))
    let faulty = FaultyContainer(world.container("team"))
    faulty.heldFast = (BranchID(one.instance), index)
    func push() throws -> [Problem] {
      var result = SyncResult()
      try one.exchange.pull(from: faulty, named: "team", into: &result)
      try one.exchange.push(to: faulty, named: "team", isFull: true, into: &result)
      return result.problems
    }
    let reason = "Operation not permitted"
    let inTheWay = Problem(
      .inTheWay, place: "team", branch: BranchID(one.instance), index: index, detail: reason)
    for _ in 0..<2 {
      let problems = try push()
      if index == 3 {
        #expect(problems.contains(inTheWay))
      } else {
        #expect(problems == [Problem(immovable: "transactions/\(one.instance)/1/\(index)", reason, place: "team")])
      }
      #expect(try one.number("b") == 7)
    }
    // The block of that place goes into a separate folder, where readers find it.
    if index == 5 {
      try one.put("a", [("n", .integer(9))])
      _ = try push()
      try two.exchange("team")
      #expect(try two.number("a") == 9)
    }
    faulty.heldFast = nil
    _ = try push()
    if let good { #expect(try world.scratch.bytes(junk) == good) }
    try two.exchange("team")
    #expect(try index != 5 || two.number("a") == 9)
  }
}
