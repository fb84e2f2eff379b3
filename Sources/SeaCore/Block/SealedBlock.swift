/// The payload of a sealed block, behind its clear list if it has one:
///
///     epoch (4) ‖ IV (12) ‖ ciphertext ‖ tag (16) ‖ signature (64)
///
/// What is sealed is the clear array. Its *clear form* is the header as stored, the clear list and that array: ranges into
/// it count as those into a plain block.
package enum SealedBlock {
  static let epochSize = 4
  static let prefix = epochSize + AESGCM.ivSize
  /// How much longer a sealed block is than its clear form.
  package static let overhead = prefix + AESGCM.tagSize + Payload.signatureSize

  /// databaseID ‖ instanceID ‖ header[0..<48] ‖ epoch
  static func additional(
    database: UUID, instance: UUID, header: UnsafeRawBufferPointer, epoch: UInt32
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16 + 16 + BlockHeader.signedPart + epochSize)
    database.withBytes { bytes.append(contentsOf: $0) }
    instance.withBytes { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: header[..<BlockHeader.signedPart])
    withUnsafeBytes(of: epoch.bigEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// The epoch whose key opens the block.
  package static func epoch(of block: UnsafeRawBufferPointer) throws(CoreError) -> UInt32 {
    let header = try BlockHeader(block)
    let payload = UnsafeRawBufferPointer(rebasing: block[BlockHeader.size...])
    return try epoch(of: block, behind: ClearList.size(in: payload, header.mode))
  }

  static func epoch(of block: UnsafeRawBufferPointer, behind list: Int) throws(CoreError) -> UInt32 {
    guard block.count >= BlockHeader.size + list + overhead else { throw .badBlock(.badSize) }
    return UInt32(bigEndian: block.loadUnaligned(fromByteOffset: BlockHeader.size + list, as: UInt32.self))
  }

  /// The clear form of a block whose header was checked, and whether it opened under a guest among the keys.
  /// - Throws: `noKey` if no key opens it that is here and there may be another one of its epoch, else `badBlock(.badTag)`.
  static func open(
    _ block: UnsafeRawBufferPointer, of instance: UUID, behind list: Int, _ keys: KeyRing
  ) throws(CoreError) -> (clear: [UInt8], key: EpochKey) {
    let epoch = try epoch(of: block, behind: list)
    let candidates = try keys.blockKeys(of: instance, epoch: epoch)
    guard !candidates.isEmpty else { throw .noKey(epoch: epoch) }
    let front = BlockHeader.size + list
    let start = front + epochSize
    let iv = Array(block[start..<start + AESGCM.ivSize])
    let sealed = UnsafeRawBufferPointer(
      rebasing: block[start + AESGCM.ivSize..<block.count - Payload.signatureSize])
    let additional = additional(database: keys.database, instance: instance, header: block, epoch: epoch)
    for (place, one) in candidates.enumerated() {
      var isOpen = false
      let clear = [UInt8](unsafeUninitializedCapacity: block.count - overhead) { buffer, count in
        let whole = UnsafeMutableRawBufferPointer(buffer)
        whole.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<front]))
        isOpen = AESGCM.open(
          sealed, key: one.block, iv: iv, additional: additional,
          into: UnsafeMutableRawBufferPointer(rebasing: whole[front...]))
        count = whole.count
      }
      if isOpen { return (clear, keys.keys(of: epoch)[place]) }
    }
    if let lacks = keys.lacks, lacks(epoch) != false { throw .noKey(epoch: epoch) }
    throw .badBlock(.badTag)
  }
}

/// What an author needs to seal a block.
package struct Sealing {
  let keys: KeyRing
  let epoch: UInt32
  /// 32 random bytes, fresh for every block.
  let random: [UInt8]

  /// Seals under a key of this epoch: the newest, but for the block that begins an epoch, which those who do not have
  /// its key yet must be able to read.
  package init(keys: KeyRing, epoch: UInt32, random: [UInt8]) {
    precondition(random.count == 32)
    self.keys = keys
    self.epoch = epoch
    self.random = random
  }

  /// Seals `clear` behind the room of a header: into `payload` without the signature.
  func seal(
    _ clear: UnsafeRawBufferPointer, header: [UInt8], instance: UUID, into payload: UnsafeMutableRawBufferPointer
  ) throws(CoreError) {
    guard let key = try keys.blockKeys(of: instance, epoch: epoch).first else { throw .noKey(epoch: epoch) }
    var mac = HMACSHA256(key: key.iv)
    mac.update(random)
    mac.update(Array(header[..<BlockHeader.signedPart]))
    mac.update(clear)
    let iv = Array(mac.digest().bytes[..<AESGCM.ivSize])
    let additional = header.withUnsafeBytes {
      SealedBlock.additional(database: keys.database, instance: instance, header: $0, epoch: epoch)
    }
    withUnsafeBytes(of: epoch.bigEndian) { payload.copyMemory(from: $0) }
    UnsafeMutableRawBufferPointer(rebasing: payload[SealedBlock.epochSize..<SealedBlock.prefix])
      .copyBytes(from: iv)
    try AESGCM.seal(
      clear, key: key.block, iv: iv, additional: additional,
      into: UnsafeMutableRawBufferPointer(rebasing: payload[SealedBlock.prefix...]))
  }
}
