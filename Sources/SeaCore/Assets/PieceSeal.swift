/// Sealed assets: `key (32) || salt (16) || pieces`, each piece of 64 KiB sealed for its place (STREAM).
package enum PieceSeal {
  package static let pieceSize = 65_536
  package static let saltSize = 16
  package static let headerSize = Digest.size + saltSize
  static let sealedPieceSize = pieceSize + AESGCM.tagSize

  /// What an asset is: every piece is bound to it.
  package struct Place: Sendable {
    package let database: UUID
    package let instance: UUID
    package let index: UInt32

    package init(database: UUID, instance: UUID, index: UInt32) {
      self.database = database
      self.instance = instance
      self.index = index
    }
  }

  /// How many bytes content of this size has when sealed.
  package static func sealedSize(of count: Int) -> Int {
    headerSize + count + max(1, count / pieceSize + (count % pieceSize == 0 ? 0 : 1)) * AESGCM.tagSize
  }

  /// The digest of the key that opens the asset that begins so; nil if the bytes are too few.
  package static func key(of header: some Collection<UInt8>) -> Digest? { Digest(Array(header.prefix(Digest.size))) }

  static func key(_ key: EpochKey, salt: [UInt8], _ place: Place) throws(CoreError) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    place.database.withBytes { writer.append($0) }
    place.instance.withBytes { writer.append($0) }
    writer.uint32(place.index)
    return try key.derived("sea asset v1", writer.array(), salt: salt)
  }

  static func iv(_ counter: UInt64, isLast: Bool) -> [UInt8] {
    var iv = [UInt8](repeating: 0, count: AESGCM.ivSize)
    for k in 0..<8 { iv[10 - k] = UInt8(truncatingIfNeeded: counter >> UInt64(8 * k)) }
    iv[11] = isLast ? 1 : 0
    return iv
  }

  /// Cuts a stream into pieces of `size`; the last one is held back until it is known to be the last.
  struct Cutter {
    let size: Int
    private(set) var pending: [UInt8] = []
    private(set) var counter: UInt64 = 0

    init(size: Int) {
      self.size = size
      pending.reserveCapacity(size)
    }

    /// Hands over every piece that is followed by something.
    mutating func add(
      _ bytes: UnsafeRawBufferPointer,
      _ body: (UnsafeRawBufferPointer, UInt64) throws(CoreError) -> Void
    ) throws(CoreError) {
      var rest = bytes[...]
      while !rest.isEmpty {
        if pending.count == size {
          try Cutter.with(pending) { (piece) throws(CoreError) in try body(piece, counter) }
          counter += 1
          pending.removeAll(keepingCapacity: true)
        }
        // What stands in the stream as a whole, with more behind it, is not copied.
        while pending.isEmpty, rest.count > size {
          try body(UnsafeRawBufferPointer(rebasing: rest.prefix(size)), counter)
          counter += 1
          rest = rest.dropFirst(size)
        }
        let part = min(size - pending.count, rest.count)
        pending += rest.prefix(part)
        rest = rest.dropFirst(part)
      }
    }

    static func with(
      _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(CoreError) -> Void
    ) throws(CoreError) {
      try bytes.withUnsafeBytes { bytes in
        Result<Void, CoreError> { () throws(CoreError) in try body(bytes) }
      }.get()
    }

    mutating func wipe() { Secret.wipe(&pending) }
  }
}

extension Array<UInt8> {
  /// Lets `body` fill `count` more bytes; those of a failure are taken away again.
  mutating func appendFilling(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(CoreError) -> Void
  ) throws(CoreError) {
    let start = self.count
    append(contentsOf: repeatElement(0, count: count))
    let result = withUnsafeMutableBytes { bytes in
      Result<Void, CoreError> { () throws(CoreError) in
        try body(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
      }
    }
    if case .failure(let error) = result {
      removeLast(count)
      throw error
    }
  }
}
