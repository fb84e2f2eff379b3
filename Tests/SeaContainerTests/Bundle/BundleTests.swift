import SeaContainer
import SeaCore
import SeaSystem
import Testing

@Suite struct BundleTests {
  @Test(arguments: BundleCompression.allCases)
  func contentAndManifestRoundTrip(_ compression: BundleCompression) throws {
    let fixture = BundleFixture()
    let (bytes, digest) = try fixture.write(compression)
    let read = try readBundle(bytes)
    #expect(read.digest == digest)
    var manifest = fixture.manifest
    (manifest.blocks, manifest.assets, manifest.members) = (4, 1, 10)
    manifest.bytes = Int64(fixture.files.reduce(0) { $0 + $1.bytes.count })
    #expect(read.manifest == manifest)
    #expect(read.files.map(\.path) == fixture.files.map(\.path))
    #expect(read.files.map(\.bytes) == fixture.files.map(\.bytes))
    #expect(try fixture.write(compression).bytes == bytes)
  }

  @Test(arguments: BundleCompression.allCases) func everyTruncationIsDetected(_ compression: BundleCompression) throws {
    let (bytes, _) = try BundleFixture([(.info, Array(BundleFixture().manifest.info.text.utf8))]).write(compression)
    for count in 0..<bytes.count {
      let fault = bundleFault(Array(bytes[..<count]))
      switch fault {
      case .truncated: break
      // A start that is too short to be told from anything else.
      case .notABundle where count < 16: break
      // Without its last eight bytes a gzip cannot be told from one whose checksum is wrong.
      case .compression(.damaged) where compression == .gzip && count == bytes.count - 8: break
      default: Issue.record("\(compression) cut to \(count) of \(bytes.count): \(String(describing: fault))")
      }
    }
  }

  @Test(arguments: BundleCompression.allCases) func trailingBytesAreRefused(_ compression: BundleCompression) throws {
    let (bytes, _) = try BundleFixture().write(compression)
    #expect(bundleFault(bytes + [1]) == .trailing)
    #expect(bundleFault(bytes + bytes) == .trailing)
    #expect(bundleFault(bytes + [UInt8](repeating: 0, count: 20)) != nil)
  }
}
