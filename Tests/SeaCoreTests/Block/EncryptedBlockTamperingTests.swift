import SeaCore
import SeaTestSupport
import Testing

/// Sealed blocks in which something was changed: who refuses them, for every place.
@Suite struct EncryptedBlockTamperingTests {
  private let identity: Identity
  private let keys: KeyRing
  private let first: [UInt8]
  private let second: [UInt8]

  init() throws {
    identity = try Identity(
      signingSeed: SHA256.hash(Array("sign".utf8)).bytes, exchangeSeed: SHA256.hash(Array("exchange".utf8)).bytes)
    let other = try Identity(
      signingSeed: SHA256.hash(Array("other".utf8)).bytes, exchangeSeed: SHA256.hash(Array("more".utf8)).bytes)
    let key = try #require(EpochKey(number: 1, bytes: [UInt8](0..<32)))
    keys = KeyRing(
      try #require(
        DatabaseProof(founder: identity.key, contentType: "org.example.notes", first: key.digest, hasMembers: false)),
      keys: [key])
    let controls: [ControlEntry] = [
      .instance(name: "field", key: identity.key, exchange: try identity.exchangeKey()),
      .epoch(try EpochChange(epoch: 1, key: .zero, slots: [SHA256.hash(Array("slot".utf8))])),
      .authorize(try Authorization(key: other.key, exchange: other.exchangeKey(), role: .write)),
    ]
    let (keys, identity) = (keys, identity)
    func block(_ previous: BlockRef?, _ controls: [ControlEntry]) throws -> (bytes: [UInt8], head: BlockRef) {
      var builder = BlockBuilder(reservedSize: 4096)
      if previous != nil {
        _ = try Array("site/north".utf8).withUnsafeBufferPointer { id in
          try builder.add(id: id, type: nil, parent: nil, kind: .delete, body: nil, hasReferences: false)
        }
      }
      let sealing = Sealing(keys: keys, key: key, random: [UInt8](repeating: 7, count: 32))
      return try builder.finish(
        database: keys.database, identity: identity, previous: previous, lamport: previous == nil ? 7 : 9,
        time: 1_767_225_600_000, label: nil, controls: controls, sealing: sealing
      ) { block, _ in (Array(block.bytes), block.head) }
    }
    let genesis = try block(nil, controls)
    first = genesis.bytes
    second = try block(genesis.head, []).bytes
  }

  /// What a reader with the key says of a block behind those before it; nil if it takes it.
  private func verdict(_ block: [UInt8], after before: [[UInt8]]) -> String? {
    do throws(CoreError) {
      var verifier = ChainVerifier(database: keys.database, instance: identity.instance)
      for one in before + [block] {
        _ = try one.withUnsafeBufferPointer { bytes throws(CoreError) in
          try verifier.check(UnsafeRawBufferPointer(bytes), keys: keys)
        }
      }
      if verifier.isAnonymous { return "no-key" }
      if verifier.checkSignature() != nil { return "bad-signature" }
      _ = try block.withUnsafeBufferPointer { bytes throws(CoreError) in
        try BlockReader.open(UnsafeRawBufferPointer(bytes), of: identity.instance, keys: keys)
      }
      return nil
    } catch .badBlock(let fault) {
      return fault.rawValue
    } catch .noKey {
      return "no-key"
    } catch {
      return "\(error)"
    }
  }

  private enum Forger {
    /// Changes bits.
    case nobody
    /// Has the digest of the payload follow, as anyone can.
    case stranger
    /// Signs it anew: an author whose program is broken, or who has no key of the epoch.
    case author
  }

  private func changed(_ block: [UInt8], bit: Int, by forger: Forger) throws -> [UInt8] {
    var bytes = block
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    if forger == .nobody { return bytes }
    guard
      let (header, digests) = bytes.withUnsafeBytes({ bytes in
        BlockDigests(bytes).flatMap { digests in (try? BlockHeader(bytes)).map { ($0, digests) } }
      })
    else { return bytes }
    if forger == .author {
      let covered = SignedMessage.covered(header, heads: digests.heads, content: digests.content)
      let message = SignedMessage.bytes(database: keys.database, instance: identity.instance, covered)
      let signature = try Ed25519.sign(message, seed: identity.signingSeed, key: identity.key)
      bytes.replaceSubrange((bytes.count - Payload.signatureSize)..., with: signature)
    }
    return resealed(bytes)
  }

  /// Every bit of a range, and what is said of it.
  private func expect(
    _ slugs: Set<String>, _ range: Range<Int>, of block: [UInt8], after before: [[UInt8]], by forger: Forger = .nobody
  ) throws {
    for bit in range.lowerBound * 8..<range.upperBound * 8 {
      let said = try verdict(changed(block, bit: bit, by: forger), after: before)
      #expect(said.map(slugs.contains) == true, "bit \(bit % 8) of byte \(bit / 8), \(forger): \(said ?? "taken")")
    }
  }

  @Test func unchangedBlocksAreAccepted() {
    #expect(verdict(first, after: []) == nil && verdict(second, after: [first]) == nil)
  }

  @Test func everyBitFlipInLaterBlockIsRefused() throws {
    let (block, before) = (second, [first])
    try expect(["bad-magic"], 0..<3, of: block, after: before)
    // With the bit of compression its author has not signed it.
    try expect(["bad-mode", "bad-signature", "bad-size"], 3..<4, of: block, after: before)
    try expect(["truncated", "bad-size"], 4..<8, of: block, after: before)
    try expect(["bad-index", "bad-mode"], 8..<12, of: block, after: before)
    try expect(["bad-lamport", "bad-signature"], 12..<16, of: block, after: before)
    try expect(["bad-data", "bad-size"], 16..<20, of: block, after: before)
    try expect(["bad-signature", "bad-size", "bad-payload"], 16..<20, of: block, after: before, by: .stranger)
    try expect(["bad-prev"], 20..<52, of: block, after: before)
    try expect(["bad-data"], 52..<block.count, of: block, after: before)
    // `data` stands in nothing that is signed: it is what it is.
    try expect(["bad-signature"], 84..<block.count, of: block, after: before, by: .stranger)
    let cut = block.count - Payload.signatureSize
    try expect(["no-key"], 84..<116, of: block, after: before, by: .author)
    try expect(["bad-tag"], 116..<cut, of: block, after: before, by: .author)
    try expect(["bad-lamport", "bad-tag"], 12..<16, of: block, after: before, by: .author)
  }

  /// Its key is known only when it is open, so the tag comes before the signature. It has the entries by which an
  /// instance is let in, and an epoch begins.
  @Test func everyBitFlipInFirstBlockIsRefused() throws {
    let block = first
    try expect(["bad-magic"], 0..<3, of: block, after: [])
    try expect(["bad-mode", "bad-signature", "bad-payload"], 3..<4, of: block, after: [])
    try expect(["truncated", "bad-size"], 4..<8, of: block, after: [])
    try expect(["bad-index"], 8..<12, of: block, after: [])
    try expect(["bad-tag"], 12..<16, of: block, after: [])
    try expect(["bad-data", "bad-size"], 16..<20, of: block, after: [])
    try expect(["bad-tag"], 20..<52, of: block, after: [])
    try expect(["bad-data"], 52..<block.count, of: block, after: [])
    let cut = block.count - Payload.signatureSize
    for forger in [Forger.stranger, .author] {
      try expect(["no-key"], 84..<116, of: block, after: [], by: forger)
      try expect(["bad-tag"], 116..<cut, of: block, after: [], by: forger)
    }
    try expect(["bad-signature"], cut..<block.count, of: block, after: [], by: .stranger)
    try expect(["bad-tag"], 12..<16, of: block, after: [], by: .author)
    try expect(["bad-tag"], 20..<52, of: block, after: [], by: .author)
  }

  @Test func truncatedOrExtendedBlockIsRefused() {
    for (block, before) in [(first, []), (second, [first])] {
      for size in 0..<block.count { #expect(verdict(Array(block[..<size]), after: before) == "truncated", "\(size)") }
      #expect(verdict(block + [0], after: before) == "bad-size")
    }
  }

  /// A good block elsewhere: in another chain, another place, another database.
  @Test func movedBlockIsRefused() throws {
    #expect(verdict(first, after: [first]) == "bad-index" && verdict(second, after: []) == "bad-index")
    let other = try #require(
      DatabaseProof(founder: identity.key, contentType: "org.example.notes", first: keys.first, hasMembers: true))
    for (proof, instance) in [(other, identity.instance), (keys.proof, UUID(high: 1, low: 2))] {
      var verifier = ChainVerifier(database: proof.database, instance: instance)
      let ring = KeyRing(proof, keys: keys.all)
      #expect(throws: CoreError.badBlock(.badTag)) {
        _ = try first.withUnsafeBytes { try verifier.check($0, keys: ring) }
      }
    }
  }
}
