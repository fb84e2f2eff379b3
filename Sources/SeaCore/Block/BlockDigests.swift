/// What is worked out over all bytes of a block, and needs nothing but these.
package struct BlockDigests: Sendable {
  /// That of the payload, which the header says as well.
  let data: Digest
  /// The payload without the signature; nil where there is none.
  let unsigned: SHA256.Prefix?
  /// That of the whole block.
  package let whole: Digest

  /// Nil for what is no block.
  package init?(_ block: UnsafeRawBufferPointer) {
    guard block.count > BlockHeader.size else { return nil }
    let payload = UnsafeRawBufferPointer(rebasing: block[BlockHeader.size...])
    (data, unsigned) = BlockDigests.payload(payload, BlockHeader.Mode(rawValue: block[3]))
    whole = SHA256.hash(block)
  }

  static func payload(
    _ payload: UnsafeRawBufferPointer, _ mode: BlockHeader.Mode
  ) -> (data: Digest, unsigned: SHA256.Prefix?) {
    var data = SHA256()
    guard mode.isSigned, payload.count > Payload.signatureSize else {
      data.update(payload)
      return (data.digest(), nil)
    }
    let cut = payload.count - Payload.signatureSize
    data.update(UnsafeRawBufferPointer(rebasing: payload[..<cut]))
    let unsigned = data.soFar
    data.update(UnsafeRawBufferPointer(rebasing: payload[cut...]))
    return (data.digest(), unsigned)
  }
}

extension BlockHeader.Mode {
  /// Whether a signature stands at the end of the payload.
  var isSigned: Bool { contains(.signed) && !contains(.removed) }
}
