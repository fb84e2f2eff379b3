/// Reading what a verified block says.
package enum BlockReader {
  /// The payload's ranges count from the end of the header.
  /// - Throws: `badBlock(.badPayload)` for what is not the one encoding of a payload, `notReadable` for what only a
  ///   newer program, or one with a key, can read.
  package static func payload(of block: UnsafeRawBufferPointer) throws(CoreError) -> Payload {
    let header = try BlockHeader(block)
    guard block.count == header.blockSize else { throw .badBlock(.badSize) }
    guard header.mode.intersection([.sealed, .compressed, .removed]).isEmpty else { throw .notReadable }
    let end = header.mode.contains(.signed) ? block.count - Payload.signatureSize : block.count
    guard end >= BlockHeader.size else { throw .badBlock(.badPayload) }
    let bytes = UnsafeRawBufferPointer(rebasing: block[BlockHeader.size..<end])
    let payload: Payload
    do throws(CoreError) {
      payload = try Payload(bytes.assumingMemoryBound(to: UInt8.self), first: header.index == 0)
    } catch {
      throw .badBlock(.badPayload)
    }
    for case .unknown in payload.controls { throw .notReadable }
    return payload
  }
}
