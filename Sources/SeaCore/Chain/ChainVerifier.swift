/// Verifies the blocks of one chain in sequence, without reading payloads.
///
/// If block 0 is encrypted and its key is missing, only digests are verified, but not the author or the database. In
/// this case, `isAnonymous` is true.
///
/// Digests link the blocks of a run, so only the run's last signature is verified. Call `checkSignature()` at the end
/// of every run before trusting its blocks. Removed blocks are verified, too.
package struct ChainVerifier: Sendable {
  package let database: UUID
  package let instance: UUID
  /// The chain's Ed25519 key; nil if block 0 has not been read yet or cannot be read.
  package private(set) var key: [UInt8]?
  private var knownKey: [UInt8]?
  package private(set) var isSealed = false
  /// Whether the database is encrypted; nil if this is unknown before the chain's first block is read.
  private var expectsSealed: Bool?
  package private(set) var head: BlockRef?
  package private(set) var lamport: UInt32 = 0
  /// The covered bytes and the signature of each block in the run, in rows of equal length.
  private var unsigned: [UInt8] = []
  private static let rowSize = SignedMessage.coveredSize + Payload.signatureSize

  /// - Parameter knownKey: the chain's key from an earlier read of block 0, if block 0 is now unreadable.
  package init(database: UUID, instance: UUID, knownKey: [UInt8]? = nil, isSealed: Bool? = nil) {
    expectsSealed = isSealed
    self.database = database
    self.instance = instance
    self.knownKey = knownKey
  }

  /// Continues a chain after a verified block.
  /// - Parameter key: the key of the chain; nil if unknown, in which case the author is not verified.
  package init(database: UUID, head: BlockRef, lamport: UInt32, key: [UInt8]?, isSealed: Bool = false) {
    self.database = database
    self.isSealed = isSealed
    instance = head.instance
    self.head = head
    self.lamport = lamport
    self.key = key
  }

  package var isAnonymous: Bool { head != nil && key == nil }

  package var nextIndex: UInt32 { head.map { $0.index &+ 1 } ?? 0 }

  /// Verifies one complete block against the head, then makes the block the new head. An error leaves the verifier
  /// unchanged.
  /// - Parameters:
  ///   - keys: the keys for block 0 of an encrypted chain.
  /// - digests: the digests of the payload, if they have already been computed.
  package mutating func check(
    _ block: UnsafeRawBufferPointer, keys: KeyRing? = nil, digests: BlockDigests? = nil
  ) throws(CoreError) -> BlockHeader {
    let header = try BlockHeader(block)
    if let kind = head == nil ? expectsSealed : isSealed, header.mode.contains(.sealed) != kind {
      throw .badBlock(.badMode)
    }
    guard !header.mode.contains(.sealed) || header.wholeSize > header.contentStart + SealedBlock.overhead else {
      throw .badBlock(.badSize)
    }
    guard block.count >= header.blockSize else { throw .badBlock(.truncated) }
    guard block.count == header.blockSize else { throw .badBlock(.badSize) }
    guard header.index == nextIndex, header.index != .max else { throw .badBlock(.badIndex) }
    guard head == nil || header.lamport > lamport || (lamport == .max && header.lamport == .max) else {
      throw .badBlock(.badLamport)
    }
    if let head { guard header.previous == head.digest else { throw .badBlock(.badPrevious) } }

    let digests = digests ?? BlockDigests(block, header)
    guard digests.data == header.data else { throw .badBlock(.badData) }
    guard header.heads == 0 || header.areSound(header.heads(in: block), of: instance) else {
      throw .badBlock(.badPayload)
    }

    if head == nil {
      key = try announcedKey(header, block, keys) ?? knownKey
      isSealed = header.mode.contains(.sealed)
    }
    guard header.mode.contains(.signed) else { throw .badBlock(.badSignature) }
    unsigned += SignedMessage.covered(header, heads: digests.heads, content: digests.content)
    // A sequence's `suffix` would visit every byte of the block.
    unsigned += block[(block.count - Payload.signatureSize)...]
    head = BlockRef(instance: instance, index: header.index, digest: header.hash)
    lamport = header.lamport
    return header
  }

  /// Verifies the signature of the last block, which vouches for all blocks since the previous call.
  /// - Returns: nil if the signature is valid, otherwise, the index of the first block for which no valid signature
  ///   vouches.
  package mutating func checkSignature() -> UInt32? {
    defer { unsigned.removeAll(keepingCapacity: true) }
    let rows = unsigned.count / ChainVerifier.rowSize
    guard let key, let head, rows > 0, !isSigned(rows - 1, key) else { return nil }
    // The last valid signature vouches for all earlier blocks in the run.
    let covered = (0..<rows).last { isSigned($0, key) }.map { $0 + 1 } ?? 0
    return head.index - UInt32(rows - 1 - covered)
  }

  private func isSigned(_ row: Int, _ key: [UInt8]) -> Bool {
    let start = row * ChainVerifier.rowSize
    let end = start + SignedMessage.coveredSize
    let message = SignedMessage.bytes(database: database, instance: instance, unsigned[start..<end])
    return Ed25519.verify(Array(unsigned[end..<end + Payload.signatureSize]), message, key: key)
  }

  /// Returns the key in block 0, which must match the instance id and the block's `previous`.
  /// - Returns: nil if the block is encrypted and cannot be opened with the available keys.
  private func announcedKey(
    _ header: BlockHeader, _ block: UnsafeRawBufferPointer, _ keys: KeyRing?
  ) throws(CoreError) -> [UInt8]? {
    let isSealed = header.mode.contains(.sealed)
    let read: Payload
    do throws(CoreError) {
      read = try BlockReader.open(block, of: instance, keys: keys).payload
    } catch .noKey {
      return nil
    } catch .badBlock(.badTag) {
      throw .badBlock(.badTag)
    } catch {
      throw .badBlock(.badPayload)
    }
    guard case .instance(_, let key, let exchange, let follows)? = read.controls.first else {
      throw .badBlock(.badPayload)
    }
    guard Ed25519.isAcceptable(key), Identity.instance(key: key) == instance, X25519.isAcceptable(exchange),
      follows?.isRight(for: instance, exchange: exchange, in: database) ?? true
    else { throw .badBlock(.badKey) }
    guard isSealed, let keys else {
      guard header.previous == Identity.genesis(database: database, key: key) else { throw .badBlock(.badPrevious) }
      return key
    }
    // The database's first key may be missing so far.
    guard let genesis = try keys.genesis(key: key) else { return nil }
    let name = try SealedBlock.key(of: block)
    guard header.previous == genesis, keys.proof.founder != key || name == keys.first else {
      throw .badBlock(.badPrevious)
    }
    return key
  }
}
