/// Checks the blocks of one chain as they come, without a key and without reading payloads.
///
/// A run of blocks needs only its last signature checked, the digests carry it back; so call `settle()` at the end of
/// every run before anything of it is believed.
package struct ChainVerifier: Sendable {
  package let database: UUID
  package let instance: UUID
  /// The chain's Ed25519 key; known from block 0 on.
  package private(set) var key: [UInt8]?
  /// The head so far; nil before block 0.
  package private(set) var head: ChainHead?
  package private(set) var lamport: UInt32 = 0
  /// The signatures of the run, each behind the message that it covers: rows of the same length in one buffer.
  private var unsettled: [UInt8] = []
  /// The index that each row belongs to.
  private var unsettledIndices: [UInt32] = []

  package init(database: UUID, instance: UUID) {
    self.database = database
    self.instance = instance
  }

  /// Goes on behind a head that was verified before.
  package init(database: UUID, head: ChainHead, lamport: UInt32, key: [UInt8]) {
    self.database = database
    instance = head.instance
    self.head = head
    self.lamport = lamport
    self.key = key
  }

  package var nextIndex: UInt32 { head.map { $0.index &+ 1 } ?? 0 }

  /// Checks one complete block against the head, and makes it the head.
  ///
  /// After a throw nothing has changed.
  /// - Parameter digest: SHA-256 of the block, if somebody works it out meanwhile.
  package mutating func check(
    _ block: UnsafeRawBufferPointer, digest: (() -> Digest)? = nil
  ) throws(CoreError) -> BlockHeader {
    let header = try BlockHeader(block)
    guard block.count >= header.blockSize else { throw .badBlock(.truncated) }
    guard block.count == header.blockSize else { throw .badBlock(.badSize) }
    guard header.index == nextIndex, header.index != .max else { throw .badBlock(.badIndex) }
    guard head == nil || header.lamport > lamport else { throw .badBlock(.badLamport) }
    let payload = UnsafeRawBufferPointer(rebasing: block[BlockHeader.size...])
    if let head { guard header.previous == head.digest else { throw .badBlock(.badPrevious) } }

    let signed = header.mode.contains(.signed) && !header.mode.contains(.removed)
    var inner: Digest?
    var data = SHA256()
    if signed {
      guard payload.count > Payload.signatureSize else { throw .badBlock(.badSize) }
      let cut = payload.count - Payload.signatureSize
      data.update(UnsafeRawBufferPointer(rebasing: payload[..<cut]))
      inner = data.digest()
      data.update(UnsafeRawBufferPointer(rebasing: payload[cut...]))
    } else {
      data.update(payload)
    }
    guard data.digest() == header.data else { throw .badBlock(.badData) }

    if head == nil { key = try announcedKey(header, payload) }
    if signed, let inner {
      Identity.appendSignedMessage(
        database: database, instance: instance, header: block, payload: inner, to: &unsettled)
      unsettled.append(contentsOf: payload.suffix(Payload.signatureSize))
      unsettledIndices.append(header.index)
    } else if !header.mode.contains(.removed) {
      throw .badBlock(.badSignature)
    }
    let whole = header.mode.contains(.removed) ? Digest(payload.baseAddress!) : digest?() ?? SHA256.hash(block)
    head = ChainHead(instance: instance, index: header.index, digest: whole)
    lamport = header.lamport
    return header
  }

  /// Checks the signature that covers the run since the last call.
  /// - Returns: nil if it holds, else the index of the first block that no good signature covers.
  package mutating func settle() -> UInt32? {
    defer {
      unsettled.removeAll(keepingCapacity: true)
      unsettledIndices.removeAll(keepingCapacity: true)
    }
    guard let key, !unsettledIndices.isEmpty else { return nil }
    let rows = unsettledIndices.indices
    if isSigned(rows.last!, key) { return nil }
    // Everything up to the last good signature is covered by it.
    guard let good = rows.last(where: { isSigned($0, key) }) else { return unsettledIndices[0] }
    return unsettledIndices[good + 1]
  }

  private func isSigned(_ row: Int, _ key: [UInt8]) -> Bool {
    let start = row * (Identity.signedMessageSize + Payload.signatureSize)
    let cut = start + Identity.signedMessageSize
    return Ed25519.verify(
      Array(unsettled[cut..<cut + Payload.signatureSize]), Array(unsettled[start..<cut]), key: key)
  }

  /// The key that block 0 announces: it must name this instance and stand behind the block's `previous`.
  private func announcedKey(_ header: BlockHeader, _ payload: UnsafeRawBufferPointer) throws(CoreError) -> [UInt8] {
    guard header.mode.intersection([.sealed, .compressed, .removed]).isEmpty else { throw .badBlock(.badMode) }
    let length = payload.count - (header.mode.contains(.signed) ? Payload.signatureSize : 0)
    let bytes = UnsafeRawBufferPointer(rebasing: payload[..<length]).assumingMemoryBound(to: UInt8.self)
    guard let read = try? Payload(bytes, first: true), case .instance(_, let key, _)? = read.controls.first else {
      throw .badBlock(.badPayload)
    }
    guard Ed25519.isAcceptable(key), Identity.instance(key: key) == instance else { throw .badBlock(.badKey) }
    guard header.previous == Identity.genesis(database: database, key: key) else { throw .badBlock(.badPrevious) }
    return key
  }
}
