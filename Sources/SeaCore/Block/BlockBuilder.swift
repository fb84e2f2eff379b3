/// Builds one signed block.
///
/// Changes are written after a reserved space, which `finish` fills with the preceding parts, so changes are never
/// moved.
package struct BlockBuilder: ~Copyable {
  private var writer: ByteWriter
  private let reservedSize: Int
  package private(set) var changes: [Change] = []

  /// - Parameter room: the number of bytes to reserve before the changes: 64 plus the sizes of the heads, the label and
  ///   the control entries.
  package init(reservedSize: Int, capacity: Int = 1 << 12) {
    self.reservedSize = BlockHeader.size + reservedSize
    writer = ByteWriter(capacity: self.reservedSize + capacity)
    writer.append([UInt8](repeating: 0, count: self.reservedSize))
  }

  package var bytes: UnsafeBufferPointer<UInt8> { writer.bytes }

  package var isEmpty: Bool { changes.isEmpty }
  package var count: Int { writer.count }

  package mutating func reserve(changes count: Int) { changes.reserveCapacity(count) }

  /// Adds a change; see `Change.write`. Names are checked, because every reader rejects blocks with invalid names.
  /// - Throws: `badMember` if the format does not allow the id or type, `badBlock` if there is no room left.
  @discardableResult
  package mutating func add(
    id: UnsafeBufferPointer<UInt8>, type: UnsafeBufferPointer<UInt8>?, parent: RevisionID?, merged: [RevisionID] = [],
    kind: RevisionKind, body: UnsafeBufferPointer<UInt8>?, hasReferences: Bool
  ) throws(CoreError) -> Change {
    try BlockBuilder.check(id, .id)
    if let type { try BlockBuilder.check(type, .type) }
    guard writer.count + id.count + (body?.count ?? 0) < BlockHeader.largestBlock else { throw .badBlock(.badSize) }
    assert(BlockBuilder.isBody(body) && zip(merged, merged.dropFirst()).allSatisfy(<), "not in the format")
    writer.cborArray(6)
    let change = Change.write(
      into: &writer, id: id, type: type, parent: parent, merged: merged, kind: kind, body: body,
      hasReferences: hasReferences)
    changes.append(change)
    return change
  }

  private static func check(_ name: UnsafeBufferPointer<UInt8>, _ role: NameRole) throws(CoreError) {
    guard let fault = Name.fault(in: name) else { return }
    throw .badMember(role, fault, String(decoding: name, as: UTF8.self), offset: 0)
  }

  /// Checks a body, because readers reject the whole block if any body is invalid.
  private static func isBody(_ body: UnsafeBufferPointer<UInt8>?) -> Bool {
    guard let body else { return true }
    var cursor = CBORCursor(body)
    return (try? cursor.skipBody()) != nil && cursor.atEnd
  }

  package mutating func reorder(_ order: [Int]) {
    var sorted = BlockBuilder(reservedSize: reservedSize - BlockHeader.size, capacity: writer.count)
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

  /// Completes and signs the block and passes it to `body`.
  /// - Parameters:
  ///   - previous: the head of the chain, or nil for block 0.
  ///   - heads: the heads of other chains, sorted by instance.
  ///   - sealing: encrypts the block; nil in a database without encryption.
  /// - body: receives the finished block and its payload. The payload's ranges are relative to the end of the clear
  /// form's header.
  package mutating func finish<Result>(
    database: UUID, identity: Identity, previous: BlockRef?, lamport: UInt32, time: Int64, label: String?,
    heads: [BlockRef] = [], controls: [ControlEntry], compresses: Bool = true, sealing: Sealing? = nil,
    _ body: (FinishedBlock, consuming Payload) throws -> Result
  ) throws -> Result {
    if let label, label.utf8.count > Payload.longestLabel {
      throw CoreError.badMember(.label, .tooLong, label, offset: 0)
    }
    var front = ByteWriter(capacity: reservedSize)
    let orders = try ControlEntry.ordered(controls)
    for head in heads { head.writeRow(into: &front) }
    ClearList.write(orders, into: &front)
    let list = front.count
    front.payload(time: time, label: label, items: controls.count + changes.count)
    for control in controls { control.write(into: &front) }
    let start = reservedSize - BlockHeader.size - front.count
    precondition(start >= 0, "more room was promised")
    writer.overwrite(at: start + BlockHeader.size, UnsafeRawBufferPointer(front.bytes))

    var genesis = previous?.digest
    if genesis == nil {
      genesis =
        if let sealing { try sealing.keys.genesis(key: identity.key) } else {
          Identity.genesis(database: database, key: identity.key)
        }
    }
    guard let genesis else { throw CoreError.noKey(sealing!.keys.first) }
    var mode = BlockHeader.Mode.signed
    if sealing != nil { mode.insert(.sealed) }
    if !controls.isEmpty { mode.insert(.control) }
    if !orders.isEmpty { mode.insert(.orders) }
    var payload = Payload(time: time, label: label, heads: heads)
    for k in changes.indices { changes[k].move(by: -(start + BlockHeader.size)) }
    swap(&payload.changes, &changes)
    payload.controls = controls

    let sealed = BlockHeader.size + list
    let array = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(writer.bytes)[(start + sealed)...])
    guard array.count <= Frames.mostContent else { throw CoreError.badBlock(.badSize) }
    // The first block of a chain is never compressed, so that every reader can read its key.
    let frames = compresses && previous != nil ? Frames.compress(array) : nil
    if frames != nil { mode.insert(.compressed) }
    let overhead = sealing == nil ? Payload.signatureSize : SealedBlock.overhead
    let size = sealed + (frames?.count ?? array.count) + overhead
    guard size <= BlockHeader.largestBlock else { throw CoreError.badBlock(.badSize) }
    let header = BlockHeader(
      mode: mode, payloadSize: UInt32(size - BlockHeader.size), index: previous.map { $0.index + 1 } ?? 0,
      lamport: lamport, heads: UInt32(heads.count), previous: genesis, data: .zero)
    if frames == nil, sealing == nil {
      let digest = try complete(at: start, header, database, identity)
      let block = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(writer.bytes)[start...])
      return try body(FinishedBlock(bytes: block, header: digest.header, head: digest.head), payload)
    }
    let clear = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(writer.bytes)[start...])
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { block.deallocate() }
    let encoded = header.encoded()
    block.copyMemory(from: UnsafeRawBufferPointer(rebasing: clear[..<sealed]))
    let cut = size - Payload.signatureSize
    var framed = sealing == nil ? nil : frames.map { Array(clear[..<sealed]) + $0 }
    if let sealing {
      try BlockBuilder.withBytes(frames, or: UnsafeRawBufferPointer(rebasing: clear[sealed...])) { content in
        try sealing.seal(
          content, header: encoded, instance: identity.instance,
          into: UnsafeMutableRawBufferPointer(rebasing: block[sealed..<cut]))
      }
    } else if let frames {
      UnsafeMutableRawBufferPointer(rebasing: block[sealed..<cut]).copyBytes(from: frames)
    }
    let signed = try BlockBuilder.sign(
      UnsafeRawBufferPointer(rebasing: block[BlockHeader.size..<cut]), header, database, identity)
    UnsafeMutableRawBufferPointer(rebasing: block[cut...]).copyBytes(from: signed.signature)
    let final = signed.header.encoded()
    block.copyBytes(from: final)
    final.withUnsafeBytes { writer.overwrite(at: start, $0) }
    framed?.replaceSubrange(..<BlockHeader.size, with: final)
    let head = BlockRef(
      instance: identity.instance, index: header.index, digest: signed.header.hash)
    let finished = FinishedBlock(
      bytes: UnsafeRawBufferPointer(block), clear: clear, framed: framed, header: signed.header, head: head)
    return try body(finished, payload)
  }

  private static func withBytes(
    _ bytes: [UInt8]?, or other: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    if let bytes { try bytes.withUnsafeBytes(body) } else { try body(other) }
  }

  private mutating func complete(
    at start: Int, _ header: BlockHeader, _ database: UUID, _ identity: Identity
  ) throws(CoreError) -> (header: BlockHeader, head: BlockRef) {
    let payload = UnsafeRawBufferPointer(writer.bytes)[(start + BlockHeader.size)...]
    let signed = try BlockBuilder.sign(UnsafeRawBufferPointer(rebasing: payload), header, database, identity)
    writer.append(signed.signature)
    signed.header.encoded().withUnsafeBytes { writer.overwrite(at: start, $0) }
    return (
      signed.header, BlockRef(instance: identity.instance, index: header.index, digest: signed.header.hash)
    )
  }

  private static func sign(
    _ payload: UnsafeRawBufferPointer, _ header: BlockHeader, _ database: UUID, _ identity: Identity
  ) throws(CoreError) -> (signature: [UInt8], header: BlockHeader) {
    let end = header.contentStart - BlockHeader.size
    let heads = SHA256.hash(UnsafeRawBufferPointer(rebasing: payload[..<end]))
    let content = SHA256.hash(UnsafeRawBufferPointer(rebasing: payload[end...]))
    let covered = SignedMessage.covered(header, heads: heads, content: content)
    let message = SignedMessage.bytes(database: database, instance: identity.instance, covered)
    let signature = try Ed25519.sign(message, seed: identity.signingSeed, key: identity.key)
    var header = header
    header.data = signature.withUnsafeBytes { BlockDigests(heads: heads, content: content, signature: $0).data }
    return (signature, header)
  }
}

/// A new block. The pointers are valid only during the call that receives the block.
package struct FinishedBlock {
  package let bytes: UnsafeRawBufferPointer
  /// The clear form of an encrypted or compressed block.
  package var clear: UnsafeRawBufferPointer?
  /// The header, heads, clear list and frames of a block that is both encrypted and compressed.
  package var framed: [UInt8]?
  package let header: BlockHeader
  package let head: BlockRef
}

extension BlockHeader {
  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: BlockHeader.size)
    write(into: &writer)
    return writer.array()
  }
}
