/// Checks the blocks of one chain as they come, without reading payloads.
///
/// Of a sealed chain that begins with what nobody has a key for here, only what the digests hold together is checked:
/// not who signed it, nor that it belongs to the database. `isAnonymous` says so.
///
/// A run of blocks needs only its last signature checked, the digests carry it back; so call `checkSignature()` at the end of
/// every run before anything of it is believed. A removed block is checked like any other.
package struct ChainVerifier: Sendable {
  package let database: UUID
  package let instance: UUID
  /// The chain's Ed25519 key; known from block 0 on, if that can be read.
  package private(set) var key: [UInt8]?
  private var knownKey: [UInt8]?
  /// Whether the chain's blocks are sealed.
  package private(set) var isSealed = false
  /// Whether the database is sealed, if that is known before its first block.
  private var expectsSealed: Bool?
  /// The head so far; nil before block 0.
  package private(set) var head: BlockRef?
  package private(set) var lamport: UInt32 = 0
  /// Of each block of the run what its signature covers, and the signature: rows of the same length in one buffer.
  private var unsigned: [UInt8] = []
  private static let rowSize = SignedMessage.coveredSize + Payload.signatureSize

  /// - Parameters:
  ///   - knownKey: the chain's key as block 0 said when it could be read; for where it cannot be now.
  ///   - isSealed: whether the database is sealed, if that is known.
  package init(database: UUID, instance: UUID, knownKey: [UInt8]? = nil, isSealed: Bool? = nil) {
    expectsSealed = isSealed
    self.database = database
    self.instance = instance
    self.knownKey = knownKey
  }

  /// Goes on behind a head that was verified before.
  /// - Parameter key: nil if nobody knows it; whose chain it is can then not be told.
  package init(database: UUID, head: BlockRef, lamport: UInt32, key: [UInt8]?, isSealed: Bool = false) {
    self.database = database
    self.isSealed = isSealed
    instance = head.instance
    self.head = head
    self.lamport = lamport
    self.key = key
  }

  /// Whether nobody could say whose chain this is.
  package var isAnonymous: Bool { head != nil && key == nil }

  package var nextIndex: UInt32 { head.map { $0.index &+ 1 } ?? 0 }

  /// Checks one complete block against the head, and makes it the head.
  ///
  /// After a throw nothing has changed.
  /// - Parameters:
  ///   - keys: what opens block 0 of a sealed chain.
  ///   - digests: those of the payload, if somebody else works them out.
  package mutating func check(
    _ block: UnsafeRawBufferPointer, keys: KeyRing? = nil, digests: BlockDigests? = nil
  ) throws(CoreError) -> BlockHeader {
    let header = try BlockHeader(block)
    guard block.count >= header.blockSize else { throw .badBlock(.truncated) }
    guard block.count == header.blockSize else { throw .badBlock(.badSize) }
    if let kind = head == nil ? expectsSealed : isSealed, header.mode.contains(.sealed) != kind {
      throw .badBlock(.badMode)
    }
    guard !header.mode.contains(.sealed) || header.wholeSize > header.contentStart + SealedBlock.overhead else {
      throw .badBlock(.badSize)
    }
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
    // `suffix` of a sequence would visit every byte of the block.
    unsigned += block[(block.count - Payload.signatureSize)...]
    head = BlockRef(instance: instance, index: header.index, digest: header.hash)
    lamport = header.lamport
    return header
  }

  /// Checks the signature that covers the run since the last call: that of its last block.
  /// - Returns: nil if it holds, else the index of the first block that no good signature covers.
  package mutating func checkSignature() -> UInt32? {
    defer { unsigned.removeAll(keepingCapacity: true) }
    let rows = unsigned.count / ChainVerifier.rowSize
    guard let key, let head, rows > 0, !isSigned(rows - 1, key) else { return nil }
    // Everything up to the last good signature is covered by it.
    let covered = (0..<rows).last { isSigned($0, key) }.map { $0 + 1 } ?? 0
    return head.index - UInt32(rows - 1 - covered)
  }

  private func isSigned(_ row: Int, _ key: [UInt8]) -> Bool {
    let start = row * ChainVerifier.rowSize
    let end = start + SignedMessage.coveredSize
    let message = SignedMessage.bytes(database: database, instance: instance, unsigned[start..<end])
    return Ed25519.verify(Array(unsigned[end..<end + Payload.signatureSize]), message, key: key)
  }

  /// The key that block 0 announces: it must name this instance and stand behind the block's `previous`.
  /// - Returns: nil if it is sealed and cannot be opened here.
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
    // The first key may not have come yet.
    guard let genesis = try keys.genesis(key: key) else { return nil }
    let name = try SealedBlock.key(of: block)
    guard header.previous == genesis, keys.proof.founder != key || name == keys.first else {
      throw .badBlock(.badPrevious)
    }
    return key
  }
}
