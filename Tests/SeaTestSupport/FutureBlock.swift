import SeaCore

/// Blocks that no program of this version writes: what stands in their payload is given, digests and signature are right.
package struct FutureBlock {
  /// What stands in the clear array; each part as CBOR.
  package var format: Int64 = 1
  package var needs: [String] = []
  package var heads: [BlockRef] = []
  /// In place of the map with the time alone.
  package var about: [UInt8]?
  /// Each as CBOR.
  package var items: [[UInt8]] = []
  package var mode: BlockHeader.Mode = .signed
  /// In place of the whole array.
  package var clear: [UInt8]?
  /// What stands before what is sealed.
  package var list: [BlockRef] = []

  package init() {}

  private var array: [UInt8] {
    if let clear { return clear }
    var writer = ByteWriter()
    writer.cborArray(5)
    writer.cborInt(format)
    writer.cborArray(needs.count)
    for need in needs { writer.cborText(need) }
    writer.cborArray(heads.count)
    for head in heads {
      writer.cborArray(3)
      head.instance.withBytes { writer.cborData($0) }
      writer.cborHead(0, UInt64(head.index))
      head.digest.withBytes { writer.cborData($0) }
    }
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

  /// The block of an author behind another one.
  /// - Parameter key: seals it, if the database is sealed.
  package func made(
    _ database: UUID, _ identity: Identity, behind head: BlockRef, lamport: UInt32, key: EpochKey? = nil
  ) throws -> [UInt8] {
    var payload: [UInt8] = []
    var front = ByteWriter()
    ClearList.write(list, into: &front)
    payload += front.array()
    var mode = mode
    let array = array
    let overhead = key == nil ? Payload.signatureSize : SealedBlock.overhead
    if key != nil { mode.insert(.sealed) }
    var header = BlockHeader(
      mode: mode, payloadSize: UInt32(payload.count + array.count + overhead), index: head.index + 1, lamport: lamport,
      previous: head.digest, data: .zero)
    if let key {
      let names = database.bytes + identity.instance.bytes
      let secret = try HKDF.key(key.bytes, info: Array("sea block v1".utf8) + names)
      let name = key.digest.bytes
      let iv = Array(SHA256.hash(array + header.encoded()).bytes.prefix(AESGCM.ivSize))
      let additional = names + header.encoded()[..<BlockHeader.signedPart] + name
      payload += name + iv + (try AESGCM.seal(array, key: secret, iv: iv, additional: additional))
    } else {
      payload += array
    }
    let message = header.encoded().withUnsafeBytes {
      SignedMessage.bytes(
        database: database, instance: identity.instance, header: $0, payload: SHA256.hash(payload))
    }
    payload += try Ed25519.sign(message, seed: identity.signingSeed, key: identity.key)
    header.data = SHA256.hash(payload)
    return header.encoded() + payload
  }

  // MARK: - Items

  package static func cbor(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return writer.array()
  }

  /// A revision of a new record with one property, of a kind and with a value as they are given.
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

  /// An entry about the chain that has no other key.
  package static func entry(_ name: String) -> [UInt8] {
    cbor { writer in
      writer.cborMap(1)
      writer.cborText("control")
      writer.cborText(name)
    }
  }
}

/// The hash of a block that is one.
package func hash(of block: [UInt8]) -> Digest {
  guard let header = block.withUnsafeBytes({ try? BlockHeader($0) }) else { preconditionFailure("no block") }
  return header.hash
}
