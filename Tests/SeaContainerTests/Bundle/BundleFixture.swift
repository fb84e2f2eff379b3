import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport

/// A bundle in memory: what goes in, and what came out.
struct BundleFixture {
  static let database = UUID("3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40")!
  static let instance = UUID("3d8ea140-cc4f-89ae-9c4e-f5533916077d")!
  static let other = UUID("11c54ef3-ad5c-8f31-9581-ea4aa1a79806")!

  var manifest: BundleManifest
  var files: [(path: BundlePath, bytes: [UInt8])]

  init(_ files: [(path: BundlePath, bytes: [UInt8])]? = nil) {
    let chain = BranchID(Self.instance)
    let key = [UInt8](repeating: 7, count: 32)
    manifest = BundleManifest(
      database: Self.database, contentType: "org.example.notes", proof: nil, from: Self.instance,
      name: "fïeld \"1\"\n", absentAssets: 2,
      base: [BundleHead(BlockRef(chain, index: 1, digest: SHA256.hash([1])), lamport: 5, key: key)],
      heads: [BundleHead(BlockRef(chain, index: 4, digest: SHA256.hash([4])))])
    let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) }
    self.files =
      files ?? [
        (.info, Array(manifest.info.text.utf8)),
        (.key(SHA256.hash([9]).description), [1, 2, 3]),
        (.request(Self.other.description), []),
        (.block(BranchID(Self.other, fork: ForkID(high: 0, low: 7)), 1001), Self.block(512)),
        (.block(chain, 2), Self.block(200)),
        (.block(chain, 3), Self.block(511)),
        (.block(chain, 4), Self.block(513)),
        (.asset(AssetPlace(instance: Self.instance, index: 1000)), content),
        (.backup("config"), [5]),
        (.backup("hooks/pre-put"), [6]),
      ]
  }

  /// Bytes of that number that a bundle takes for a block.
  private static func block(_ count: Int) -> [UInt8] {
    let header = BlockHeader(
      mode: .signed, payloadSize: UInt32(count - BlockHeader.size), index: 1, lamport: 1, previous: .zero, data: .zero)
    return header.encoded() + [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count - BlockHeader.size)
  }

  func members() -> [BundleMember] {
    files.map { BundleMember(path: $0.path, size: Int64($0.bytes.count), sha256: SHA256.hash($0.bytes)) }
  }

  func write(_ compression: BundleCompression) throws -> (bytes: [UInt8], digest: Digest) {
    var bytes: [UInt8] = []
    let digest = try BundleWriter(compression, temporary: ScratchBase.onDisk) { bytes.append(contentsOf: $0) }.write(
      manifest, members: { each in for member in members() { try each(member) } },
      content: { member, give in
        let file = files.first { $0.path == member.path }
        try file?.bytes.withUnsafeBytes { try give($0) }
      })
    return (bytes, digest)
  }
}

/// Keeps what a bundle has.
final class Keeper: BundleVisitor {
  var files: [(path: BundlePath, bytes: [UInt8])] = []
  var ended = 0

  func begin(_ member: BundleMember) { files.append((member.path, [])) }
  func bytes(_ bytes: UnsafeRawBufferPointer) { files[files.count - 1].bytes.append(contentsOf: bytes) }
  func end(_ member: BundleMember) { ended += 1 }
}

/// Reads a bundle from memory, through a file.
func readBundle(
  _ bytes: [UInt8]
) throws -> (manifest: BundleManifest, digest: Digest, files: [(path: BundlePath, bytes: [UInt8])]) {
  let file = try File.nameless(in: ScratchBase.onDisk)
  try file.write(bytes)
  try file.seek(to: 0)
  let keeper = Keeper()
  let (manifest, digest) = try BundleReader(.stream(file), temporary: ScratchBase.onDisk).read(keeper)
  return (manifest, digest, keeper.files)
}

func bundleFault(_ bytes: [UInt8]) -> BundleError? {
  do {
    _ = try readBundle(bytes)
    return nil
  } catch { return error as? BundleError }
}
