/// One xz stream whose only filter is LZMA2, in blocks.
struct XzScreen: SteppedScreen {
  private enum Part { case start, blockSize, blockHeader, chunk, chunkHeader, index, footer, end }

  private var part = Part.start
  var steps = ScreenSteps(wanting: 12)
  private var checkSize = 0
  private var blocks: UInt64 = 0
  /// Bytes of the block's data, or of the index, so far: both are padded to a multiple of 4.
  private var count: Int64 = 0
  /// Numbers of the index that are still to come; nil before their count is known.
  private var numbersLeft: UInt64?
  private var number: UInt64 = 0
  private var shift: UInt64 = 0

  var isWhole: Bool { part == .end }

  mutating func step() throws(BundleError) {
    let bytes = steps.collected
    switch part {
    case .start:
      guard bytes[..<6] == [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], bytes[6] == 0, bytes[7] < 16 else {
        throw .compression(.feature)
      }
      checkSize = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64][Int(bytes[7])]
      part = .blockSize
      steps.next(collect: 1)
    case .blockSize:
      if bytes[0] == 0 {
        part = .index
        count = 1
        steps.next(collect: 1)
      } else {
        part = .blockHeader
        steps.more(Int(bytes[0]) * 4 + 3)
      }
    case .blockHeader:
      try checkHeader(bytes)
      blocks += 1
      count = 0
      part = .chunk
      steps.next(collect: 1)
    case .chunk: try beginChunk(bytes[0])
    case .chunkHeader: endChunk(bytes)
    case .index: try takeIndex(bytes[0])
    case .footer:
      guard bytes.suffix(2) == [0x59, 0x5A] else { throw .compression(.damaged) }
      part = .end
    case .end: break
    }
  }

  /// One filter, LZMA2, with a dictionary that is not too large.
  private func checkHeader(_ bytes: [UInt8]) throws(BundleError) {
    guard bytes[1] & 0x3F == 0 else { throw .compression(.feature) }
    var position = 2
    for flag in [UInt8(0x40), 0x80] where bytes[1] & flag != 0 {
      while position < bytes.count, bytes[position] & 0x80 != 0 { position += 1 }
      position += 1
    }
    guard position + 3 <= bytes.count - 4, bytes[position] == 0x21, bytes[position + 1] == 1 else {
      throw .compression(.feature)
    }
    let code = bytes[position + 2]
    guard code <= 40 else { throw .compression(.damaged) }
    let size = code == 40 ? Int64(UInt32.max) : (2 | Int64(code & 1)) << (Int64(code) / 2 + 11)
    guard size <= largestWindow else { throw .tooLarge(.window(size)) }
  }

  private mutating func beginChunk(_ control: UInt8) throws(BundleError) {
    count += 1
    switch control {
    case 0:
      let padding = (4 - count % 4) % 4
      part = .blockSize
      steps.next(skip: padding + Int64(checkSize), collect: 1)
    case 1, 2:
      part = .chunkHeader
      steps.more(2)
    case 0x80...:
      part = .chunkHeader
      steps.more(control >= 0xC0 ? 5 : 4)
    default: throw .compression(.damaged)
    }
  }

  private mutating func endChunk(_ bytes: [UInt8]) {
    let isStored = bytes[0] < 0x80
    let size = Int64(bytes[isStored ? 1 : 3]) << 8 + Int64(bytes[isStored ? 2 : 4]) + 1
    count += Int64(bytes.count) - 1 + size
    part = .chunk
    steps.next(skip: size, collect: 1)
  }

  /// The number of blocks, and two numbers for each.
  private mutating func takeIndex(_ byte: UInt8) throws(BundleError) {
    count += 1
    guard shift < 63 else { throw .compression(.damaged) }
    number |= UInt64(byte & 0x7F) << shift
    shift += 7
    steps.next(collect: 1)
    guard byte & 0x80 == 0 else { return }
    if let left = numbersLeft {
      numbersLeft = left - 1
    } else {
      guard number == blocks else { throw .compression(.damaged) }
      numbersLeft = 2 * blocks
    }
    (number, shift) = (0, 0)
    guard numbersLeft == 0 else { return }
    part = .footer
    // The padding and CRC of the index, then the footer.
    steps.next(skip: (4 - count % 4) % 4 + 4, collect: 12)
  }
}
