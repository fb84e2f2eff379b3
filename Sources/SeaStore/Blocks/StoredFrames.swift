import SeaCore

/// Where the frames of a compressed block lie in the bytes that are kept of it: header, clear list, frames, and of a plain block the
/// signature. Places count as in the clear form, which has the clear array in the place of the frames.
struct StoredFrames {
  private let table: StoredBytes
  private let sequence: Int64
  /// The bytes before the frames, which are clear.
  private let front: Int
  private let contentSize: Int
  /// Where each frame begins in the kept bytes, and where the last one ends.
  private let starts: [UInt32]

  /// What is kept of it beside the bytes: front, content size and starts, each 32 bits.
  /// - Returns: nil if there are no frames in the bytes.
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

  /// The whole clear form.
  func all() throws(StoreError) -> [UInt8] {
    let bytes = try table.framedPieces(sequence, 0, Int(starts.last!))
    let clear = bytes.withUnsafeBytes { bytes in
      Frames.open(UnsafeRawBufferPointer(rebasing: bytes[front...]), front: front)
    }
    guard var clear else { throw .damaged("block \(sequence)") }
    clear.replaceSubrange(..<front, with: bytes[..<front])
    return clear
  }

  /// Part of the clear form.
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
      let take = min(length - result.count, content.count - from)
      result += content[from..<from + take]
    }
    return result
  }

  /// The content of the frame in which a place lies, and where it begins; nil of a place before the frames.
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

/// What came out of the frames that were opened last: of records in the order of their ids many blocks are read in turn.
struct OpenedFrames {
  /// Bytes that are kept, and of who comes back to what was forgotten: memory that is used anew costs nothing, and more of it does.
  static let mostAtFirst = 8 << 20
  static let mostBytes = 32 << 20
  private var most = mostAtFirst
  private var forgotten: Set<Int64> = []
  private var opener: Frames.Opener?
  private var contents = SmallMap<(content: [UInt8], used: UInt64)>()
  private var bytes = 0
  private var clock: UInt64 = 0

  /// What comes out of a frame; nil if it is damaged.
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

  private func place(_ sequence: Int64, _ frame: Int) -> Int64 { sequence << 16 | Int64(frame) }

  subscript(sequence: Int64, frame: Int) -> [UInt8]? {
    mutating get {
      guard let found = contents.index(of: place(sequence, frame)) else { return nil }
      clock += 1
      contents.values[found].used = clock
      return contents.values[found].content
    }
    set {
      guard let newValue else { return }
      let place = place(sequence, frame)
      if most < OpenedFrames.mostBytes, forgotten.contains(place) { (most, forgotten) = (OpenedFrames.mostBytes, []) }
      while bytes + newValue.count > most,
        let oldest = contents.values.indices.min(by: { contents.values[$0].used < contents.values[$1].used })
      {
        bytes -= contents.values[oldest].content.count
        if most < OpenedFrames.mostBytes, forgotten.count < 1024 { forgotten.insert(contents.keys[oldest]) }
        contents.remove(at: oldest)
      }
      clock += 1
      contents[place] = (newValue, clock)
      bytes += newValue.count
    }
  }
}
