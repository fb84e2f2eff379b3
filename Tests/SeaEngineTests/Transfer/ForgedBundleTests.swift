import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// A writer to an exchange folder adds bundles with valid checksums but invalid content.
@Suite(.plainAndSealed) struct ForgedBundleTests {
  private let world: SyncWorld
  private let one: Database
  private let kit: BundleDirectory
  private let good = "birds-one-0001-full.sea.tar"
  private let forged = "birds-one-0002-full.sea.tar"

  init() throws {
    world = try SyncWorld()
    world.settings.assetFileSize = 1 << 16
    one = try world.instance("one")
    for n in 0..<3 { try one.put("r", [("n", .integer(Int64(n)))]) }
    try one.addAsset("p", randomContent(5000))
    try Path.createDirectories(world.scratch.path("kit"))
    kit = try BundleDirectory(world.scratch.path("kit"))
  }

  private func write(_ name: String, backup: Bool = false) throws {
    _ = try one.bundles.export(
      one.bundles.plan(behind: VersionVector(), backup: backup), .none, to: Path.join(kit.location, name),
      volumeSize: nil,
      replace: false, verifies: false)
  }

  /// Writes a bundle of everything with changed members and valid checksums.
  private func forge(
    backup: Bool = false, _ change: (BundlePath, inout [UInt8]) -> Void = { _, _ in }
  ) throws {
    let plan = try one.bundles.plan(behind: VersionVector(), backup: backup)
    let content = ExportContent(one.assets, plan)
    var members: [(member: BundleMember, bytes: [UInt8])] = []
    try content.forEachMember { member in
      var bytes: [UInt8] = []
      try content.content(member) { bytes += $0 }
      change(member.path, &bytes)
      let changed = BundleMember(path: member.path, size: Int64(bytes.count), sha256: SHA256.hash(bytes))
      members.append((changed, bytes))
    }
    var file: [UInt8] = []
    let writer = try BundleWriter(.none, temporary: world.scratch.path("one/.sea")) { file += $0 }
    func forEach(_ each: (BundleMember) throws -> Void) throws { for one in members { try each(one.member) } }
    _ = try writer.write(plan.manifest, members: forEach) { member, give in
      try members.first { $0.member == member }!.bytes.withUnsafeBytes { try give($0) }
    }
    try world.scratch.write("kit/" + forged, file)
  }

  private func removeGood() throws { try Path.remove(Path.join(kit.location, good)) }

  /// The bundles to delete and the blocks to export if only the newest bundle is kept.
  private func outcome() throws -> (removed: [String], unreadable: [String], isNews: Bool, assets: Int) {
    let survey = try one.bundles.survey(kit)
    let plan = try one.bundles.retention.plan(Retention(), in: survey) { _ in 0 }
    let export = try one.bundles.plan(behind: survey.frontier, except: survey.assets)
    return (plan.removed.map(\.bundle.name), survey.unreadable.map(\.name), export.isNews, export.assetCount)
  }

  @Test func completeBundleSupersedesOlderBundle() throws {
    try write(good)
    try forge()
    #expect(try outcome() == ([good], [], false, 0))
  }

  @Test func changedMiddleBlockMakesBundleUnreadable() throws {
    try write(good)
    try forge { path, bytes in if path.blocks?.first == 2 { bytes[bytes.count - 1] ^= 1 } }
    let found = try outcome()
    #expect(found.removed == [] && found.unreadable == [forged])
    try removeGood()
    #expect(try outcome().isNews)
  }

  @Test func changedLastBlockMakesBundleUnreadable() throws {
    try write(good)
    try forge { path, bytes in if path.blocks?.first == 4 { bytes[bytes.count - 1] ^= 1 } }
    let found = try outcome()
    #expect(found.removed == [] && found.unreadable == [forged])
  }

  /// A purged block has the hash of the original, but not its content.
  @Test func purgedBlocksDoNotCountAsExported() throws {
    try write(good)
    try forge { path, bytes in
      guard let index = path.blocks?.first, index > 0 else { return }
      bytes.withUnsafeBytes { try? BlockHeader($0).removed($0) }.map { bytes = $0 }
    }
    let found = try outcome()
    #expect(found.removed == [] && found.unreadable == [])
    try removeGood()
    #expect(try outcome().isNews)
  }

  @Test func changedAssetDoesNotCountAsExported() throws {
    try write(good)
    try forge { path, bytes in if case .asset = path { bytes[100] ^= 1 } }
    #expect(try outcome().removed == [])
    try removeGood()
    #expect(try one.bundles.survey(kit).assets == [])
  }

  /// The files match the manifest; whether they match the records is checked separately.
  @Test func verifyFindsAssetsDifferingFromRecords() throws {
    try one.addAsset("q", randomContent(200_000))
    func verify(_ name: String) throws -> (report: AssetReport, problems: [Problem])? {
      try Verification.bundle(
        .file(path: Path.join(kit.location, name)), named: name, temporary: world.scratch.path("one/.sea"),
        readsPayloads: false, readsAssets: true, assetKeys: one.keychain.availableKeyRing()
      ).checked
    }
    try write(good)
    let whole = try #require(try verify(good))
    #expect(whole.report.good == 2 && whole.report.unnamed == 0 && whole.report.unopened == 0)
    #expect(whole.problems.isEmpty)
    var count = 0
    try forge { path, bytes in
      guard case .asset = path else { return }
      count += 1
      if count == 1 || count == 4 { bytes[100] ^= 1 }
    }
    #expect(count > 4)
    let changed = try #require(try verify(forged))
    #expect(changed.report.good == 0 && changed.report.problems == 2)
    #expect(changed.problems.allSatisfy { $0.code == .badAsset && $0.isDamage })
  }

  @Test func bundleWithOtherSettingsSupersedesNothing() throws {
    try world.scratch.write("one/.sea/hooks/pre-commit", Array("true".utf8))
    try write(good, backup: true)
    try forge(backup: true) { path, bytes in if case .backup = path { bytes += [0x0A] } }
    #expect(try outcome().removed == [])
    // The current settings and hooks are enough; their earlier state does not matter.
    try forge(backup: true)
    #expect(try outcome().removed == [good])
    try world.scratch.write("one/.sea/hooks/pre-commit", Array("false".utf8))
    #expect(try outcome().removed == [good])
    try forge(backup: true)
    #expect(try outcome().removed == [good])
  }
}
