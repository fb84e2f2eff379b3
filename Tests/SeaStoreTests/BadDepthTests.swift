import SeaCore
import SeaStore
import SeaTestSupport
import Testing

/// Chain vectors whose revisions claim a depth that their parents do not have: the blocks are kept, the revisions never
/// become leaves, in whatever order they arrive.
@Suite struct BadDepthTests {
  /// Revisions of which an order names all but the body are not in the tree yet.
  @Test(arguments: Vector.all("chain").filter { $0["expect"] == "bad-depth" && $0["name"].hasPrefix("order-") })
  func ordered(_ vector: Vector) { withKnownIssue { try staysApart(vector) } }

  @Test(arguments: Vector.all("chain").filter { $0["expect"] == "bad-depth" && !$0["name"].hasPrefix("order-") })
  func staysApart(_ vector: Vector) throws {
    let scratch = try ScratchFolder()
    try Store.create(folder: scratch.path, meta: [])
    let store = try Store(folder: scratch.path, access: .write)
    defer { store.close() }
    var verifier = vector.verifier
    try store.write {
      for block in vector.blocks {
        try block.withUnsafeBytes { bytes in
          let header = try verifier.check(bytes)
          _ = try store.append(
            VerifiedBlock(
              bytes: bytes, header: header, verifier.head!, payload: try BlockReader.payload(ofKept: bytes)),
            arrived: 0)
        }
      }
    }
    #expect(verifier.checkSignature() == nil)
    #expect(try store.records.badDepths().count == 1)
    #expect(try store.records.countWaiting() >= 1)
    #expect(try store.projectionDigest() == store.expectedProjectionDigest())
  }
}
