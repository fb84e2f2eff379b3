import SeaCore
import SeaStore
import SeaTestSupport
import Testing

@Suite struct RebuildTests {
  /// The tables of shapes are made anew, too: a key that was known before must not be used afterwards.
  @Test(arguments: Vector.all("chain").filter { $0["expect"] == "ok" && $0.blocks.count > 1 && isWhole($0) })
  func rebuildInSameTransactionGivesCorrectProjection(_ vector: Vector) throws {
    let scratch = try ScratchFolder()
    try Store.create(folder: scratch.path, meta: [])
    let store = try Store(folder: scratch.path, access: .write)
    defer { store.close() }
    var verifier = vector.verifier
    try store.write {
      for block in vector.blocks {
        try block.withUnsafeBytes { bytes in
          let header = try verifier.check(bytes)
          _ = try store.intake.append(
            VerifiedBlock(
              bytes: bytes, header: header, verifier.head!, payload: try BlockReader.payload(ofKept: bytes)),
            arrived: 0)
        }
        _ = try store.projection.rebuildInTransaction()
      }
    }
    #expect(try store.projection.digest() == store.projection.expectedDigest())
  }

  private static func isWhole(_ vector: Vector) -> Bool {
    vector.blocks.allSatisfy { $0.withUnsafeBytes { (try? BlockHeader($0))?.mode.contains(.removed) == false } }
  }
}
