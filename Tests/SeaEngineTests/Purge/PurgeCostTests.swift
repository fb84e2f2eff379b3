import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// The requests of a purge: each purged file is read once, and later syncs need no request.
@Suite struct PurgeCostTests {
  private final class SetClock: @unchecked Sendable { var now: Int64 = 1_787_370_060_000 }

  private let world: SyncWorld
  private let helpers: Helpers
  private let clock = SetClock()

  init() throws {
    world = try SyncWorld(sealed: false, inMemory: true)
    helpers = .folder(world.scratch.path("hub"))
    world.settings.helpers = helpers
    world.settings.clock = { [clock] in clock.now }
  }

  /// An instance with a record that names that many assets in one block.
  private func instance(_ count: Int) throws -> Database {
    let desk = try world.instance("desk")
    let batch = WriteBatch(label: "many")
    var staged: [StagedAsset] = []
    for n in 0..<count {
      var content = Array("content \(n)".utf8)[...]
      let asset = try desk.assets.stage(
        .stream { buffer in
          buffer.copyBytes(from: content)
          defer { content = [] }
          return content.count
        }, named: "test")
      staged.append(asset)
    }
    try batch.addEdit("r", type: nil, .none, mustExist: false) { _ in
      var record = Value.empty
      for (n, asset) in staged.enumerated() { try record.set(.asset(asset.reference), at: PropertyPath("p\(n)")) }
      return record
    }
    _ = try desk.assets.write(batch, adding: staged)
    return desk
  }

  /// Four times as many assets need four times as many reads; everything else stays the same.
  @Test(arguments: [100, 400]) func purgeReadsEachAssetOnce(count: Int) throws {
    let desk = try instance(count)
    try world.attach("team", to: desk)
    try desk.exchange("team")
    _ = try desk.purge.run(.record("r", keepsNow: false))
    // The calls of a sync there.
    func run() throws -> (calls: [String: Int], bytes: Int64, emptied: Int) {
      let container = CountingContainer(world.container("team"))
      var purge = ContainerPurge(desk.assets, container, dryRun: false)
      try purge.run()
      #expect(purge.remainders == [])
      return (container.calls, container.assetBytesRead + Int64(container.bytesRead), purge.emptied)
    }
    let first = try run()
    #expect(first.emptied == count + 1 && first.calls["readAsset"] == count)
    #expect(first.calls["assetSizes"] == 1 && first.calls["removeAssets"] == 2 && first.calls["empty"] == 1)
    let second = try run()
    #expect(second.emptied == 0 && second.bytes == 0)
    #expect(second.calls == ["chains": 1, "survey": 1, "assetSizes": 1])
  }

  /// Behind a helper, the second sync after a purge needs as many requests as one without any purge.
  @Test func laterSyncsTakeNoExtraRequests() throws {
    let desk = try instance(50)
    _ = try desk.containers.add(ContainerSetting(name: "hub", location: "thread:hub"), create: true)
    func requests() throws -> Int {
      helpers.close()
      clock.now += 10_000
      try desk.exchange("hub")
      return helpers.container(at: HelperPlace("thread:hub")!).requests
    }
    for _ in 0..<4 { _ = try requests() }
    let before = try requests()
    _ = try desk.purge.run(.record("r", keepsNow: false))
    #expect(try requests() > before + 50)
    for _ in 0..<3 { _ = try requests() }
    #expect(try requests() == before)
  }

  /// The claims of a purged block do not matter: extents of 16,385 files cost no more than others.
  @Test func largeClaimsCostOneLookupEach() throws {
    let desk = try world.instance("desk")
    try world.attach("team", to: desk)
    var properties: [(String, Value)] = []
    for n in 0..<16 {
      let first = n * 16_385
      properties.append(
        (
          "p\(n)",
          .asset(
            AssetReference(
              place: "\(desk.instance)/\(first)-\(first + 16_384)", mime: "text/plain",
              size: 16_384 * AssetExtent.fileSize,
              digest: SHA256.hash([UInt8(n)])))
        ))
    }
    try desk.put("r", properties)
    try desk.exchange("team")
    _ = try desk.purge.run(.record("r", keepsNow: false))
    let container = CountingContainer(world.container("team"))
    var purge = ContainerPurge(desk.assets, container, dryRun: false)
    try purge.run()
    #expect(purge.emptied == 1 && container.calls["assetSizes"] == 16)
    #expect(container.calls.values.reduce(0, +) <= 16 + 5)
  }
}
