/// Encrypted assets: `key (32) || salt (16) || pieces`. Each 64 KiB piece is bound to its position (STREAM).
package enum PieceSeal {
  package static let pieceSize = 65_536
  package static let saltSize = 16
  package static let headerSize = Digest.size + saltSize
  static let sealedPieceSize = pieceSize + AESGCM.tagSize

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

  package static func sealedSize(of count: Int) -> Int {
    headerSize + count + max(1, count / pieceSize + (count % pieceSize == 0 ? 0 : 1)) * AESGCM.tagSize
  }

  /// Returns where the encrypted piece with a position of the content starts in the file.
  package static func sealedStart(of position: Int) -> Int { headerSize + position / pieceSize * sealedPieceSize }

  /// Returns the number of bytes of content in the complete pieces at the beginning of a file.
  package static func clearSize(ofFirst count: Int64) -> Int64 {
    max(0, count - Int64(headerSize)) / Int64(sealedPieceSize) * Int64(pieceSize)
  }

  /// Returns the digest of the key that encrypts the asset, read from its header; nil if the header is incomplete.
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

  /// Cuts a stream into pieces of `size` bytes. The last piece is held back until more bytes or the end arrive.
  struct Cutter {
    let size: Int
    private(set) var pending: [UInt8] = []
    private(set) var counter: UInt64 = 0

    init(size: Int) {
      self.size = size
      pending.reserveCapacity(size)
    }

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
        // Pieces within `bytes` that are followed by more bytes need not be copied.
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
  /// Appends `count` bytes and lets `body` fill them in. If `body` fails, the bytes are removed.
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

extension PieceSeal {
  /// Encrypts a stream, using a constant amount of memory.
  package struct Sealer {
    private var key: [UInt8]
    private var cutter = Cutter(size: pieceSize)
    private var header: [UInt8]
    private var hasEnded = false

    /// - Parameter salt: 16 random bytes.
    package init(_ key: EpochKey, salt: [UInt8], _ place: Place) throws(CoreError) {
      guard salt.count == saltSize else { throw .crypto("asset salt") }
      self.key = try PieceSeal.key(key, salt: salt, place)
      header = key.digest.bytes + salt
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer, into out: inout [UInt8]) throws(CoreError) {
      guard !hasEnded else { throw .crypto("asset has ended") }
      writeHeader(to: &out)
      let key = key
      try cutter.add(bytes) { (piece, counter) throws(CoreError) in
        try Sealer.seal(piece, key, iv(counter, isLast: false), &out)
      }
    }

    package mutating func finish(into out: inout [UInt8]) throws(CoreError) {
      guard !hasEnded else { throw .crypto("asset has ended") }
      hasEnded = true
      writeHeader(to: &out)
      let key = key
      try Cutter.with(cutter.pending) { (piece) throws(CoreError) in
        try Sealer.seal(piece, key, iv(cutter.counter, isLast: true), &out)
      }
      cutter.wipe()
    }

    private mutating func writeHeader(to out: inout [UInt8]) {
      out += header
      header = []
    }

    private static func seal(
      _ piece: UnsafeRawBufferPointer, _ key: [UInt8], _ iv: [UInt8], _ out: inout [UInt8]
    ) throws(CoreError) {
      try out.appendFilling(piece.count + AESGCM.tagSize) { (target) throws(CoreError) in
        try AESGCM.seal(piece, key: key, iv: iv, additional: [], into: target)
      }
    }
  }

  /// Decrypts a stream, using a constant amount of memory.
  ///
  /// Every output piece has been verified, but only a successful `finish` proves that the asset is complete. After an
  /// error, every call throws the same error.
  package struct Opener {
    private let epochKey: EpochKey
    private let place: Place
    private let passesOver: Bool
    /// The positions of the damaged pieces in the content, if they are passed over. Zeros take their place.
    package private(set) var damaged: [Int64] = []
    private var header: [UInt8] = []
    private var key: [UInt8] = []
    private var cutter = Cutter(size: sealedPieceSize)
    private var fault: CoreError?

    /// - Parameters:
    ///   - key: the key whose digest `PieceSeal.key(of:)` returns.
    ///   - passesOver: whether a damaged piece is no error.
    package init(_ key: EpochKey, _ place: Place, passesOver: Bool = false) {
      epochKey = key
      self.place = place
      self.passesOver = passesOver
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer, into out: inout [UInt8]) throws(CoreError) {
      if let fault { throw fault }
      do {
        let rest = try readHeader(from: bytes)
        let (key, passesOver) = (key, passesOver)
        var found: [Int64] = []
        try cutter.add(rest) { (piece, counter) throws(CoreError) in
          if try !Opener.open(piece, key, iv(counter, isLast: false), &out, passesOver) {
            found.append(Int64(counter) * Int64(pieceSize))
          }
        }
        damaged += found
      } catch {
        fault = error
        throw error
      }
    }

    package mutating func finish(into out: inout [UInt8]) throws(CoreError) {
      if let fault { throw fault }
      fault = .crypto("asset has ended")
      guard header.count == headerSize, cutter.pending.count >= AESGCM.tagSize else { throw fail(.truncated) }
      guard cutter.counter == 0 || cutter.pending.count > AESGCM.tagSize else { throw fail(.badSize) }
      let (key, counter, passesOver) = (key, cutter.counter, passesOver)
      do {
        var isRight = true
        try Cutter.with(cutter.pending) { (piece) throws(CoreError) in
          isRight = try Opener.open(piece, key, iv(counter, isLast: true), &out, passesOver)
        }
        if !isRight { damaged.append(Int64(counter) * Int64(pieceSize)) }
      } catch {
        fault = error
        throw error
      }
    }

    private mutating func fail(_ reason: AssetFault) -> CoreError {
      fault = .badAsset(reason)
      return .badAsset(reason)
    }

    private mutating func readHeader(from bytes: UnsafeRawBufferPointer) throws(CoreError) -> UnsafeRawBufferPointer {
      guard header.count < headerSize else { return bytes }
      let part = bytes.prefix(headerSize - header.count)
      header += part
      if header.count == headerSize {
        guard PieceSeal.key(of: header) == epochKey.digest else { throw .badAsset(.otherKey) }
        key = try PieceSeal.key(epochKey, salt: Array(header[Digest.size...]), place)
      }
      return UnsafeRawBufferPointer(rebasing: bytes.dropFirst(part.count))
    }

    /// - Returns: false if the piece is damaged and zeros took its place.
    private static func open(
      _ piece: UnsafeRawBufferPointer, _ key: [UInt8], _ iv: [UInt8], _ out: inout [UInt8], _ passesOver: Bool
    ) throws(CoreError) -> Bool {
      var isRight = true
      try out.appendFilling(piece.count - AESGCM.tagSize) { (target) throws(CoreError) in
        isRight = AESGCM.open(piece, key: key, iv: iv, additional: [], into: target)
        if isRight { return }
        guard passesOver else { throw .badAsset(.badTag) }
        target.initializeMemory(as: UInt8.self, repeating: 0)
      }
      return isRight
    }
  }
}
