/// Makes one signed block of a plain database.
///
/// Changes are written behind room that is left for what stands before them, and `finish` completes the block in place:
/// however many records it holds, their bytes are never moved.
package struct BlockBuilder: ~Copyable {
  /// Changes are written here, each by `add`.
  private var writer: ByteWriter
  private let room: Int
  package private(set) var changes: [Change] = []

  /// - Parameter room: bytes for the front of the payload: at least 64, the label, and the control entries.
  package init(room: Int, capacity: Int = 1 << 12) {
    self.room = BlockHeader.size + room
    writer = ByteWriter(capacity: self.room + capacity)
    writer.append([UInt8](repeating: 0, count: self.room))
  }

  /// The bytes that the changes' ranges are in.
  package var bytes: UnsafeBufferPointer<UInt8> { writer.bytes }

  package var isEmpty: Bool { changes.isEmpty }

  /// Adds a change; see `Change.write`.
  @discardableResult
  package mutating func add(
    id: UnsafeBufferPointer<UInt8>, type: UnsafeBufferPointer<UInt8>?, parent: RevisionID?, merged: [RevisionID] = [],
    kind: RevisionKind, body: UnsafeBufferPointer<UInt8>?, hasReferences: Bool
  ) throws(CoreError) -> Change {
    guard writer.count + id.count + (body?.count ?? 0) < BlockHeader.largestBlock else { throw .badBlock(.badSize) }
    writer.cborArray(6)
    let change = Change.write(
      into: &writer, id: id, type: type, parent: parent, merged: merged, kind: kind, body: body,
      hasReferences: hasReferences)
    changes.append(change)
    return change
  }

  /// Puts the changes into another order.
  package mutating func reorder(_ order: [Int]) {
    var sorted = BlockBuilder(room: room - BlockHeader.size, capacity: writer.count)
    sorted.changes.reserveCapacity(order.count)
    for k in order {
      sorted.writer.cborArray(6)
      var change = changes[k]
      change.move(by: sorted.writer.count - change.items.lowerBound)
      sorted.writer.append(UnsafeBufferPointer(rebasing: writer.bytes[changes[k].items]))
      sorted.changes.append(change)
    }
    self = sorted
  }

  /// Completes, signs and hands over the block.
  /// - Parameters:
  ///   - previous: the head of the chain, or nil for block 0.
  ///   - body: gets the complete block, and its payload, whose ranges count from the end of the header.
  package mutating func finish<Result>(
    database: UUID, identity: Identity, previous: ChainHead?, lamport: UInt32, time: Int64, label: String?,
    controls: [ControlEntry],
    _ body: (UnsafeRawBufferPointer, BlockHeader, ChainHead, consuming Payload) throws -> Result
  ) throws -> Result {
    var front = ByteWriter(capacity: room)
    front.payload(time: time, label: label, items: controls.count + changes.count)
    for control in controls { control.write(into: &front) }
    let start = room - BlockHeader.size - front.count
    precondition(start >= 0, "more room was promised")
    writer.overwrite(at: start + BlockHeader.size, UnsafeRawBufferPointer(front.bytes))

    let size = writer.count - start + Payload.signatureSize
    guard size <= BlockHeader.largestBlock else { throw CoreError.badBlock(.badSize) }
    var header = BlockHeader(
      mode: .signed, payloadSize: UInt32(size - BlockHeader.size), index: previous.map { $0.index + 1 } ?? 0,
      lamport: lamport, previous: previous?.digest ?? Identity.genesis(database: database, key: identity.key),
      data: .zero)
    var data = SHA256()
    data.update(UnsafeBufferPointer(rebasing: writer.bytes[(start + BlockHeader.size)...]))
    let message = header.encoded().withUnsafeBytes {
      Identity.signedMessage(database: database, instance: identity.instance, header: $0, payload: data.digest())
    }
    let signature = try Ed25519.sign(message, seed: identity.signingSeed, key: identity.key)
    writer.append(signature)
    data.update(signature)
    header.data = data.digest()
    header.encoded().withUnsafeBytes { writer.overwrite(at: start, $0) }

    let block = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(writer.bytes)[start...])
    let head = ChainHead(instance: identity.instance, index: header.index, digest: SHA256.hash(block))
    for k in changes.indices { changes[k].move(by: -(start + BlockHeader.size)) }
    var payload = Payload(time: time, label: label)
    swap(&payload.changes, &changes)
    payload.controls = controls
    return try body(block, header, head, payload)
  }
}

extension BlockHeader {
  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: BlockHeader.size)
    write(into: &writer)
    return writer.array()
  }
}
