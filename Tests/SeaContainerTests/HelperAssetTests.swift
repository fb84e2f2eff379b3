import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// What files of assets behind a helper cost.
@Suite struct HelperAssetTests {
  let folder: ScratchFolder
  let far: HelperContainer

  init() throws {
    folder = try ScratchFolder(inMemory: true)
    far = HelperContainer(HelperPlace("thread:")!, .folder(folder.path("c")))
    try DirectoryContainer(folder.path("c")).create(Specimen.info)
  }

  private func asset(_ index: UInt32, _ size: Int) throws -> (AssetPlace, [UInt8]) {
    let place = AssetPlace(instance: alpha.instance, index: index)
    var bytes = [UInt8](repeating: UInt8(index), count: size)
    for at in stride(from: 0, to: size, by: 9973) { bytes[at] = UInt8(truncatingIfNeeded: at / 9973) }
    try folder.write("c/\(place.path)", bytes)
    return (place, bytes)
  }

  private func content(_ place: AssetPlace, from offset: Int64 = 0, most: Int = .max) throws -> [UInt8] {
    var found: [UInt8] = []
    _ = try far.readAsset(place, from: offset) { piece in
      found += piece
      return found.count < most
    }
    return found
  }

  /// Elsewhere each request costs: a file is few of them, also for one who takes it piece by piece.
  @Test func assetsTakeFewRequests() throws {
    let (one, bytes) = try asset(0, 1_000_000)
    let (other, more) = try asset(1, 9_500_000)
    _ = try far.chains()
    let before = far.requests
    #expect(try content(one) == bytes)
    #expect(far.requests == before + 1)
    #expect(try content(other) == more)
    #expect(far.requests == before + 4)
    var pieces: [UInt8] = []
    while pieces.count < more.count { pieces += try content(other, from: Int64(pieces.count), most: 1) }
    #expect(pieces == more)
    #expect(far.requests == before + 7)
  }

  /// What follows is on its way meanwhile, as far as there is room; what was not wanted is let go.
  @Test func expectedAssetsArePrefetched() throws {
    let all = try (0..<30).map { try asset($0, 1_000_000) }
    _ = try far.chains()
    let before = far.requests
    try far.expect(all.map(\.0))
    #expect(far.requests == before + 16)
    #expect(try content(all[0].0) == all[0].1 && content(all[1].0, from: 999_990) == Array(all[1].1.suffix(10)))
    #expect(far.requests == before + 16)
    try far.expect(all.dropFirst(2).map(\.0))
    #expect(far.requests == before + 18)
    try far.expect([])
    // It is as it is there now.
    try folder.write("c/\(all[5].0.path)", [UInt8](repeating: 1, count: 1_000_000))
    #expect(try content(all[5].0) == [UInt8](repeating: 1, count: 1_000_000))
    try far.expect([all[6].0])
    try Path.remove(folder.path("c/\(all[6].0.path)"))
    try far.expect([all[7].0])
    #expect(try content(all[7].0) == all[7].1)
  }
}
