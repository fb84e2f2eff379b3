/// Makes one signed block of a plain database.
///
/// The payload is written into `writer`, behind the room that `begin` leaves for the header, and `finish` completes the
/// block in place: the bytes are never copied.
package struct BlockBuilder: ~Copyable {
  package var writer: ByteWriter

  package init(capacity: Int = 1 << 12) { writer = ByteWriter(capacity: capacity) }

  package mutating func begin(time: Int64, label: String?, items: Int) {
    writer.truncate(to: 0)
    writer.append([UInt8](repeating: 0, count: BlockHeader.size))
    writer.payload(time: time, label: label, items: items)
  }

  /// An item that is a change: the array's head; its six items follow.
  package mutating func beginChange() { writer.cborArray(6) }

  /// Signs the payload and writes the header.
  /// - Parameter previous: the head of the chain, or nil for block 0.
  /// - Returns: the new head; `writer` then holds the complete block.
  package mutating func finish(
    database: UUID, identity: Identity, previous: ChainHead?, lamport: UInt32
  ) throws(CoreError) -> (header: BlockHeader, head: ChainHead) {
    guard writer.count + Payload.signatureSize <= BlockHeader.largestBlock else { throw .badBlock(.badSize) }
    let payloadSize = writer.count - BlockHeader.size + Payload.signatureSize
    let before = previous?.digest ?? Identity.genesis(database: database, key: identity.key)
    var header = BlockHeader(
      mode: .signed, payloadSize: UInt32(payloadSize), index: previous.map { $0.index + 1 } ?? 0, lamport: lamport,
      previous: before, data: .zero)
    var data = SHA256()
    data.update(UnsafeBufferPointer(rebasing: writer.bytes[BlockHeader.size...]))
    let message = header.encoded().withUnsafeBytes {
      Identity.signedMessage(database: database, instance: identity.instance, header: $0, payload: data.digest())
    }
    let signature = try Ed25519.sign(message, seed: identity.signingSeed)
    writer.append(signature)
    data.update(signature)
    header.data = data.digest()
    header.encoded().withUnsafeBytes { writer.overwrite(at: 0, $0) }
    let digest = SHA256.hash(UnsafeRawBufferPointer(writer.bytes))
    return (header, ChainHead(instance: identity.instance, index: header.index, digest: digest))
  }
}

extension BlockHeader {
  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: BlockHeader.size)
    write(into: &writer)
    return writer.array()
  }
}
