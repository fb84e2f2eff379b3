extension PieceSeal {
  /// Seals a stream, in memory of a few pieces.
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

    /// Takes content in and appends what is ready of the sealed asset to `out`.
    package mutating func update(_ bytes: UnsafeRawBufferPointer, into out: inout [UInt8]) throws(CoreError) {
      guard !hasEnded else { throw .crypto("asset has ended") }
      takeHeader(&out)
      let key = key
      try cutter.add(bytes) { (piece, counter) throws(CoreError) in
        try Sealer.seal(piece, key, iv(counter, isLast: false), &out)
      }
    }

    /// Appends the last piece.
    package mutating func finish(into out: inout [UInt8]) throws(CoreError) {
      guard !hasEnded else { throw .crypto("asset has ended") }
      hasEnded = true
      takeHeader(&out)
      let key = key
      try Cutter.with(cutter.pending) { (piece) throws(CoreError) in
        try Sealer.seal(piece, key, iv(cutter.counter, isLast: true), &out)
      }
      cutter.wipe()
    }

    private mutating func takeHeader(_ out: inout [UInt8]) {
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

  /// Opens a stream, in memory of a few pieces.
  ///
  /// What it gives out was verified, piece by piece; that nothing is missing is known when `finish` has returned. After
  /// a fault everything throws that fault again.
  package struct Opener {
    private let epochKey: EpochKey
    private let place: Place
    private var header: [UInt8] = []
    private var key: [UInt8] = []
    private var cutter = Cutter(size: sealedPieceSize)
    private var fault: CoreError?

    /// - Parameter key: the one that `PieceSeal.key(of:)` names.
    package init(_ key: EpochKey, _ place: Place) {
      epochKey = key
      self.place = place
    }

    /// Takes sealed bytes in and appends what is verified of the content to `out`.
    package mutating func update(_ bytes: UnsafeRawBufferPointer, into out: inout [UInt8]) throws(CoreError) {
      if let fault { throw fault }
      do {
        let rest = try takeHeader(bytes)
        let key = key
        try cutter.add(rest) { (piece, counter) throws(CoreError) in
          try Opener.open(piece, key, iv(counter, isLast: false), &out)
        }
      } catch {
        fault = error
        throw error
      }
    }

    /// Opens the last piece.
    package mutating func finish(into out: inout [UInt8]) throws(CoreError) {
      if let fault { throw fault }
      fault = .crypto("asset has ended")
      guard header.count == headerSize, cutter.pending.count >= AESGCM.tagSize else { throw fail(.truncated) }
      guard cutter.counter == 0 || cutter.pending.count > AESGCM.tagSize else { throw fail(.badSize) }
      let key = key
      do {
        try Cutter.with(cutter.pending) { (piece) throws(CoreError) in
          try Opener.open(piece, key, iv(cutter.counter, isLast: true), &out)
        }
      } catch {
        fault = error
        throw error
      }
    }

    private mutating func fail(_ reason: AssetFault) -> CoreError {
      fault = .badAsset(reason)
      return .badAsset(reason)
    }

    /// What stands behind the header, whose key is worked out when it is whole.
    private mutating func takeHeader(_ bytes: UnsafeRawBufferPointer) throws(CoreError) -> UnsafeRawBufferPointer {
      guard header.count < headerSize else { return bytes }
      let part = bytes.prefix(headerSize - header.count)
      header += part
      if header.count == headerSize {
        guard PieceSeal.key(of: header) == epochKey.digest else { throw .badAsset(.otherKey) }
        key = try PieceSeal.key(epochKey, salt: Array(header[Digest.size...]), place)
      }
      return UnsafeRawBufferPointer(rebasing: bytes.dropFirst(part.count))
    }

    private static func open(
      _ piece: UnsafeRawBufferPointer, _ key: [UInt8], _ iv: [UInt8], _ out: inout [UInt8]
    ) throws(CoreError) {
      try out.appendFilling(piece.count - AESGCM.tagSize) { (target) throws(CoreError) in
        guard AESGCM.open(piece, key: key, iv: iv, additional: [], into: target) else { throw .badAsset(.badTag) }
      }
    }
  }
}
