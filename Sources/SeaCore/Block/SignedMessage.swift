package enum SignedMessage {
  static let coveredSize = BlockHeader.signedPart + 2 * Digest.size

  /// - Parameter covered: the result of `covered`.
  package static func bytes(database: UUID, instance: UUID, _ covered: some Sequence<UInt8>) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(12 + 32 + coveredSize)
    message.append(contentsOf: "sea block v1".utf8)
    database.withBytes { message.append(contentsOf: $0) }
    instance.withBytes { message.append(contentsOf: $0) }
    message.append(contentsOf: covered)
    return message
  }

  /// Returns the part of a block that its signature covers. Removing a block's content does not change these bytes.
  package static func covered(_ header: BlockHeader, heads: Digest, content: Digest) -> [UInt8] {
    var header = header
    header.mode.remove(.removed)
    return header.encoded()[..<BlockHeader.signedPart] + heads.bytes + content.bytes
  }
}
