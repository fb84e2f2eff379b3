/// Reading what a verified block says.
package enum BlockReader {
  /// What a block says, with its clear form if it is sealed. The payload's ranges count from the end of the header.
  /// - Throws: `badBlock(.badPayload)` for what is not the one encoding of a payload, `badBlock(.badTag)`, `noKey`,
  ///   and `notReadable` for what only a newer program can read.
  package static func open(
    _ block: UnsafeRawBufferPointer, of instance: UUID, keys: KeyRing?
  ) throws(CoreError) -> (payload: Payload, clear: [UInt8]?) {
    let header = try BlockHeader(block)
    guard header.mode.contains(.sealed) else { return (try payload(of: block), nil) }
    guard block.count == header.blockSize else { throw .badBlock(.badSize) }
    guard !header.mode.contains(.compressed) else { throw .notReadable }
    guard let keys else { throw .noKey(epoch: try SealedBlock.epoch(of: block)) }
    let clear = try SealedBlock.open(block, of: instance, keys)
    let payload = try clear.withUnsafeBufferPointer { bytes throws(CoreError) -> Payload in
      try BlockReader.payload(ofClear: UnsafeRawBufferPointer(bytes))
    }
    return (payload, clear)
  }

  /// What a plain block says.
  package static func payload(of block: UnsafeRawBufferPointer) throws(CoreError) -> Payload {
    let header = try BlockHeader(block)
    guard block.count == header.blockSize else { throw .badBlock(.badSize) }
    guard header.mode.intersection([.sealed, .compressed, .removed]).isEmpty else { throw .notReadable }
    let end = header.mode.contains(.signed) ? block.count - Payload.signatureSize : block.count
    guard end >= BlockHeader.size else { throw .badBlock(.badPayload) }
    return try payload(in: UnsafeRawBufferPointer(rebasing: block[BlockHeader.size..<end]), first: header.index == 0)
  }

  /// What the clear form of a sealed block says.
  package static func payload(ofClear clear: UnsafeRawBufferPointer) throws(CoreError) -> Payload {
    let header = try BlockHeader(clear)
    return try payload(in: UnsafeRawBufferPointer(rebasing: clear[BlockHeader.size...]), first: header.index == 0)
  }

  /// What a block says as a store keeps it: a plain one itself, of a sealed one its clear form.
  package static func payload(ofKept bytes: UnsafeRawBufferPointer) throws(CoreError) -> Payload {
    let isSealed = try BlockHeader(bytes).mode.contains(.sealed)
    return isSealed ? try payload(ofClear: bytes) : try payload(of: bytes)
  }

  private static func payload(in bytes: UnsafeRawBufferPointer, first: Bool) throws(CoreError) -> Payload {
    let payload: Payload
    do throws(CoreError) {
      payload = try Payload(bytes.assumingMemoryBound(to: UInt8.self), first: first)
    } catch {
      throw .badBlock(.badPayload)
    }
    for case .unknown in payload.controls { throw .notReadable }
    return payload
  }
}
