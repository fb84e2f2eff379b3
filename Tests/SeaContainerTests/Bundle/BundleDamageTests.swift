import SeaContainer
import SeaCore
import SeaTestSupport
import Testing

/// Every byte of a bundle, changed: it is refused, or says what it said.
@Suite struct BundleDamageTests {
  private static let fixture = BundleFixture([
    (.info, Array(BundleFixture().manifest.info.text.utf8)),
    (.asset(AssetPlace(instance: BundleFixture.instance, index: 0)), (0..<700).map { UInt8(truncatingIfNeeded: $0) }),
  ])

  @Test(arguments: BundleCompression.allCases)
  func flippedBitNeverChangesContent(_ compression: BundleCompression) throws {
    let (bytes, digest) = try Self.fixture.write(compression)
    var taken = 0
    for k in bytes.indices {
      var other = bytes
      other[k] ^= 1 << UInt8(k % 8)
      guard let read = try? readBundle(other) else { continue }
      taken += 1
      #expect(read.digest == digest, "\(compression), byte \(k)")
      #expect(read.files.map(\.bytes) == Self.fixture.files.map(\.bytes), "\(compression), byte \(k)")
    }
    // Bytes of no meaning: none of a tar, the time and the system in a gzip.
    #expect(taken <= (compression == .none ? 0 : 16), "\(compression): \(taken)")
  }

  @Test func writerRefusesChangedOrUnorderedMembers() throws {
    let fixture = BundleFixture()
    func write(_ change: (Int, inout [BundleMember]) -> Void, _ wrong: [UInt8]? = nil) throws {
      var pass = 0
      _ = try BundleWriter(.none, temporary: ScratchBase.onDisk) { _ in }.write(
        fixture.manifest,
        members: { each in
          var members = fixture.members()
          pass += 1
          change(pass, &members)
          for member in members { try each(member) }
        },
        content: { member, give in
          let bytes = wrong ?? fixture.files.first { $0.path == member.path }?.bytes ?? []
          try bytes.withUnsafeBytes { try give($0) }
        })
    }
    try write { _, _ in }
    let info = BundlePath.info.text
    #expect(throws: BundleError.changedWhileWriting(info)) { try write({ _, _ in }, [1]) }
    #expect(throws: BundleError.changedWhileWriting(info)) { try write({ _, _ in }, fixture.files[0].bytes + [0]) }
    #expect(throws: BundleError.changedWhileWriting("MANIFEST.json")) { try write { if $0 == 2 { $1.removeLast() } } }
    #expect(throws: BundleError.outOfOrder(fixture.files[5].path.text)) { try write { $1.swapAt(5, 6) } }
    #expect(throws: BundleError.outOfOrder(fixture.files[1].path.text)) { try write { $1.removeFirst() } }
    #expect(throws: BundleError.outOfOrder(fixture.files[3].path.text)) { try write { $1.insert($1[3], at: 3) } }
  }

  @Test func memberPathsRoundTrip() {
    for file in BundleFixture().files { #expect(BundlePath(file.path.text) == file.path) }
    let paths = BundleFixture().files.map(\.path)
    #expect(paths.reversed().sorted() == paths)
    let leaf = Layout.Leaf(containing: 17_000)
    let folded = BundlePath.folded(BranchID(BundleFixture.instance), leaf)
    #expect(BundlePath(folded.text) == folded)
    #expect(BundlePath("backup/hooks/.x") == nil)
    #expect(BundlePath("transactions/\(BundleFixture.instance)/4/4/294/967.blocks") == nil)
  }
}
