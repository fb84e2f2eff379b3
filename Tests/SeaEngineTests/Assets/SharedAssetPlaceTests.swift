import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Copies of one machine used one number for different contents of the same size. Each content gets a separate place in
/// any order, and a missing content is never reported as complete.
@Suite(.plainAndSealed) struct SharedAssetPlaceTests {
  private let world: SyncWorld

  init() throws {
    world = try SyncWorld()
    let clock = TestClock()
    world.settings.clock = {
      clock.now += 60_000
      return clock.now
    }
  }

  private func content(_ n: Int) -> [UInt8] { [UInt8](repeating: UInt8(n), count: 3000) }

  /// Copies of one machine, each with different content under the same number.
  private func copies(_ count: Int) throws -> [Database] {
    let first = try world.instance("m0")
    try world.attach("team", to: first)
    try first.put("a", [("n", .integer(1))])
    try first.exchange("team")
    first.close()
    for n in 1..<count { try world.copy("m0", to: "m\(n)") }
    let all = try (0..<count).map { try world.reopened("m\($0)") }
    var extents: Set<AssetExtent> = []
    for (n, one) in all.enumerated() { try extents.insert(#require(one.addAsset("r\(n)", content(n)).extent)) }
    #expect(extents.count == 1)
    return all
  }

  /// Checks that a newcomer gets every content that the machine's records name and that was reported as present.
  private func expectAll(_ machine: Database, _ why: String) throws {
    let late = try world.instance("late\(Random.bytes(8).map { String($0) }.joined())")
    try world.attach("team", to: late)
    let result = try late.sync(late.containers.setting("team"), .pull, assets: .all)
    #expect(result.problems.filter { $0.isError || $0.code == .incomplete } == [], "\(why)")
    for asset in try machine.allAssets() {
      // The file at the place may be the other content.
      guard case .some(.some(let has)) = try? machine.content(asset.reference) else { continue }
      #expect(throws: Never.self, "\(why): \(asset.extent)") { try #expect(late.content(asset.reference) == has) }
    }
    #expect(try late.store.projection.digest() == machine.store.projection.digest(), "\(why)")
  }

  @discardableResult
  private func sync(_ machine: Database, _ why: String) throws -> Bool {
    let result = try machine.exchange("team")
    let isGood = !result.problems.contains { $0.isError || $0.code == .incomplete }
    if isGood { try expectAll(machine, why) }
    return isGood && result.pulled == 0 && result.pushed == 0 && result.healed == 0 && result.mended == []
  }

  /// Two copies share a content from before the copy, and a third one has another.
  @Test(arguments: [[0, 1, 2], [0, 2, 1], [2, 1, 0], [2, 0, 0, 1], [1, 2, 0]])
  func contentOfTwoInstanceCopiesReachesAll(order: [Int]) throws {
    let first = try world.instance("m0")
    try world.attach("team", to: first)
    try first.put("a", [("n", .integer(1))])
    try first.exchange("team")
    first.close()
    try world.copy("m0", to: "m2")
    let again = try world.reopened("m0")
    try again.addAsset("r0", content(0))
    again.close()
    try world.copy("m0", to: "m1")
    let all = try (0..<3).map { try world.reopened("m\($0)") }
    try all[1].put("r1", [("n", .integer(1))])
    try all[2].addAsset("r2", content(2))
    try settle(all, order)
    for (n, one) in all.enumerated() { try expectBoth(one, [0, 2], "\(n) of \(order)") }
  }

  @Test(arguments: [[0, 1], [1, 0], [0, 1, 2], [2, 0, 1], [1, 2, 0, 0, 2]])
  func everyInstanceCopyCanGetAllContents(order: [Int]) throws {
    let all = try copies(Set(order).count)
    try settle(all, order)
    for (n, one) in all.enumerated() { try expectBoth(one, Array(all.indices), "\(n) of \(order)") }
  }

  private func settle(_ all: [Database], _ order: [Int]) throws {
    for n in order { try sync(all[n], "first round, \(n) of \(order)") }
    for round in 1... {
      var isQuiet = true
      for (n, one) in all.enumerated() { isQuiet = try sync(one, "round \(round), \(n) of \(order)") && isQuiet }
      if isQuiet { break }
      try #require(round < 10, "\(order) does not come to rest")
    }
  }

  /// Checks that the machine has or can get all of these contents.
  private func expectBoth(_ machine: Database, _ contents: [Int], _ why: String) throws {
    for n in contents {
      let asset = try #require(try machine.assetOf("r\(n)"))
      if try machine.assets.here(#require(machine.assets.row(asset))) == nil {
        let (outcome, problems) = try machine.fetch(asset, from: [("team", world.container("team"))])
        #expect(outcome == .fetched(from: ["team"]) && problems == [], "\(n) at \(why)")
      }
      #expect(throws: Never.self, "\(n) at \(why)") { try #expect(machine.content(asset) == content(n)) }
    }
  }
}

extension Database {
  /// The current asset of a record.
  fileprivate func assetOf(_ id: String) throws -> AssetReference? {
    guard let row = try store.records.record(id), let leaf = try store.records.winner(of: row),
      let body = try store.records.body(of: leaf),
      case .asset(let reference)? = try body.withUnsafeBufferPointer({ try Value.decode(body: $0) }).members?["a"]
    else { return nil }
    return reference
  }
}
