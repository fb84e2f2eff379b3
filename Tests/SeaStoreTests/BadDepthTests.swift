import SeaCore
import SeaStore
import SeaTestSupport
import Testing

/// Chain vectors whose revisions claim a depth that their parents do not have: the blocks are kept, the revisions never
/// become leaves, in whatever order they arrive.
@Suite struct BadDepthTests {
  @Test(arguments: Vector.all("chain").filter { $0["expect"] == "bad-depth" })
  func revisionWithBadDepthStaysPending(_ vector: Vector) throws {
    let scratch = try ScratchFolder()
    try Store.create(folder: scratch.path, meta: [])
    let store = try Store(folder: scratch.path, access: .write)
    defer { store.close() }
    var verifier = vector.verifier
    let orders = try vector.blocks.flatMap { block in
      try block.withUnsafeBytes { bytes -> [PurgeOrder] in
        guard try !BlockHeader(bytes).mode.contains(.removed) else { return [] }
        return try BlockReader.payload(ofKept: bytes).controls.compactMap {
          if case .purge(let one) = $0 { one } else { nil }
        }
      }
    }
    try store.write {
      for block in vector.blocks {
        try block.withUnsafeBytes { bytes in
          let header = try verifier.check(bytes)
          let isRemoved = header.mode.contains(.removed)
          let block = VerifiedBlock(
            bytes: bytes, header: header, verifier.head!,
            payload: isRemoved ? nil : try BlockReader.payload(ofKept: bytes))
          _ = try store.intake.append(block, arrived: 0)
          guard isRemoved else { return }
          let order = try #require(orders.first { $0.block.isSame(verifier.head!) })
          let row = try #require(try store.blocks.block(verifier.head!))
          try store.intake.setRemains(PurgedBlockData.encoded(order, in: verifier.head!), of: row)
          _ = try store.intake.release(#require(try store.blocks.block(verifier.head!)))
        }
      }
    }
    #expect(verifier.checkSignature() == nil)
    #expect(try store.records.badDepths().count == 1)
    #expect(try store.records.countWaiting() >= 1)
    #expect(try store.projection.digest() == store.projection.expectedDigest())
  }
}
