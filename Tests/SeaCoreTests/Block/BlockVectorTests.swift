import SeaCore
import SeaTestSupport
import Testing

/// Tests/vectors/block and chain: what a reader must take and must refuse, and by which layer.
@Suite struct BlockVectorTests {
  /// What is wrong with the blocks, `ok` if nothing is: the chain first, then its signature, then what is said. A block that is
  /// kept all the same ends nothing.
  static func verdict(_ vector: Vector, _ blocks: [[UInt8]]) -> String {
    var verifier = vector.verifier
    var told: String?
    var clock = OneClock(verifier.head.map { _ in verifier.lamport } ?? 0)
    var removals = Removals()
    for block in blocks {
      do {
        let header = try block.withUnsafeBytes { try verifier.check($0) }
        let content = block.withUnsafeBytes { BlockReader.content(of: $0, of: vector.instance, keys: nil) }
        removals.add(verifier.head!, header, content, block)
        let isRight = clock.follows(header)
        if !isRight { removals.noteWrong(header.index) }
        switch content.fault {
        case nil: if !isRight { told = told ?? "bad-lamport" }
        case .badBlock(let fault): told = told ?? fault.rawValue
        case .notReadable where header.mode.contains(.removed): break
        case .notReadable: told = told ?? "not-readable"
        case let other?: told = told ?? "\(other)"
        }
      } catch CoreError.badBlock(let fault) {
        return verifier.checkSignature() == nil ? fault.rawValue : "bad-signature"
      } catch {
        return "\(error)"
      }
    }
    if verifier.checkSignature() != nil { return "bad-signature" }
    return removals.areSound ? told ?? "ok" : "bad-removal"
  }

  @Test(arguments: Vector.all("block"))
  func blockMatchesVectorVerdict(_ vector: Vector) {
    #expect(BlockVectorTests.verdict(vector, [vector.bytes]) == vector["expect"])
  }

  @Test(arguments: Vector.all("chain").filter { $0["expect"] != "bad-depth" })
  func chainMatchesVectorVerdict(_ vector: Vector) {
    #expect(BlockVectorTests.verdict(vector, vector.blocks) == vector["expect"])
  }

  @Test func noVectorIsMissing() {
    #expect(Vector.all("block").count > 120)
    #expect(Vector.all("chain").count > 20)
  }

  @Test(arguments: Vector.all("block").filter { $0["expect"] == "ok" && $0.headers["hash"] != nil })
  func blockDigestMatchesVector(_ vector: Vector) throws {
    var verifier = vector.verifier
    _ = try vector.bytes.withUnsafeBytes { try verifier.check($0) }
    #expect(verifier.head?.digest.description == vector["hash"])
  }

  /// Every bit of a good block that is flipped is found, and every cut.
  @Test func flippedBitsAndTruncationsAreDetected() throws {
    let vector = try #require(Vector.all("chain").first { $0["name"] == "good" })
    let blocks = vector.blocks
    var verifier = vector.verifier
    for block in blocks.dropLast() { _ = try block.withUnsafeBytes { try verifier.check($0) } }
    let last = try #require(blocks.last)
    for k in 0..<last.count * 8 {
      var flipped = last
      flipped[k / 8] ^= 1 << (k % 8)
      var copy = verifier
      let checked = flipped.withUnsafeBytes { bytes in (try? copy.check(bytes)) != nil }
      #expect(!checked || copy.checkSignature() != nil, "bit \(k) is not covered")
    }
    for k in 0..<last.count {
      var copy = verifier
      #expect(throws: CoreError.badBlock(.truncated)) {
        _ = try Array(last[..<k]).withUnsafeBytes { try copy.check($0) }
      }
    }
  }

  /// A tail that somebody without the key has made does not take the good blocks before it along.
  @Test func forgedLastBlockLeavesEarlierBlocksValid() throws {
    let vector = try #require(Vector.all("chain").first { $0["name"] == "good" })
    var blocks = vector.blocks
    var forged = blocks[blocks.count - 1]
    forged[forged.count - 1] ^= 1
    // A data digest that fits, as anyone can make it.
    forged = resealed(forged)
    blocks[blocks.count - 1] = forged
    var verifier = vector.verifier
    for block in blocks { _ = try block.withUnsafeBytes { try verifier.check($0) } }
    #expect(verifier.checkSignature() == UInt32(blocks.count - 1))
  }
}

/// The clock of one chain, where no head of others is here.
struct OneClock {
  /// That of the last block as long as all are earned.
  private var earned: UInt32?

  init(_ earned: UInt32?) { self.earned = earned }

  /// False for a block whose clock is wrong.
  mutating func follows(_ header: BlockHeader) -> Bool {
    guard let before = earned, header.heads == 0 else {
      earned = nil
      return true
    }
    earned = header.lamport == LamportClock.next(after: before) ? header.lamport : nil
    return earned != nil
  }
}

/// The removed blocks of one chain in a database without members: its author alone may order them.
struct Removals {
  private var removed: [BlockKey] = []
  private var orders: [(author: BlockRef, block: BlockKey)] = []
  /// What is named in the clear by blocks that were not read.
  private var named: Set<BlockKey> = []
  private var wrongFrom: UInt32?

  mutating func add(_ ref: BlockRef, _ header: BlockHeader, _ content: BlockContent, _ block: [UInt8]) {
    if case .noKey = content.fault, let list = block.withUnsafeBytes({ try? ClearList.blocks(of: $0) }) {
      named.formUnion(list.map { BlockKey($0) })
    }
    if header.mode.contains(.removed) { removed.append(BlockKey(ref)) }
    orders += content.orders.map { (ref, BlockKey($0.block)) }
  }

  /// From here on no order counts: what it follows from has a wrong clock.
  mutating func noteWrong(_ index: UInt32) { wrongFrom = min(wrongFrom ?? .max, index) }

  var areSound: Bool {
    let sound = ValidPurges.find(orders) { $0.instance == $1 && $0.index < wrongFrom ?? .max }
    return removed.allSatisfy { sound[$0] != nil || named.contains($0) }
  }
}

extension BlockContent {
  fileprivate var orders: [PurgeOrder] {
    (payload?.controls ?? []).compactMap { if case .purge(let order) = $0 { order } else { nil } }
  }
}
