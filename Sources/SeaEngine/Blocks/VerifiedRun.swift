import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The one reader of blocks that come from elsewhere: whoever takes blocks in, copies them or looks whether they are sound
/// gives them to it in order, and gets back those that a good signature covers.
///
/// The signature of one block covers all before it back to the last one whose signature was checked, so signatures are checked once for
/// a run. Whether a removed block was ordered is for somebody else to find out.
struct VerifiedRun {
  /// A block that was kept until a signature covers it.
  struct Block {
    let bytes: [UInt8]
    let header: BlockHeader
    let ref: BlockRef
  }

  /// Why a block was refused.
  struct Fault {
    var index: UInt32
    var error: CoreError
    var bytes: [UInt8] = []
  }

  /// A signature is checked after so many blocks or bytes.
  static let mostBlocks = 1000
  static let mostBytes = 8 << 20

  private(set) var verifier: ChainVerifier
  /// What opens block 0 of a sealed chain.
  let keys: KeyRing?
  private let mostBlocks: Int
  /// Those that are kept and not yet handed over.
  private var kept: [Block] = []
  private var blocks = 0
  private var bytes = 0
  /// The first thing that was wrong.
  private(set) var fault: Fault?

  init(_ verifier: ChainVerifier, keys: KeyRing?, mostBlocks: Int = VerifiedRun.mostBlocks) {
    self.verifier = verifier
    self.keys = keys
    self.mostBlocks = mostBlocks
  }

  /// The last block so far.
  var head: BlockRef? { verifier.head }
  /// Whether it is time to check a signature.
  var isDue: Bool { blocks >= mostBlocks || bytes >= VerifiedRun.mostBytes }

  /// The next block of the chain.
  /// - Parameters:
  ///   - keeps: whether its bytes are wanted once they are verified.
  ///   - digests: those of the payload, if somebody else works them out.
  ///   - check: what else must hold for it; what it throws is the block's fault.
  /// - Returns: false if it is refused; `fault` says why.
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

  /// Notes what somebody else found wrong; the first thing counts.
  mutating func refuse(_ fault: Fault) { if self.fault == nil { self.fault = fault } }

  /// Checks the signature of the run so far.
  /// - Returns: the kept blocks that are covered, in order. What no good signature covers is the fault from now on, whatever was wrong
  ///   behind it.
  mutating func takeVerified() -> [Block] {
    defer { (kept, blocks, bytes) = ([], 0, 0) }
    guard let bad = verifier.checkSignature() else { return kept }
    let block = kept.first { $0.header.index == bad }
    fault = Fault(index: bad, error: .badBlock(.badSignature), bytes: block?.bytes ?? [])
    return kept.filter { $0.header.index < bad }
  }
}

extension VerifiedRun {
  /// Why a block is none of a chain, judged by itself: wherever it lies, and whatever it follows.
  /// - Parameters:
  ///   - known: of the chain.
  ///   - key: that of the chain, where `known` has not come to it.
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
    _ = run.takeVerified()
    return run.fault?.error
  }
}

extension SeaFolder {
  /// Goes on behind a block that is known.
  /// - Parameter key: the Ed25519 key of its chain.
  func verifier(behind row: BlockRow, key: [UInt8]) throws -> ChainVerifier {
    try ChainVerifier(database: databaseID, head: row.ref, lamport: row.lamport, key: key, isSealed: isSealed())
  }
}
