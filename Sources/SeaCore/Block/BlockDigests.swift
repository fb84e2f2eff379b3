/// What is worked out over the payload of a block, and needs nothing but the block.
package struct BlockDigests: Sendable {
  /// That of the payload, which the header says as well.
  let data: Digest
  /// The payload without the signature; nil where there is none.
  let unsigned: SHA256.Prefix?

  package init(_ block: UnsafeRawBufferPointer) {
    let payload = UnsafeRawBufferPointer(rebasing: block.dropFirst(BlockHeader.size))
    var data = SHA256()
    guard block.count > 3, BlockHeader.Mode(rawValue: block[3]).isSigned, payload.count > Payload.signatureSize else {
      data.update(payload)
      (self.data, unsigned) = (data.digest(), nil)
      return
    }
    let cut = payload.count - Payload.signatureSize
    data.update(UnsafeRawBufferPointer(rebasing: payload[..<cut]))
    unsigned = data.soFar
    data.update(UnsafeRawBufferPointer(rebasing: payload[cut...]))
    self.data = data.digest()
  }
}

extension BlockHeader.Mode {
  /// Whether a signature stands at the end of the payload.
  var isSigned: Bool { contains(.signed) && !contains(.removed) }
}
