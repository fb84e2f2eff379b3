import SeaCore

/// A block that this version cannot write normally. The payload is arbitrary, while digests and signature are valid.
package struct FutureBlock {
  /// The format, the first element of the clear array.
  package var format: Int64 = 1
  package var needs: [String] = []
  package var heads: [BlockRef] = []
  /// The encoded map to write instead of a map with only the time.
  package var about: [UInt8]?
  /// The items, each encoded as CBOR.
  package var items: [[UInt8]] = []
  package var mode: BlockHeader.Mode = .signed
  /// The encoded array to write instead of the clear array.
  package var clear: [UInt8]?
  /// The clear list before the encrypted part.
  package var list: [BlockRef] = []

  package init() {}

  private var array: [UInt8] {
    if let clear { return clear }
    var writer = ByteWriter()
    writer.cborArray(4)
    writer.cborInt(format)
    writer.cborArray(needs.count)
    for need in needs { writer.cborText(need) }
    if let about {
      writer.append(about)
    } else {
      writer.cborMap(1)
      writer.cborText("time")
      writer.cborInt(0)
    }
    writer.cborArray(items.count)
    for item in items { writer.append(item) }
    return writer.array()
  }

  /// Returns a block that follows the given head.
  /// - Parameter key: encrypts the block; nil if the database is not encrypted.
  package func made(
    _ database: UUID, _ identity: Identity, behind head: BlockRef, lamport: UInt32, key: EpochKey? = nil
  ) throws -> [UInt8] {
    var front = ByteWriter()
    for head in heads { head.writeRow(into: &front) }
    let rows = front.array()
    front = ByteWriter()
    ClearList.write(list, into: &front)
    var content = front.array()
    var mode = mode
    let array = array
    let overhead = key == nil ? Payload.signatureSize : SealedBlock.overhead
    if key != nil { mode.insert(.sealed) }
    let header = BlockHeader(
      mode: mode, payloadSize: UInt32(rows.count + content.count + array.count + overhead), index: head.index + 1,
      lamport: lamport, heads: UInt32(heads.count), previous: head.digest, data: .zero)
    if let key {
      let names = database.bytes + identity.instance.bytes
      let secret = try HKDF.key(key.bytes, info: Array("sea block v1".utf8) + names)
      let name = key.digest.bytes
      let iv = Array(SHA256.hash(array + header.encoded()).bytes.prefix(AESGCM.ivSize))
      let additional = names + header.encoded()[..<BlockHeader.signedPart] + name
      content += name + iv + (try AESGCM.seal(array, key: secret, iv: iv, additional: additional))
    } else {
      content += array
    }
    let covered = SignedMessage.covered(header, heads: SHA256.hash(rows), content: SHA256.hash(content))
    let message = SignedMessage.bytes(database: database, instance: identity.instance, covered)
    let signature = try Ed25519.sign(message, seed: identity.signingSeed, key: identity.key)
    return resealed(header.encoded() + rows + content + signature)
  }

  // MARK: - Items

  package static func cbor(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return writer.array()
  }

  /// Returns a revision of a new record with one property.
  package static func change(
    _ id: String, kind: String = "put", value: (inout ByteWriter) -> Void = { $0.cborInt(1) }
  ) -> [UInt8] {
    cbor { writer in
      writer.cborArray(6)
      writer.cborText(id)
      writer.cborNull()
      writer.cborNull()
      writer.cborArray(0)
      writer.cborText(kind)
      writer.cborMap(1)
      writer.cborText("n")
      value(&writer)
    }
  }

  /// Returns a control entry without any other key.
  package static func entry(_ name: String) -> [UInt8] {
    cbor { writer in
      writer.cborMap(1)
      writer.cborText("control")
      writer.cborText(name)
    }
  }
}

/// Returns what remains of a block after its content is purged.
package func removed(_ block: [UInt8]) -> [UInt8] {
  if block[3] & BlockHeader.Mode.removed.rawValue != 0 { return block }
  guard let left = block.withUnsafeBytes({ try? BlockHeader($0).removed($0) }) else {
    preconditionFailure("never removed")
  }
  return left
}

/// Returns the block with the `data` field that matches its payload. Nothing else is checked.
package func resealed(_ block: [UInt8]) -> [UInt8] {
  block.withUnsafeBytes { bytes in
    guard var header = try? BlockHeader(bytes), let digests = BlockDigests(bytes) else {
      preconditionFailure("no block")
    }
    header.data = digests.data
    return header.encoded() + block[BlockHeader.size...]
  }
}

package func hash(of block: [UInt8]) -> Digest {
  guard let header = block.withUnsafeBytes({ try? BlockHeader($0) }) else { preconditionFailure("no block") }
  return header.hash
}
