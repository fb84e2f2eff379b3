import SeaCore
import SeaTestSupport
import Testing

/// What a databaseID stands for.
@Suite struct DatabaseProofTests {
  private func key(_ k: UInt8) throws -> [UInt8] { try Ed25519.publicKey(seed: [UInt8](repeating: k, count: 32)) }

  private let first = SHA256.hash(Array("first".utf8))

  @Test func isReadAsWritten() throws {
    var names: Set<UUID> = []
    for isSealed in [false, true] {
      for hasMembers in [false, true] {
        for recovery in try [nil, key(2)] where hasMembers || recovery == nil {
          let proof = try #require(
            DatabaseProof(founder: key(1), first: isSealed ? first : nil, hasMembers: hasMembers, recovery: recovery))
          #expect(DatabaseProof(proof.bytes) == proof)
          #expect(proof.database.version == 8)
          #expect(DatabaseProof.holds(proof, for: proof.database))
          #expect(!DatabaseProof.holds(nil, for: proof.database))
          names.insert(proof.database)
        }
      }
    }
    #expect(names.count == 6)
  }

  /// Worked out apart, with hashlib.
  @Test func name() throws {
    let proof = try #require(DatabaseProof(founder: key(1), first: first, hasMembers: true, recovery: key(2)))
    #expect(proof.database.description == "c6189ef4-a3d0-8715-b796-1b53b5d19cf0")
  }

  @Test func whatIsNone() throws {
    let (one, two) = (try key(1), try key(2))
    let low = [UInt8](repeating: 0, count: 32)
    for bytes in [
      [], one, one + [4], one + [0] + two, one + [1], one + [1] + two + two, one + [8], one + [5] + two,
      one + [6] + one,
      low + [0], one + [6] + low, one + [7] + two, one + [7] + two + two.dropLast(), one + [0x82],
    ] {
      #expect(DatabaseProof(bytes) == nil)
    }
    #expect(DatabaseProof(one + [7] + first.bytes + two) != nil)
    #expect(DatabaseProof.holds(nil, for: UUID("3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40")!))
    #expect(!DatabaseProof.holds(nil, for: UUID("3e0d9a52-0c1b-7f6a-8a77-2f5d1c9b6e40")!))
    #expect(!DatabaseProof.holds(DatabaseProof(one + [0]), for: UUID("3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40")!))
  }
}
