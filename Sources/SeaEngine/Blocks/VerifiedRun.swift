import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Verifies blocks from other sources. Imports, copies and checks all pass their blocks in order, and get back those
/// that a valid signature covers.
///
/// A signature covers all blocks since the last verified signature, so checking one signature per run is enough. Purge
/// orders for purged blocks are not checked.
struct VerifiedRun {
  /// A block that is kept until a verified signature covers it.
  struct Block {
    let bytes: [UInt8]
    let header: BlockHeader
    let ref: BlockRef
  }

  struct Fault {
    var index: UInt32
    var error: CoreError
    var bytes: [UInt8] = []
  }

  /// The number of blocks or bytes after which a signature is checked.
  static let mostBlocks = 1000
  static let mostBytes = 8 << 20

  private(set) var verifier: ChainVerifier
  /// The keys that decrypt block 0 of an encrypted chain.
  let keys: KeyRing?
  private let mostBlocks: Int
  private var kept: [Block] = []
  private var blocks = 0
  private var bytes = 0
  private(set) var fault: Fault?

  init(_ verifier: ChainVerifier, keys: KeyRing?, mostBlocks: Int = VerifiedRun.mostBlocks) {
    self.verifier = verifier
    self.keys = keys
    self.mostBlocks = mostBlocks
  }

  var head: BlockRef? { verifier.head }
  var isDue: Bool { blocks >= mostBlocks || bytes >= VerifiedRun.mostBytes }

  /// - Parameters:
  ///   - keeps: whether to return the block's bytes after verification.
  ///   - digests: the digests of the payload, if they have been computed elsewhere.
  /// - Returns: false if the block is refused; `fault` contains the reason.
  mutating func add(
    _ index: UInt32, _ block: UnsafeRawBufferPointer, keeps: Bool = true, digests: BlockDigests? = nil,
    check: (BlockHeader, ChainVerifier) throws(CoreError) -> Void = { (_, _) throws(CoreError) in }
  ) -> Bool {
    do throws(CoreError) {
      let header = try verifier.check(block, keys: keys, digests: digests)
      try check(header, verifier)
      if keeps { kept.append(Block(bytes: Array(block), header: header, ref: verifier.head!)) }
    } catch {
      refuse(Fault(index: index, error: error, bytes: Array(block)))
      return false
    }
    blocks += 1
    bytes += block.count
    return true
  }

  mutating func refuse(_ fault: Fault) { if self.fault == nil { self.fault = fault } }

  /// Checks the signature of the blocks so far.
  /// - Returns: the kept blocks that the signature covers, in order. An invalid signature becomes the fault, even if a
  ///   later block had another fault.
  mutating func drainVerified() -> [Block] {
    defer { (kept, blocks, bytes) = ([], 0, 0) }
    guard let bad = verifier.checkSignature() else { return kept }
    let block = kept.first { $0.header.index == bad }
    fault = Fault(index: bad, error: .badBlock(.badSignature), bytes: block?.bytes ?? [])
    return kept.filter { $0.header.index < bad }
  }
}

extension VerifiedRun {
  /// Returns the reason why a block cannot belong to a chain, regardless of its position and previous block.
  /// - Parameters:
  ///   - known: a verifier of the chain.
  ///   - key: the key of the chain, if `known` does not have it yet.
  static func fault(
    of bytes: UnsafeRawBufferPointer, _ header: BlockHeader, like known: ChainVerifier, key: [UInt8]? = nil
  ) -> CoreError? {
    let key = key ?? known.key
    var verifier = ChainVerifier(database: known.database, instance: known.instance, knownKey: key)
    if header.index > 0 {
      guard header.lamport > 0 else { return .badBlock(.badLamport) }
      verifier = ChainVerifier(
        database: known.database,
        head: BlockRef(instance: known.instance, index: header.index - 1, digest: header.previous),
        lamport: header.lamport - 1, key: key,
        isSealed: known.head == nil ? header.mode.contains(.sealed) : known.isSealed)
    }
    var run = VerifiedRun(verifier, keys: nil)
    _ = run.add(header.index, bytes, keeps: false)
    _ = run.drainVerified()
    return run.fault?.error
  }
}

extension SeaFolder {
  func verifier(behind row: BlockRow, key: [UInt8]) throws -> ChainVerifier {
    try ChainVerifier(database: databaseID, head: row.ref, lamport: row.lamport, key: key, isSealed: isSealed())
  }
}
