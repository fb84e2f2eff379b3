import SeaCore

/// The bytes of blocks, split into pieces of one page each. Compressed blocks are also divided into frames.
package final class StoredBytes {
  let connection: Connection
  private var knownFrames = SmallMap<StoredFrames>()
  private var opened = OpenedFrames()
  private static let mostKnownFrames = 4096

  init(_ connection: Connection) { self.connection = connection }

  /// Returns all bytes of a block in the form that other instances receive.
  package func bytes(of block: BlockRow) throws(StoreError) -> [UInt8] { try front(of: block, block.size) }

  func front(of block: BlockRow, _ length: Int) throws(StoreError) -> [UInt8] {
    if try connection.isSealed(),
      let bytes = try pieces("SELECT bytes FROM sealed WHERE key = ?", block.sequence << 16, 0, length)
    {
      return bytes
    }
    // A purged block exists in only one form.
    guard try !connection.isSealed() || block.isRemoved else {
      throw .damaged("piece \(block.sequence)")
    }
    if let bytes = try clearPieces(block.sequence, 0, length) { return bytes }
    return try framedPieces(block.sequence, 0, length)
  }

  /// Returns the decrypted and decompressed form of a block, to which the offsets in revisions refer. Returns nil if
  /// the block has never been read.
  package func clearBytes(of block: BlockRow) throws(StoreError) -> [UInt8]? {
    guard block.state != .unread, !block.isRemoved else { return nil }
    let overhead = try connection.isSealed() ? SealedBlock.overhead : 0
    if let bytes = try clearPieces(block.sequence, 0, block.size - overhead) { return bytes }
    return try frames(of: block.sequence).all()
  }

  package func heads(of block: BlockRow) throws(StoreError) -> [BlockRef] {
    let header = try header(of: block)
    if header.heads == 0 { return [] }
    return try front(of: block, header.contentStart).withUnsafeBytes { header.heads(in: $0) }
  }

  package func key(of block: BlockRow) throws -> Digest {
    let header = try header(of: block)
    let size = header.mode.contains(.orders) ? block.size : header.contentStart + SealedBlock.overhead
    return try front(of: block, size).withUnsafeBytes { try SealedBlock.key(of: $0) }
  }

  func read(sequence: Int64, offset: Int, length: Int) throws(StoreError) -> [UInt8] {
    if let bytes = try clearPieces(sequence, offset, length) { return bytes }
    return try frames(of: sequence).read(offset, length, &opened)
  }

  /// Returns the frame of a compressed block that contains an offset in the block's plain form, and its start.
  func frame(sequence: Int64, at offset: Int) throws(StoreError) -> (content: [UInt8], start: Int)? {
    try frames(of: sequence).frame(at: offset, &opened)
  }

  private func clearPieces(_ sequence: Int64, _ offset: Int, _ length: Int) throws(StoreError) -> [UInt8]? {
    try pieces("SELECT bytes FROM piece WHERE key = ?", sequence << 16, offset, length)
  }

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

  /// Clears the caches, because other blocks reuse a transaction's sequence numbers after the transaction is rolled
  /// back.
  func forgetFrames() {
    knownFrames.removeAll()
    opened = OpenedFrames()
  }

  /// - Parameter first: the key of the first piece.
  /// - Returns: nil if the piece that contains `offset` is missing.
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
      let size = min(length - result.count, piece.count - from)
      guard size > 0 else { throw .damaged("piece \(first >> 16)/\(number)") }
      result.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[from..<from + size]))
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

  /// Stores a compressed block with an index of its frames, so that each frame can be decompressed separately.
  /// - Parameter tail: the number of bytes after the frames.
  /// - Returns: false, with nothing stored, if the bytes contain no frames.
  func copyFrames(
    _ bytes: UnsafeRawBufferPointer, tail: Int, sequence: Int64
  ) throws(StoreError) -> Bool {
    guard let index = StoredFrames.index(of: bytes, tail: tail) else { return false }
    let insert = try connection.statement("INSERT INTO piece(key, bytes) VALUES(?, ?)")
    try insert.bind(1, (sequence << 16 | Schema.frameIndex) as Int64?).bind(2, copy: index).run()
    try copyPieces(bytes, first: sequence << 16 | Schema.framedPieces, "INSERT INTO piece(key, bytes) VALUES(?, ?)")
    return true
  }

  func copyClear(
    _ clear: UnsafeRawBufferPointer, framed: [UInt8]?, sequence: Int64
  ) throws(StoreError) {
    guard let framed else { return try copyPieces(clear, sequence: sequence) }
    let isKept = try framed.withUnsafeBufferPointer { bytes throws(StoreError) in
      try copyFrames(UnsafeRawBufferPointer(bytes), tail: 0, sequence: sequence)
    }
    guard isKept else { throw .defect("frames that were not checked") }
  }

  package func header(of row: BlockRow) throws(StoreError) -> BlockHeader {
    let bytes = try front(of: row, BlockHeader.size)
    guard let header = bytes.withUnsafeBytes({ try? BlockHeader($0) }) else {
      throw .damaged("block \(row.ref)")
    }
    return header
  }

  /// Returns the bytes of a block after checking them against its digest, so that local damage does not spread.
  /// - Throws: `damaged` if the digest does not match.
  package func intactBytes(of row: BlockRow) throws(StoreError) -> [UInt8] {
    let bytes = try bytes(of: row)
    let digest = bytes.withUnsafeBytes { bytes in
      try? BlockHeader(bytes).hash(ofIntact: bytes)
    }
    guard digest == row.digest else { throw .damaged("block \(row.ref)") }
    return bytes
  }

  // MARK: - Purged blocks and the data of the purge orders that allow them

  package func remains(of row: BlockRow) throws(StoreError) -> [UInt8] {
    let size = try connection.statement("SELECT ifnull(sum(length(bytes)), 0) FROM piece WHERE key BETWEEN ? AND ?")
    defer { size.reset() }
    size.bind(1, (row.sequence << 16) as Int64?).bind(2, (row.sequence << 16 | Schema.frameIndex - 1) as Int64?)
    guard row.isRemoved, try size.step(), size.int(0) >= row.size else { throw .damaged("block \(row.ref)") }
    return try read(sequence: row.sequence, offset: 0, length: size.int(0))
  }

  package func source(of row: BlockRow) throws(StoreError) -> BlockRef? {
    guard row.state != .unread, row.isRemoved else { return nil }
    let bytes = try read(sequence: row.sequence, offset: row.size, length: BlockRef.rowSize)
    return bytes.withUnsafeBytes { BlockRef.rows($0).first }
  }

  func removePieces(_ row: BlockRow) throws(StoreError) {
    let remove = try connection.statement("DELETE FROM piece WHERE key BETWEEN ? AND ?")
    remove.bind(1, (row.sequence << 16) as Int64?)
    try remove.bind(2, (row.sequence << 16 | Schema.frameIndex - 1) as Int64?).run()
  }
}

/// The positions of the frames in a compressed block, which consists of header, heads, clear list, frames and, if
/// unencrypted, a signature. Offsets refer to the plain form, which has the decompressed content in place of the
/// frames.
struct StoredFrames {
  private let table: StoredBytes
  private let sequence: Int64
  private let front: Int
  private let contentSize: Int
  private let starts: [UInt32]

  /// Returns the index that is stored with the bytes. It contains the front, the content size and the starts, as 32-bit
  /// numbers.
  /// - Returns: nil if the bytes contain no frames.
  static func index(of bytes: UnsafeRawBufferPointer, tail: Int) -> [UInt8]? {
    guard let front = try? ClearList.end(in: bytes), front + tail <= bytes.count,
      let frames = Frames(UnsafeRawBufferPointer(rebasing: bytes[front..<bytes.count - tail]))
    else { return nil }
    var writer = ByteWriter(capacity: 4 * (frames.count + 3))
    writer.uint32(UInt32(front))
    writer.uint32(UInt32(frames.contentSize))
    for start in frames.starts { writer.uint32(UInt32(front + start)) }
    return writer.array()
  }

  init?(_ table: StoredBytes, _ sequence: Int64, index: [UInt8]) {
    guard index.count >= 16, index.count.isMultiple(of: 4) else { return nil }
    let numbers = index.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
      }
    }
    self.table = table
    self.sequence = sequence
    front = Int(numbers[0])
    contentSize = Int(numbers[1])
    starts = Array(numbers[2...])
    guard contentSize <= Frames.mostContent,
      (contentSize + Frames.pieceSize - 1) / Frames.pieceSize == starts.count - 1,
      zip(starts, starts.dropFirst()).allSatisfy(<)
    else { return nil }
  }

  func all() throws(StoreError) -> [UInt8] {
    let bytes = try table.framedPieces(sequence, 0, Int(starts.last!))
    let clear = bytes.withUnsafeBytes { bytes in
      Frames.open(UnsafeRawBufferPointer(rebasing: bytes[front...]), front: front)
    }
    guard var clear else { throw .damaged("block \(sequence)") }
    clear.replaceSubrange(..<front, with: bytes[..<front])
    return clear
  }

  func read(_ offset: Int, _ length: Int, _ opened: inout OpenedFrames) throws(StoreError) -> [UInt8] {
    guard offset >= 0, length >= 0, offset + length <= front + contentSize else { throw .damaged("block \(sequence)") }
    var result: [UInt8] = []
    result.reserveCapacity(length)
    if offset < front { result += try table.framedPieces(sequence, offset, min(length, front - offset)) }
    while result.count < length {
      let place = offset + result.count - front
      let frame = place / Frames.pieceSize
      let content = try content(of: frame, &opened)
      let from = place - frame * Frames.pieceSize
      let size = min(length - result.count, content.count - from)
      result += content[from..<from + size]
    }
    return result
  }

  /// Returns the content and the start of the frame that contains an offset; nil for an offset before the frames.
  func frame(at offset: Int, _ opened: inout OpenedFrames) throws(StoreError) -> (content: [UInt8], start: Int)? {
    guard offset >= front, offset < front + contentSize else { return nil }
    let frame = (offset - front) / Frames.pieceSize
    return (try content(of: frame, &opened), front + frame * Frames.pieceSize)
  }

  private func content(of frame: Int, _ opened: inout OpenedFrames) throws(StoreError) -> [UInt8] {
    if let known = opened[sequence, frame] { return known }
    let start = Int(starts[frame])
    let bytes = try table.framedPieces(sequence, start, Int(starts[frame + 1]) - start)
    let size = min(Frames.pieceSize, contentSize - frame * Frames.pieceSize)
    guard let content = opened.open(bytes, size) else { throw .damaged("block \(sequence)") }
    opened[sequence, frame] = content
    return content
  }
}

/// A cache of decompressed frames. It helps because reading records in order of their ids alternates between many
/// blocks.
struct OpenedFrames {
  /// Limits in bytes. The cache starts with the first limit, because allocating memory takes time. Once dropped frames
  /// are needed again, the second limit applies.
  static let mostAtFirst = 8 << 20
  static let mostBytes = 32 << 20
  private var most = mostAtFirst
  private var forgotten: Set<Int64> = []
  private var opener: Frames.Opener?
  private var contents = SmallMap<(content: [UInt8], used: UInt64)>()
  private var bytes = 0
  private var clock: UInt64 = 0

  mutating func open(_ frame: [UInt8], _ size: Int) -> [UInt8]? {
    if opener == nil { opener = Frames.Opener() }
    var isSound = false
    let content = [UInt8](unsafeUninitializedCapacity: size) { out, count in
      let out = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(out)[..<size])
      isSound = frame.withUnsafeBytes { opener!.open($0, into: out) }
      count = isSound ? size : 0
    }
    return isSound ? content : nil
  }

  private func key(_ sequence: Int64, _ frame: Int) -> Int64 { sequence << 16 | Int64(frame) }

  subscript(sequence: Int64, frame: Int) -> [UInt8]? {
    mutating get {
      guard let found = contents.index(of: key(sequence, frame)) else { return nil }
      clock += 1
      contents.values[found].used = clock
      return contents.values[found].content
    }
    set {
      guard let newValue else { return }
      let key = key(sequence, frame)
      if most < OpenedFrames.mostBytes, forgotten.contains(key) { (most, forgotten) = (OpenedFrames.mostBytes, []) }
      while bytes + newValue.count > most,
        let oldest = contents.values.indices.min(by: { contents.values[$0].used < contents.values[$1].used })
      {
        bytes -= contents.values[oldest].content.count
        if most < OpenedFrames.mostBytes, forgotten.count < 1024 { forgotten.insert(contents.keys[oldest]) }
        contents.remove(at: oldest)
      }
      clock += 1
      contents[key] = (newValue, clock)
      bytes += newValue.count
    }
  }
}

/// A map of at most a few hundred numbers, stored in sorted arrays.
///
/// A `Dictionary` would work, but the runtime creates its type on first use and then searches all protocol conformances
/// in the program. That search would take a twentieth of the running time of `sea get`.
package struct SmallMap<Value> {
  package private(set) var keys: [Int64] = []
  package var values: [Value] = []

  package init() {}

  package var count: Int { keys.count }

  private func lowerBound(of key: Int64) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  package func index(of key: Int64) -> Int? {
    let at = lowerBound(of: key)
    return at < keys.count && keys[at] == key ? at : nil
  }

  package subscript(key: Int64) -> Value? {
    get { index(of: key).map { values[$0] } }
    set {
      let at = lowerBound(of: key)
      let isThere = at < keys.count && keys[at] == key
      switch newValue {
      case let value? where isThere: values[at] = value
      case let value?:
        keys.insert(key, at: at)
        values.insert(value, at: at)
      case nil: if isThere { remove(at: at) }
      }
    }
  }

  package mutating func remove(at index: Int) {
    keys.remove(at: index)
    values.remove(at: index)
  }

  package mutating func removeAll() { self = SmallMap() }
}
