import SeaCore
import SeaTestSupport
import Testing

/// Tests/vectors/seal: what a reader with and without keys must take and must refuse of sealed chains.
@Suite struct SealVectorTests {
  /// The first thing that is wrong, `no-key` if some keys are there and not the one that is needed, or `ok`.
  static func verdict(_ vector: Vector) throws -> (said: String, head: BlockRef?) {
    let isSealed = vector["sealed"] == "yes"
    let keys = vector["keys"] == "none" ? [] : vector["keys"].split(separator: ",").compactMap { SlotTests.epoch($0) }
    let ring = keys.isEmpty ? nil : KeyRing(database: vector.database, keys: keys)
    var verifier = ChainVerifier(database: vector.database, instance: vector.instance, isSealed: isSealed)
    if let head = vector.verifier.head {
      verifier = ChainVerifier(
        database: vector.database, head: head, lamport: vector.verifier.lamport,
        key: Hex.bytes(vector["key"]), isSealed: isSealed)
    }
    var isMissing = false
    var told: String?
    var clock = OneClock(verifier.head.map { _ in verifier.lamport } ?? 0)
    var removals = Removals(vector.blocks, of: vector.instance, keys: ring)
    for block in vector.blocks {
      do throws(CoreError) {
        let header = try block.checked(by: &verifier, ring)
        if verifier.checkSignature() != nil { return ("bad-signature", nil) }
        isMissing = isMissing || verifier.isAnonymous
        if header.mode == .removed {
          let none = block.withUnsafeBytes { BlockReader.content(of: $0, of: vector.instance, keys: ring) }
          removals.add(verifier.head!, header, none)
          if !clock.follows(header, removals.heads(of: verifier.head!, header)) { told = told ?? "bad-lamport" }
          continue
        }
        guard ring != nil || !header.mode.contains(.sealed) || verifier.key != nil else {
          continue
        }
        let content = block.withUnsafeBytes { BlockReader.content(of: $0, of: vector.instance, keys: ring) }
        removals.add(verifier.head!, header, content)
        if !clock.follows(header, content.heads) { told = told ?? "bad-lamport" }
        switch content.fault {
        case nil: break
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
  func vector(_ vector: Vector) throws {
    let (said, head) = try Self.verdict(vector)
    #expect(said == vector["expect"])
    if said == "ok" { #expect(head.map { "\($0.index) \($0.digest)" } == vector["head"]) }
  }

  @Test func theyAreThere() { #expect(Vector.all("seal").count >= 84) }
}

extension [UInt8] {
  fileprivate func checked(by verifier: inout ChainVerifier, _ keys: KeyRing?) throws(CoreError) -> BlockHeader {
    try withUnsafeBytes { bytes in
      Result<BlockHeader, CoreError> { () throws(CoreError) in try verifier.check(bytes, keys: keys) }
    }.get()
  }
}
