import SeaCore
import SeaTestSupport
import Testing

/// Tests/vectors/seal: what a reader with and without keys must take and must refuse of sealed chains.
@Suite struct EncryptedBlockVectorTests {
  /// The first thing that is wrong, `no-key` if some keys are there and not the one that is needed, or `ok`.
  static func verdict(_ vector: Vector) throws -> (said: String, head: BlockRef?) {
    let isSealed = vector["sealed"] == "yes"
    let keys = vector["keys"] == "none" ? [] : vector["keys"].split(separator: ",").compactMap { SlotTests.epoch($0) }
    let proof = isSealed ? Hex.bytes(vector["proof"]).flatMap { DatabaseProof($0) } : nil
    let ring = keys.isEmpty ? nil : proof.map { KeyRing($0, keys: keys) }
    var verifier = ChainVerifier(database: vector.database, instance: vector.instance, isSealed: isSealed)
    if let head = vector.verifier.head {
      verifier = ChainVerifier(
        database: vector.database, head: head, lamport: vector.verifier.lamport,
        key: Hex.bytes(vector["key"]), isSealed: isSealed)
    }
    var isMissing = false
    var told: String?
    var clock = OneClock(verifier.head.map { _ in verifier.lamport } ?? 0)
    var removals = Removals()
    for block in vector.blocks {
      do throws(CoreError) {
        let header = try block.checked(by: &verifier, ring)
        if verifier.checkSignature() != nil { return ("bad-signature", nil) }
        isMissing = isMissing || verifier.isAnonymous
        let isRight = clock.follows(header)
        let content = block.withUnsafeBytes { BlockReader.content(of: $0, of: vector.instance, keys: ring) }
        removals.add(verifier.head!, header, content, block)
        if header.mode.contains(.removed) {
          if !isRight { told = told ?? "bad-lamport" }
          continue
        }
        guard ring != nil || !header.mode.contains(.sealed) || verifier.key != nil else { continue }
        switch content.fault {
        case nil: if !isRight { told = told ?? "bad-lamport" }
        case .badBlock(let fault): told = told ?? fault.rawValue
        case .notReadable: told = told ?? "not-readable"
        default: isMissing = true
        }
      } catch .badBlock(let fault) {
        return (fault.rawValue, nil)
      } catch .noKey {
        isMissing = true
      } catch {
        return ("\(error)", nil)
      }
    }
    if !removals.areSound { return ("bad-removal", verifier.head) }
    return (told ?? (isMissing && ring != nil ? "no-key" : "ok"), verifier.head)
  }

  @Test(arguments: Vector.all("seal"))
  func blocksMatchVectorVerdict(_ vector: Vector) throws {
    let (said, head) = try Self.verdict(vector)
    #expect(said == vector["expect"])
    if said == "ok" { #expect(head.map { "\($0.index) \($0.digest)" } == vector["head"]) }
  }

  @Test func noVectorIsMissing() { #expect(Vector.all("seal").count >= 84) }

  /// One ciphertext and tag that two keys open: it says what the key says that it names, whatever other keys are here.
  @Test func blockOpensOnlyWithNamedKey() throws {
    let vector = try #require(Vector.all("seal").first { $0["name"] == "crafted-for-two-keys" })
    let proof = try #require(Hex.bytes(vector["proof"]).flatMap { DatabaseProof($0) })
    let keys = vector["keys"].split(separator: ",").compactMap { SlotTests.epoch($0) }
    #expect(keys.count == 2 && Set(keys.map(\.number)) == [1])
    let block = try #require(vector.blocks.first)
    let names = vector.database.bytes + vector.instance.bytes
    let additional = names + block[..<BlockHeader.signedPart] + proof.first!.bytes
    let iv = Array(block[(BlockHeader.size + Digest.size)...].prefix(AESGCM.ivSize))
    let sealed = Array(block[(BlockHeader.size + Digest.size + AESGCM.ivSize)...].dropLast(Payload.signatureSize))
    var said: Set<[UInt8]> = []
    try block.withUnsafeBytes { bytes in
      for key in keys {
        let secret = try HKDF.key(key.bytes, info: Array("sea block v1".utf8) + names)
        said.insert(try #require(AESGCM.open(sealed, key: secret, iv: iv, additional: additional)))
      }
      #expect(said.count == 2)
      for ring in [KeyRing(proof, keys: keys), KeyRing(proof, keys: keys.reversed())] {
        let open = try BlockReader.open(bytes, of: vector.instance, keys: ring)
        #expect(open.payload.changes.count == 1 && said.contains(Array(open.clear![BlockHeader.size...])))
      }
      let other = KeyRing(proof, keys: keys.filter { $0.digest != proof.first })
      #expect(throws: CoreError.noKey(proof.first!)) {
        try BlockReader.open(bytes, of: vector.instance, keys: other)
      }
    }
  }
}

extension [UInt8] {
  fileprivate func checked(by verifier: inout ChainVerifier, _ keys: KeyRing?) throws(CoreError) -> BlockHeader {
    try withUnsafeBytes { bytes in
      Result<BlockHeader, CoreError> { () throws(CoreError) in try verifier.check(bytes, keys: keys) }
    }.get()
  }
}
