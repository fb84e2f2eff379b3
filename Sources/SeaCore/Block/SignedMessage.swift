/// The bytes that the signature of a block covers: its database, its instance, its header but for `data`, and the digest of
/// its payload without the signature.
package enum SignedMessage {
  package static let size = 12 + 32 + BlockHeader.signedPart + Digest.size

  /// - Parameter header: at least the part of it that is signed.
  package static func bytes(
    database: UUID, instance: UUID, header: UnsafeRawBufferPointer, payload: Digest
  ) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(size)
    message.append(contentsOf: "sea block v1".utf8)
    database.withBytes { message.append(contentsOf: $0) }
    instance.withBytes { message.append(contentsOf: $0) }
    message.append(contentsOf: header[..<BlockHeader.signedPart])
    payload.withBytes { message.append(contentsOf: $0) }
    return message
  }
}
