import SeaCore

/// The bytes of blocks: pieces that fill a page each, and frames of those that are compressed.
package final class StoredBytes {
  let connection: Connection
  /// The frames of compressed blocks that were looked into, and what came out of those that were opened last.
  private var knownFrames = SmallMap<StoredFrames>()
  private var opened = OpenedFrames()
  private static let mostKnownFrames = 4096

  init(_ connection: Connection) { self.connection = connection }

  /// The complete bytes of a block, as others get it.
  package func bytes(of block: BlockRow) throws(StoreError) -> [UInt8] { try front(of: block, block.size) }

  /// The first bytes of a block as others get it.
  func front(of block: BlockRow, _ length: Int) throws(StoreError) -> [UInt8] {
    if try connection.isSealed(),
      let bytes = try pieces("SELECT bytes FROM sealed WHERE key = ?", block.sequence << 16, 0, length)
    {
      return bytes
    }
    // A removed block of a sealed chain is a plain one.
    guard try !connection.isSealed() || block.size == BlockHeader.size + Digest.size else {
      throw .damaged("piece \(block.sequence)")
    }
    if let bytes = try clearPieces(block.sequence, 0, length) { return bytes }
    return try framedPieces(block.sequence, 0, length)
  }

  /// What revisions point into: the block itself, or its clear form if it is sealed or compressed; nil if it was never read.
  package func clearBytes(of block: BlockRow) throws(StoreError) -> [UInt8]? {
    guard block.state != .unread, !block.isRemoved else { return nil }
    let overhead = try connection.isSealed() ? SealedBlock.overhead : 0
    if let bytes = try clearPieces(block.sequence, 0, block.size - overhead) { return bytes }
    return try frames(of: block.sequence).all()
  }

  /// The first bytes of the clear form of a block that was read: mostly enough for what stands before its content.
  private func front(of block: BlockRow) throws(StoreError) -> [UInt8] {
    let overhead = try connection.isSealed() ? SealedBlock.overhead : 0
    return try read(sequence: block.sequence, offset: 0, length: min(block.size - overhead, Schema.pieceSize))
  }

  /// The heads that a block names which was read: mostly without a look at its content.
  package func heads(of block: BlockRow) throws(StoreError) -> [BlockRef] {
    if block.isRemoved {
      let bytes = try remains(of: block)
      guard let remains = bytes.withUnsafeBytes({ try? Remains(ofKept: $0) }) else {
        throw .damaged("block \(block.ref)")
      }
      return remains.heads
    }
    func heads(_ bytes: [UInt8]) -> [BlockRef]? { bytes.withUnsafeBytes { try? BlockReader.heads(ofKept: $0) } }
    if let start = try? front(of: block), let heads = heads(start) { return heads }
    guard let all = try clearBytes(of: block), let heads = heads(all) else { throw .damaged("block \(block.ref)") }
    return heads
  }

  /// The digest of the key under which a sealed block lies.
  package func key(of block: BlockRow) throws -> Digest {
    let start = try front(of: block, min(block.size, Schema.pieceSize))
    let isEnough = try !start.withUnsafeBytes { try BlockHeader($0) }.mode.contains(.orders)
    return try (isEnough ? start : bytes(of: block)).withUnsafeBytes { try SealedBlock.key(of: $0) }
  }

  /// What the header of a block says of its payload.
  package func mode(of block: BlockRow) throws(StoreError) -> BlockHeader.Mode {
    let bytes = try front(of: block, BlockHeader.size)
    guard let header = bytes.withUnsafeBytes({ try? BlockHeader($0) }) else { throw .damaged("block") }
    return header.mode
  }

  /// Part of the clear form of a stored block.
  func read(sequence: Int64, offset: Int, length: Int) throws(StoreError) -> [UInt8] {
    if let bytes = try clearPieces(sequence, offset, length) { return bytes }
    return try frames(of: sequence).read(offset, length, &opened)
  }

  /// Of a compressed block the frame in which a place of its clear form lies, and where the frame begins.
  func frame(sequence: Int64, at offset: Int) throws(StoreError) -> (content: [UInt8], start: Int)? {
    try frames(of: sequence).frame(at: offset, &opened)
  }

  private func clearPieces(_ sequence: Int64, _ offset: Int, _ length: Int) throws(StoreError) -> [UInt8]? {
    try pieces("SELECT bytes FROM piece WHERE key = ?", sequence << 16, offset, length)
  }

  /// The bytes that the frames of a compressed block stand in.
  func framedPieces(_ sequence: Int64, _ offset: Int, _ length: Int) throws(StoreError) -> [UInt8] {
    let first = sequence << 16 | Schema.framedPieces
    guard let bytes = try pieces("SELECT bytes FROM piece WHERE key = ?", first, offset, length) else {
      throw .damaged("piece \(sequence)")
    }
    return bytes
  }

  private func frames(of sequence: Int64) throws(StoreError) -> StoredFrames {
    if let known = knownFrames[sequence] { return known }
    let find = try connection.statement("SELECT bytes FROM piece WHERE key = ?")
    defer { find.reset() }
    find.bind(1, (sequence << 16 | Schema.frameIndex) as Int64?)
    guard try find.step(), let frames = StoredFrames(self, sequence, index: find.array(0)) else {
      throw .damaged("piece \(sequence)")
    }
    if knownFrames.count >= StoredBytes.mostKnownFrames { knownFrames.removeAll() }
    knownFrames[sequence] = frames
    return frames
  }

  /// What was undone gives its numbers to other blocks.
  func forgetFrames() {
    knownFrames.removeAll()
    opened = OpenedFrames()
  }

  /// - Parameter first: the key of the first piece.
  /// - Returns: nil if the piece in which `offset` lies is not there.
  private func pieces(
    _ sql: StaticString, _ first: Int64, _ offset: Int, _ length: Int
  ) throws(StoreError) -> [UInt8]? {
    guard offset >= 0, length >= 0, offset + length <= BlockHeader.largestBlock else { throw .damaged("piece") }
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var result: [UInt8] = []
    result.reserveCapacity(length)
    var number = offset / Schema.pieceSize
    var from = offset % Schema.pieceSize
    while result.count < length {
      statement.reset()
      statement.bind(1, (first + Int64(number)) as Int64?)
      guard try statement.step() else {
        if result.isEmpty { return nil }
        throw .damaged("piece \(first >> 16)/\(number)")
      }
      let piece = statement.bytes(0)
      let take = min(length - result.count, piece.count - from)
      guard take > 0 else { throw .damaged("piece \(first >> 16)/\(number)") }
      result.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[from..<from + take]))
      from = 0
      number += 1
    }
    return result
  }

  func copyPieces(_ bytes: UnsafeRawBufferPointer, sequence: Int64) throws(StoreError) {
    try copyPieces(bytes, first: sequence << 16, "INSERT INTO piece(key, bytes) VALUES(?, ?)")
  }

  func copyPieces(
    _ bytes: UnsafeRawBufferPointer, first: Int64, _ sql: StaticString
  ) throws(StoreError) {
    let piece = try connection.statement(sql)
    var start = 0
    var number: Int64 = 0
    while start < bytes.count {
      let end = min(start + Schema.pieceSize, bytes.count)
      piece.bind(1, (first + number) as Int64?)
      piece.bind(2, blob: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      try piece.run()
      start = end
      number += 1
    }
  }

  /// Keeps a compressed block so that one of its frames can be opened alone.
  /// - Parameter tail: bytes behind the frames.
  /// - Returns: false if there are no frames in it, and nothing was kept.
  func copyFrames(
    _ bytes: UnsafeRawBufferPointer, tail: Int, sequence: Int64
  ) throws(StoreError) -> Bool {
    guard let index = StoredFrames.index(of: bytes, tail: tail) else { return false }
    let insert = try connection.statement("INSERT INTO piece(key, bytes) VALUES(?, ?)")
    try insert.bind(1, (sequence << 16 | Schema.frameIndex) as Int64?).bind(2, copy: index).run()
    try copyPieces(bytes, first: sequence << 16 | Schema.framedPieces, "INSERT INTO piece(key, bytes) VALUES(?, ?)")
    return true
  }

  /// Keeps what revisions point into.
  func copyClear(
    _ clear: UnsafeRawBufferPointer, framed: [UInt8]?, sequence: Int64
  ) throws(StoreError) {
    guard let framed else { return try copyPieces(clear, sequence: sequence) }
    let isKept = try framed.withUnsafeBufferPointer { bytes throws(StoreError) in
      try copyFrames(UnsafeRawBufferPointer(bytes), tail: 0, sequence: sequence)
    }
    guard isKept else { throw .defect("frames that were not looked at") }
  }

  /// The header of a block as others get it.
  package func header(of row: BlockRow) throws(StoreError) -> BlockHeader? {
    try front(of: row, BlockHeader.size).withUnsafeBytes { try? BlockHeader($0) }
  }

  /// A block as it was when it was taken in: what this disk has damaged does not go on to others.
  /// - Throws: `damaged`.
  package func intactBytes(of row: BlockRow) throws(StoreError) -> [UInt8] {
    let bytes = try bytes(of: row)
    let digest = bytes.withUnsafeBytes { bytes -> Digest? in
      guard let header = try? BlockHeader(bytes), header.blockSize == bytes.count else { return nil }
      return header.digest(of: bytes)
    }
    guard digest == row.digest else { throw .damaged("block \(row.ref)") }
    return bytes
  }

  // MARK: - What is left of removed blocks: 112 bytes, and behind them what the order says that allows them, if one does

  /// A removed block and what is kept behind it.
  package func remains(of row: BlockRow) throws(StoreError) -> [UInt8] {
    let size = try connection.statement("SELECT ifnull(sum(length(bytes)), 0) FROM piece WHERE key BETWEEN ? AND ?")
    defer { size.reset() }
    size.bind(1, (row.sequence << 16) as Int64?).bind(2, (row.sequence << 16 | Schema.frameIndex - 1) as Int64?)
    guard row.isRemoved, try size.step(), size.int(0) >= Remains.blockSize else { throw .damaged("block \(row.ref)") }
    return try read(sequence: row.sequence, offset: 0, length: size.int(0))
  }

  /// The block in which the order stands that allows a removed one; nil if none does.
  package func source(of row: BlockRow) throws(StoreError) -> BlockRef? {
    guard row.state != .unread, row.isRemoved else { return nil }
    let bytes = try read(sequence: row.sequence, offset: 0, length: Remains.blockSize + Remains.sourceSize)
    return bytes.withUnsafeBytes { Remains.source(ofKept: $0) }
  }

  func removePieces(_ row: BlockRow) throws(StoreError) {
    let remove = try connection.statement("DELETE FROM piece WHERE key BETWEEN ? AND ?")
    remove.bind(1, (row.sequence << 16) as Int64?)
    try remove.bind(2, (row.sequence << 16 | Schema.frameIndex - 1) as Int64?).run()
  }
}
