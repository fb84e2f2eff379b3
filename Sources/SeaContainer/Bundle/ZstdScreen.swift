/// One zstd frame (RFC 8878) without a dictionary.
struct ZstdScreen: SteppedScreen {
  private enum Part { case start, header, block, checksum, end }

  private var part = Part.start
  var steps = ScreenSteps(wanting: 5)
  private var hasChecksum = false

  var isWhole: Bool { part == .end }

  mutating func step() throws(BundleError) {
    let bytes = steps.collected
    switch part {
    case .start:
      guard bytes[..<4] == [0x28, 0xB5, 0x2F, 0xFD] else { throw .compression(.feature) }
      let flags = bytes[4]
      // A reserved bit, or a dictionary.
      guard flags & 0x0B == 0 else { throw .compression(.feature) }
      hasChecksum = flags & 0x04 != 0
      part = .header
      steps.more(ZstdScreen.headerSize(flags))
    case .header:
      try checkWindow(bytes)
      part = .block
      steps.next(collect: 3)
    case .block:
      let header = Int64(bytes[0]) | Int64(bytes[1]) << 8 | Int64(bytes[2]) << 16
      let size = header >> 3
      guard header >> 1 & 3 != 3, size <= 128 << 10 else { throw .compression(.damaged) }
      // A block that repeats one byte holds that byte.
      let stored = header >> 1 & 3 == 1 ? 1 : size
      if header & 1 == 0 {
        steps.next(skip: stored, collect: 3)
      } else {
        part = .checksum
        steps.next(skip: stored, collect: hasChecksum ? 4 : 0)
      }
    case .checksum: part = .end
    case .end: break
    }
  }

  private static func headerSize(_ flags: UInt8) -> Int {
    let isSingle = flags & 0x20 != 0
    let sizes = [isSingle ? 1 : 0, 2, 4, 8]
    return sizes[Int(flags >> 6)] + (isSingle ? 0 : 1)
  }

  private func checkWindow(_ bytes: [UInt8]) throws(BundleError) {
    var window: UInt64
    if bytes[4] & 0x20 != 0 {
      // The whole content is the window.
      window = bytes[5...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      if bytes.count == 7 { window += 256 }
    } else {
      let base = UInt64(1) << (10 + UInt64(bytes[5] >> 3))
      window = base + base / 8 * UInt64(bytes[5] & 7)
    }
    guard window <= UInt64(largestWindow) else { throw .tooLarge(.window(Int64(clamping: window))) }
  }
}
