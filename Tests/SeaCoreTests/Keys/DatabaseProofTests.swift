import SeaCore
import SeaTestSupport
import Testing

/// What a databaseID stands for.
@Suite struct DatabaseProofTests {
  private func key(_ k: UInt8) throws -> [UInt8] { try Ed25519.publicKey(seed: [UInt8](repeating: k, count: 32)) }

  private let first = SHA256.hash(Array("first".utf8))

  @Test func proofIsReadAsWritten() throws {
    var names: Set<UUID> = []
    for isSealed in [false, true] {
      for hasMembers in [false, true] {
        for recovery in try [nil, key(2)] where hasMembers || recovery == nil {
          let proof = try #require(
            DatabaseProof(
              founder: key(1), contentType: "org.example.notes", first: isSealed ? first : nil, hasMembers: hasMembers,
              recovery: recovery))
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
  @Test func databaseIDMatchesKnownValue() throws {
    let proof = try #require(
      DatabaseProof(founder: key(1), contentType: "org.example.notes", first: first, hasMembers: true, recovery: key(2))
    )
    #expect(proof.database.description == "177e2332-82e6-8460-bbae-8b08bbbd3798")
  }

  @Test func invalidProofIsRefused() throws {
    let (one, two) = (try key(1), try key(2))
    let low = [UInt8](repeating: 0, count: 32)
    func proof(_ key: [UInt8], _ flags: UInt8, _ more: [UInt8] = []) -> [UInt8] { key + [flags] + first.bytes + more }
    for bytes in [
      [], one, one + [0], one + [0] + two.dropLast(), proof(one, 4), proof(one, 0, two), proof(one, 1),
      proof(one, 1, two + two), proof(one, 8), proof(one, 5, two), proof(one, 6, one), proof(low, 0),
      proof(one, 6, low), proof(one, 7, two), proof(one, 7, two + two.dropLast()), proof(one, 0x82),
    ] {
      #expect(DatabaseProof(bytes) == nil)
    }
    #expect(DatabaseProof(proof(one, 7, first.bytes + two)) != nil)
    #expect(DatabaseProof.holds(nil, for: UUID("3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40")!))
    #expect(!DatabaseProof.holds(nil, for: UUID("3e0d9a52-0c1b-7f6a-8a77-2f5d1c9b6e40")!))
    #expect(!DatabaseProof.holds(DatabaseProof(proof(one, 0)), for: UUID("3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40")!))
  }
}
