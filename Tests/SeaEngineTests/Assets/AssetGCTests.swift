import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// Files that are needed, or may be needed, are never removed.
@Suite(.plainAndSealed) struct AssetGCTests {
  private let world: SyncWorld
  private let one: Database
  private let reference: AssetReference

  init() throws {
    world = try SyncWorld()
    world.settings.assetFileSize = 100_000
    one = try world.instance("one")
    try world.attach("c", to: one)
    reference = try one.addAsset("r", randomContent(250_000))
  }

  private func collect(_ database: Database? = nil, assets: Bool = true, dryRun: Bool = false) throws -> GCResult {
    let database = database ?? one
    return try database.assets.collection.collect(
      assets ? database.exchange.assetCopies().origins : nil, least: 1, dryRun: dryRun)
  }

  private func assetPlace(_ index: UInt32) -> AssetPlace { AssetPlace(instance: one.instance, index: index) }

  /// A command reserved a number, stored its file and died.
  private func stray() throws -> AssetPlace {
    let asset = try one.assets.stage(.stream { _ in 0 }, named: "test")
    let place = asset.pieces[0].place
    try world.scratch.write("one/.sea/" + place.path, [1, 2, 3])
    return place
  }

  @Test func filesNamedByHistoryAreKept() throws {
    let files = try one.assetFiles()
    #expect(files.count == 3)
    #expect(try collect().assets.files == 0)
    try one.deleteRecord("r")
    #expect(try collect().assets.files == 0)
    #expect(try one.assetFiles() == files)
  }

  @Test func unreferencedFileIsRemoved() throws {
    let place = try stray()
    #expect(try collect(assets: false).assets.files == 0)
    #expect(try collect(dryRun: true).assets.files == 1)
    #expect(try one.assets.files.assetSize(place) == 3)
    let found = try collect()
    #expect(found.assets.files == 1 && found.assets.bytes == 3)
    #expect(try one.assets.files.assetSize(place) == nil)
    #expect(try one.assetFiles().count == 3)
  }

  /// A database restored from a copy does not know the blocks it wrote after that.
  @Test func fileOfUnreservedNumberIsKept() throws {
    let place = assetPlace(50)
    try world.scratch.write("one/.sea/" + place.path, [1])
    let found = try collect()
    #expect(found.assets.files == 0 && found.kept.files == 1)
    #expect(try one.assets.files.assetSize(place) == 1)
  }

  /// The command may be between the file and the record.
  @Test func collectionFailsWhileWriterHoldsLock() throws {
    let place = try stray()
    let writer = try world.reopened("one")
    defer { writer.close() }
    world.settings.lockWait = 0
    let collector = try world.reopened("one")
    defer { collector.close() }
    _ = try writer.store.locked { #expect(throws: (any Error).self) { try collect(collector) } }
    #expect(try one.assets.files.assetSize(place) == 3)
    #expect(try collect(collector).assets.files == 1)
  }

  @Test func draftsOfRunningWriterAreKept() throws {
    let asset = try one.assets.stage(.stream { _ in 0 }, named: "test")
    let other = try world.reopened("one")
    defer { other.close() }
    #expect(try collect(other).temporary.files == 0)
    #expect(try one.drafts().count == 1)
    let batch = WriteBatch(label: "set a")
    let path = try PropertyPath("a")
    try batch.addEdit("e", type: nil, .none, mustExist: false) { _ in
      var record = Value.empty
      try record.set(.asset(asset.reference), at: path)
      return record
    }
    _ = try one.assets.write(batch, adding: [asset])
    #expect(try one.content(asset.reference) == [])
  }
}
