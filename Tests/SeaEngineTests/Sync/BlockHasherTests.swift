import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Digests computed by other threads: they are the same and in the same order for any number of threads.
@Suite struct BlockHasherTests {
  private static func blocks(_ seed: UInt64, _ sizes: [Int]) -> [[UInt8]] {
    var random = SeededRandom(seed)
    return sizes.enumerated().map { at, size in
      let payload = random.bytes(16) + [UInt8](repeating: UInt8(at % 251), count: size - 16)
      let header = BlockHeader(
        mode: at % 3 == 0 ? [.signed, .control] : .signed, payloadSize: UInt32(size), index: UInt32(at),
        lamport: UInt32(at + 1), previous: .zero, data: SHA256.hash(payload))
      return header.encoded() + payload
    }
  }

  /// Small sizes, some that fill a batch, and one larger than any batch.
  private static func sizes(_ seed: UInt64) -> [Int] {
    var random = SeededRandom(seed)
    return (0..<300).map { at in
      at == 150 ? 600_000 : at % 100 == 7 ? 200_000 : Int.random(in: 66...9000, using: &random)
    }
  }

  @Test(arguments: [1, 2, 3, 4, 9, 64]) func blocksArriveOnceAndInOrder(cores: Int) throws {
    let blocks = Self.blocks(7, Self.sizes(7))
    let hasher = BlockHasher(cores: cores)
    var seen: [UInt32] = []
    var elsewhere = 0
    func receive(_ index: UInt32, _ block: UnsafeRawBufferPointer, _ digest: BlockDigests?, _ clear: [UInt8]?) -> Bool {
      seen.append(index)
      if digest != nil { elsewhere += 1 }
      let want = SHA256.hash(blocks[Int(index)])
      #expect(SHA256.hash(block) == want)
      #expect(clear == [UInt8(index % 200)])
      return true
    }
    for (index, block) in blocks.enumerated() {
      #expect(block.withUnsafeBytes { hasher.add(UInt32(index), $0, clear: [UInt8(index % 200)], receive) })
    }
    #expect(hasher.drain(receive))
    #expect(seen == (0..<UInt32(blocks.count)).map { $0 })
    #expect(cores == 1 ? elsewhere == 0 : elsewhere > blocks.count / 2)
  }

  @Test(arguments: [2, 5]) func hasherStopsWhenReceiverStops(cores: Int) {
    let blocks = Self.blocks(9, Self.sizes(9))
    let hasher = BlockHasher(cores: cores)
    var seen = 0
    func receive(_ index: UInt32, _ block: UnsafeRawBufferPointer, _ digest: BlockDigests?, _ clear: [UInt8]?) -> Bool {
      seen += 1
      return index < 99
    }
    for (index, block) in blocks.enumerated() {
      guard block.withUnsafeBytes({ hasher.add(UInt32(index), $0, clear: nil, receive) }) else { break }
    }
    #expect(!hasher.drain(receive))
    #expect(seen == 100)
  }

  /// A verifier accepts digests that were computed elsewhere as if it had computed them.
  @Test func verifierFindsSameFaultsWithPrecomputedDigests() throws {
    var chain = try ForeignChain("one", .random(), in: MemoryContainer())
    for n in 0..<20 {
      try chain.add([ForeignChain.Revision(.dictionary(Members([("n", .integer(Int64(n)))])), id: "r\(n)")])
    }
    for spoilt in [nil, 5, 12] as [UInt32?] {
      var faults: [[String]] = []
      for usesDigests in [false, true] {
        var verifier = ChainVerifier(database: chain.database, instance: chain.identity.instance)
        var found: [String] = []
        _ = try chain.container.readBlocks(of: BranchID(chain.identity.instance), from: 0) { index, block in
          var bytes = Array(block)
          if index == spoilt { bytes[bytes.count - 90] ^= 1 }
          bytes.withUnsafeBytes { block in
            let digests = usesDigests ? BlockDigests(block) : nil
            do throws(CoreError) {
              _ = try verifier.check(block, digests: digests)
            } catch { found.append("\(index) \(error)") }
          }
          return found.isEmpty
        }
        found.append("\(verifier.checkSignature().map { Int($0) } ?? -1) \(verifier.nextIndex)")
        faults.append(found)
      }
      #expect(faults[0] == faults[1])
      #expect(faults[0].count == (spoilt == nil ? 1 : 2))
    }
  }
}
