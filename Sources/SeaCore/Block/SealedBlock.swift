/// The content of an encrypted block after its clear list, if any, followed by its signature:
///
///     key (32) ‖ IV (12) ‖ ciphertext ‖ tag (16) ‖ signature (64)
///
/// `key` is the digest of the epoch key, which commits to the key, as AES-GCM alone does not. The ciphertext contains
/// the content. The *clear form* of a block consists of the stored header, the heads, the clear list and the
/// unencrypted content.
package enum SealedBlock {
  static let prefix = Digest.size + AESGCM.ivSize
  /// The number of bytes by which an encrypted block is larger than its clear form.
  package static let overhead = prefix + AESGCM.tagSize + Payload.signatureSize

  /// Returns databaseID ‖ instanceID ‖ header[0..<52] ‖ key.
  static func additional(
    database: UUID, instance: UUID, header: UnsafeRawBufferPointer, key: Digest
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16 + 16 + BlockHeader.signedPart + Digest.size)
    database.withBytes { bytes.append(contentsOf: $0) }
    instance.withBytes { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: header[..<BlockHeader.signedPart])
    key.withBytes { bytes.append(contentsOf: $0) }
    return bytes
  }

  package static func key(of block: UnsafeRawBufferPointer) throws(CoreError) -> Digest {
    let header = try BlockHeader(block)
    guard header.contentStart <= block.count else { throw .badBlock(.badSize) }
    let content = UnsafeRawBufferPointer(rebasing: block[header.contentStart...])
    return try key(of: block, behind: header.contentStart + ClearList.size(in: content, header.mode))
  }

  static func key(of block: UnsafeRawBufferPointer, behind front: Int) throws(CoreError) -> Digest {
    guard block.count >= front + overhead else { throw .badBlock(.badSize) }
    return Digest(block.baseAddress! + front)
  }

  /// - Throws: `noKey` if the key is missing, `badBlock(.badTag)` if the key cannot open the block.
  static func open(
    _ block: UnsafeRawBufferPointer, of instance: UUID, behind front: Int, _ keys: KeyRing
  ) throws(CoreError) -> (clear: [UInt8], key: EpochKey) {
    let name = try key(of: block, behind: front)
    guard let key = keys[name] else { throw .noKey(name) }
    let start = front + Digest.size
    let iv = Array(block[start..<start + AESGCM.ivSize])
    let sealed = UnsafeRawBufferPointer(
      rebasing: block[start + AESGCM.ivSize..<block.count - Payload.signatureSize])
    let additional = additional(database: keys.database, instance: instance, header: block, key: name)
    let secret = try keys.blockKeys(of: instance, key).block
    var isOpen = false
    let clear = [UInt8](unsafeUninitializedCapacity: block.count - overhead) { buffer, count in
      let whole = UnsafeMutableRawBufferPointer(buffer)
      whole.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<front]))
      isOpen = AESGCM.open(
        sealed, key: secret, iv: iv, additional: additional,
        into: UnsafeMutableRawBufferPointer(rebasing: whole[front...]))
      count = whole.count
    }
    guard isOpen else { throw .badBlock(.badTag) }
    return (clear, key)
  }
}

package struct Sealing {
  let keys: KeyRing
  let key: EpochKey
  /// The 32 random bytes for a block, which must never be reused.
  let random: [UInt8]

  /// Specifies the encryption key. A block that begins an epoch needs an older key, so that instances without the new
  /// key can read the block.
  package init(keys: KeyRing, key: EpochKey, random: [UInt8]) {
    precondition(random.count == 32)
    self.keys = keys
    self.key = key
    self.random = random
  }

  func seal(
    _ clear: UnsafeRawBufferPointer, header: [UInt8], instance: UUID, into payload: UnsafeMutableRawBufferPointer
  ) throws(CoreError) {
    let secrets = try keys.blockKeys(of: instance, key)
    var mac = HMACSHA256(key: secrets.iv)
    mac.update(random)
    mac.update(Array(header[..<BlockHeader.signedPart]))
    mac.update(clear)
    let iv = Array(mac.digest().bytes[..<AESGCM.ivSize])
    let additional = header.withUnsafeBytes {
      SealedBlock.additional(database: keys.database, instance: instance, header: $0, key: key.digest)
    }
    payload.copyBytes(from: key.digest.bytes)
    UnsafeMutableRawBufferPointer(rebasing: payload[Digest.size..<SealedBlock.prefix])
      .copyBytes(from: iv)
    try AESGCM.seal(
      clear, key: secrets.block, iv: iv, additional: additional,
      into: UnsafeMutableRawBufferPointer(rebasing: payload[SealedBlock.prefix...]))
  }
}
