/// The bytes that the signature of a block covers: its database, its instance, its header but for `data`, and the digests of its heads and
/// of its content.
package enum SignedMessage {
  /// The front of the header and the two digests.
  static let coveredSize = BlockHeader.signedPart + 2 * Digest.size

  /// - Parameter covered: what `covered` gives.
  package static func bytes(database: UUID, instance: UUID, _ covered: some Sequence<UInt8>) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(12 + 32 + coveredSize)
    message.append(contentsOf: "sea block v1".utf8)
    database.withBytes { message.append(contentsOf: $0) }
    instance.withBytes { message.append(contentsOf: $0) }
    message.append(contentsOf: covered)
    return message
  }

  /// What it covers of the block itself: that of a removed block is what it was.
  package static func covered(_ header: BlockHeader, heads: Digest, content: Digest) -> [UInt8] {
    var header = header
    header.mode.remove(.removed)
    return header.encoded()[..<BlockHeader.signedPart] + heads.bytes + content.bytes
  }
}
