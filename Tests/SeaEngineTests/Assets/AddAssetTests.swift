import Glibc
import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// Content becomes an asset once and completely, or not at all.
@Suite(.plainAndSealed) struct AddAssetTests {
  private let world: SyncWorld
  private let one: Database

  init() throws {
    world = try SyncWorld()
    world.settings.assetFileSize = 100_000
    one = try world.instance("one")
  }

  @Test(arguments: [0, 1, 99_999, 100_000, 100_001, 200_000, 250_000])
  func addedContentReadsBackUnchanged(_ size: Int) throws {
    let content = randomContent(size)
    let reference = try one.addAsset("r", content)
    #expect(reference.size == Int64(size) && reference.digest == SHA256.hash(content))
    #expect(reference.extent?.count == max(1, (size + 99_999) / 100_000))
    #expect(try one.content(reference) == content)
    #expect(try one.drafts().isEmpty)
    let row = try #require(try one.allAssets().first)
    #expect(row.reference == reference)
    for place in row.extent.places {
      let stored = try #require(try one.store.assets.stored(place))
      let file = try world.scratch.bytes("one/.sea/" + place.path)
      #expect(stored.size == Int64(file.count) && stored.digest == SHA256.hash(file))
      // Encrypted content is nowhere in plain text.
      if world.key == nil || size < 32 { continue }
      #expect(
        !file.indices.dropLast(32).contains { file[$0] == content[0] && file[$0...].starts(with: content.prefix(32)) })
    }
    #expect(try one.store.projection.digest() == one.store.projection.expectedDigest())
  }

  @Test func sameContentIsStoredOnce() throws {
    let content = randomContent(150_000)
    let first = try one.addAsset("r", content)
    #expect(try one.addAsset("r", content) == first)
    #expect(try one.addAsset("s", content) == first)
    #expect(try one.assetFiles().count == 2)
    let row = try #require(try one.allAssets().first)
    #expect(try one.store.assets.holders(of: row.key).map(\.id) == ["r", "s"])
    // If content is known but not local, plain files go to the places that records name; encrypted files are bound to a
    // place.
    try world.attach("c", to: one)
    try one.exchange("c")
    let two = try world.instance("two")
    try world.attach("c", to: two)
    try two.exchange("c")
    let other = try two.addAsset("t", content)
    #expect((other == first) == (world.key == nil))
    #expect(try two.content(first) == content)
    #expect(try two.assetFiles().count == 2)
  }

  @Test func failedWriteLeavesNoAssetFiles() throws {
    try one.addAsset("r", randomContent(10))
    #expect(throws: KitError.self) { try one.addAsset("r", randomContent(250_000, 2), .absent) }
    #expect(try one.assetFiles().count == 1)
    #expect(try one.drafts().isEmpty)
    #expect(try one.store.assets.stored(after: 0).count == 1)
    // Numbers are never reused.
    let next = try one.addAsset("s", randomContent(10, 3))
    #expect(try #require(next.extent).first == 4)
  }

  @Test(arguments: [true, false]) func constantlyChangingFileIsRefused(isShortened: Bool) throws {
    try world.scratch.write("f", randomContent(150_000))
    let file = try File(world.scratch.path("f"), [.read, .write])
    var count: Int64 = 0
    one.close()
    world.settings.report = { _ in
      count += 1
      if isShortened {
        try? file.truncate(to: 149_000 - count)
      } else {
        try? file.write([UInt8(truncatingIfNeeded: count)])
      }
    }
    let opened = try world.reopened("one")
    #expect(throws: KitError.fileChanged("f")) { try opened.assets.stage(.file(file), named: "f") }
    #expect(count > 1)
    #expect(try opened.drafts().isEmpty)
  }

  @Test func fileChangedDuringReadIsReadAgain() throws {
    var content = randomContent(150_000)
    try world.scratch.write("f", content)
    // The old file time differs on any file system, however coarse its clock is.
    let stamp = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
    #expect(utimensat(AT_FDCWD, world.scratch.path("f"), [stamp, stamp], 0) == 0)
    let file = try File(world.scratch.path("f"), [.read, .write])
    one.close()
    var hit = false
    world.settings.report = { _ in
      if !hit { try? file.write([content[0] ^ 1]) }
      hit = true
    }
    let opened = try world.reopened("one")
    let staged = try opened.assets.stage(.file(file), named: "f")
    content[0] ^= 1
    #expect(staged.reference.digest == SHA256.hash(content))
  }

  /// A record can claim any place, even places without content.
  @Test func forgedAssetReferenceIsNotTrusted() throws {
    let mine = try one.addAsset("r", randomContent(10))
    let digest = SHA256.hash([1])
    for (k, place) in ["0-4294967295", "0-1"].enumerated() {
      let claim = AssetReference(place: "\(one.instance)/\(place)", mime: "x/y", size: 1, digest: digest)
      #expect(throws: CoreError.self) { try one.put("claim\(k)", [("a", .asset(claim))]) }
    }
    for (k, place) in ["4294967294", "0"].enumerated() {
      let claim = AssetReference(place: "\(one.instance)/\(place)", mime: "x/y", size: 1, digest: digest)
      try one.put("claim\(k)", [("a", .asset(claim))])
    }
    let rows = try one.allAssets().filter { $0.digest == digest }
    #expect(rows.count == 2)
    for row in rows { #expect(try one.assets.here(row) == nil) }
    #expect(try one.content(mine) == randomContent(10))
    let (outcome, problems) = try one.fetch(rows[0].reference, from: [("c", MemoryContainer())])
    #expect(outcome == .missing && problems.isEmpty)
    #expect(try one.addAsset("s", randomContent(10, 2)).extent?.first == 1)
  }

  /// Claimed files do not use memory either.
  @Test func exportPlanCountsForgedFilesAsAbsent() throws {
    let mine = try one.addAsset("r", randomContent(10))
    let size: Int64 = 1 << 44
    let count = AssetExtent.count(forSize: size, fileSize: one.settings.assetFileSize)
    let claim = AssetReference(
      place: "\(one.instance)/0-\(count - 1)", mime: "x/y", size: size, digest: SHA256.hash([1]))
    try one.put("all", [("a", .asset(claim))])
    let plan = try one.bundles.plan(behind: VersionVector())
    #expect(plan.assetCount == 1 && plan.assetBytes >= mine.size && plan.manifest.absentAssets == count)
  }
}
