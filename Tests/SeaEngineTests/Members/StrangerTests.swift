import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Limits on the resources that strangers can use.
@Suite struct StrangerTests {
  /// Under a limit, blocks of strangers come last.
  @Test(arguments: [false, true]) func strangersDoNotUseUpALimit(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed)
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let newcomers = try ["a", "b", "c", "d"].map {
      try world.newcomer($0, ["team"], password: sealed ? world.password : nil)
    }
    // Chains are sorted by instance, so the member's would be last.
    let sorted = newcomers.sorted { $0.instance < $1.instance }
    for newcomer in sorted { try newcomer.exchange("origin") }
    try one.exchange("team")
    try one.authorize(sorted[3], as: .write)
    try one.exchange("team")
    for stranger in sorted.dropLast() {
      let noise = try Hex.text(Random.bytes(3000))
      for n in 1...3 { try stranger.put("x\(n)", [("v", .string(noise))]) }
      try stranger.exchange("origin")
    }
    try sorted[3].put("m", [("n", .integer(7))])
    try sorted[3].exchange("origin")

    var settings = world.settings(world.password)
    settings.allowance = Allowance(seconds: nil, bytes: 4000, throttle: nil)
    let limited = try Database(path: one.path, settings)
    let result = try limited.exchange("team", .pull)
    #expect(result.limit == .size && result.left.pull > 0)
    #expect(try limited.number("m") == 7)
  }
}
