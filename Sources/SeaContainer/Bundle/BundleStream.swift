import CArchive
import SeaSystem

final class BundleStream {
  static let piece = 1 << 20

  private let input: BundleInput
  private let buffer: UnsafeMutableRawBufferPointer
  private var waiting: UnsafeRawBufferPointer
  private let compression: BundleCompression
  private var screen: (any CompressionChecker)?
  private var archive: ArchiveInput?
  private var inputEnded = false
  private var isAtEnd = false
  private var crc: UInt = 0
  private var size: Int64 = 0

  init(_ input: BundleInput) throws {
    self.input = input
    buffer = .allocate(byteCount: BundleStream.piece, alignment: 4096)
    var have = 0
    while have < BundleCompression.magicSize {
      // The first read is always aligned. Only streams need a second read.
      let count = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[have...]))
      if count == 0 { break }
      have += count
    }
    waiting = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<have])
    compression = BundleCompression(magic: waiting)
    switch compression {
    case .none: break
    case .gzip: screen = GzipScreen()
    case .xz: screen = XzScreen()
    case .zstd: screen = ZstdScreen()
    }
  }

  deinit { buffer.deallocate() }

  struct Early: Error {}

  private func more() throws -> UnsafeRawBufferPointer {
    var next = waiting
    waiting = UnsafeRawBufferPointer(start: nil, count: 0)
    if next.isEmpty, !inputEnded {
      next = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<(try input.read(into: buffer))])
    }
    if next.isEmpty { inputEnded = true } else { try screen?.consume(next) }
    return next
  }

  /// Reads some bytes. Returns 0 if the end is reached and well formed.
  /// - Throws: `Early`, `trailing`, `tooLarge`, `compression` or `system`.
  func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    guard compression != .none else { return try plain(into: target) }
    guard !isAtEnd else { return 0 }
    do {
      if archive == nil { archive = try ArchiveInput(compression) { [unowned self] in try more() } }
      let count = try archive?.read(into: target) ?? 0
      if count > 0 {
        if compression == .gzip { add(UnsafeRawBufferPointer(rebasing: target[..<count])) }
        return count
      }
    } catch BundleError.compression(.damaged) {
      // The decompressor reports a premature end as damage.
      let isCut = screen?.isWhole == false || (compression == .gzip && archive?.wantedMore != false)
      throw inputEnded && isCut ? Early() : BundleError.compression(.damaged)
    }
    isAtEnd = true
    try checkEnd()
    return 0
  }

  private func plain(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    guard waiting.isEmpty else {
      let count = min(waiting.count, target.count)
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: waiting[..<count]))
      waiting = UnsafeRawBufferPointer(rebasing: waiting[count...])
      return count
    }
    return try input.read(into: target)
  }

  private func add(_ bytes: UnsafeRawBufferPointer) {
    crc = crc32_z(crc, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    size += Int64(bytes.count)
  }

  /// Checks that the stream and the input also end where libarchive stopped.
  private func checkEnd() throws {
    let used = archive?.used ?? 0
    while !inputEnded { _ = try more() }
    guard screen?.isWhole == true else { throw Early() }
    guard let gzip = screen as? GzipScreen else { return }
    let end = gzip.end(
      unused: input.position - used, crc: UInt32(truncatingIfNeeded: crc), size: UInt32(truncatingIfNeeded: size))
    switch end {
    case .good: break
    case .cut: throw Early()
    case .damaged: throw BundleError.compression(.damaged)
    case .trailing: throw BundleError.trailing
    }
  }
}

/// A gzip member (RFC 1952). Only the decompressor knows where the deflate data ends, so the CRC and the size are
/// checked at the end. libarchive ignores both.
struct GzipScreen: CompressionChecker {
  private static let trailer = 8

  /// The last bytes of the input, at most as many as two trailers have.
  private var tail: [UInt8] = []
  private var head: [UInt8] = []

  var isWhole: Bool { tail.count >= GzipScreen.trailer && head.count == 4 }

  mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(BundleError) {
    head.append(contentsOf: bytes.prefix(4 - head.count))
    // The method must be deflate, without reserved flags.
    if head.count == 4, head[2] != 8 || head[3] & 0xE0 != 0 { throw .compression(.feature) }
    tail.append(contentsOf: bytes.suffix(2 * GzipScreen.trailer))
    tail.removeFirst(max(0, tail.count - 2 * GzipScreen.trailer))
  }

  enum End { case good, cut, damaged, trailing }

  /// Checks the end of the stream, whose last `unused` bytes libarchive has not read. `crc` and `size` describe the
  /// decompressed content.
  func end(unused: Int64, crc: UInt32, size: UInt32) -> End {
    guard unused <= Int64(tail.count) - Int64(GzipScreen.trailer) else { return .trailing }
    let trailer = tail.dropLast(Int(unused)).suffix(GzipScreen.trailer)
    func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    let isKept = number(trailer.prefix(4)) == crc && number(trailer.suffix(4)) == size
    switch (isKept, unused) {
    case (true, 0): return .good
    case (true, _): return .trailing
    case (false, 0): return .damaged
    case (false, _): return unused < Int64(GzipScreen.trailer) ? .cut : .trailing
    }
  }
}

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
      // The flags have a reserved bit or a dictionary.
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
      // An RLE block stores only the repeated byte.
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
      // The window size is the size of the whole content.
      window = bytes[5...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      if bytes.count == 7 { window += 256 }
    } else {
      let base = UInt64(1) << (10 + UInt64(bytes[5] >> 3))
      window = base + base / 8 * UInt64(bytes[5] & 7)
    }
    guard window <= UInt64(largestWindow) else { throw .tooLarge(.window(Int64(clamping: window))) }
  }
}

/// Decompresses through libarchive, with one specific filter and no archive format.
final class ArchiveInput {
  private let archive: OpaquePointer
  private let more: () throws -> UnsafeRawBufferPointer
  /// The error that `more` threw, stored here because libarchive does not keep it.
  private var failure: (any Error)?

  /// - Parameter more: returns the next compressed bytes, valid until the next call, or an empty buffer at the end.
  init(_ compression: BundleCompression, more: @escaping () throws -> UnsafeRawBufferPointer) throws {
    guard let archive = archive_read_new() else { throw BundleError.compression(.damaged) }
    self.archive = archive
    self.more = more
    let code: Int32
    switch compression {
    case .none: code = ARCHIVE_FILTER_NONE
    case .gzip:
      code = ARCHIVE_FILTER_GZIP
      try check(archive_read_support_filter_gzip(archive))
    case .xz:
      code = ARCHIVE_FILTER_XZ
      try check(archive_read_support_filter_xz(archive))
    case .zstd:
      code = ARCHIVE_FILTER_ZSTD
      try check(archive_read_support_filter_zstd(archive))
    }
    try check(archive_read_support_format_raw(archive))
    let context = Unmanaged.passUnretained(self).toOpaque()
    try check(
      archive_read_open(
        archive, context, nil,
        { _, context, bytes in
          Unmanaged<ArchiveInput>.fromOpaque(context!).takeUnretainedValue().give(&bytes!.pointee)
        }, nil))
    guard archive_filter_count(archive) >= 2 else { throw BundleError.compression(.damaged) }
    // Without this check, libarchive would decompress any number of nested layers.
    guard archive_filter_count(archive) == 2, archive_filter_code(archive, 0) == code else {
      throw BundleError.compression(.feature)
    }
    var entry: OpaquePointer?
    try check(archive_read_next_header(archive, &entry))
  }

  deinit { archive_read_free(archive) }

  private func give(_ bytes: inout UnsafeRawPointer?) -> Int {
    guard failure == nil else { return -1 }
    do {
      let next = try more()
      bytes = next.baseAddress
      return next.count
    } catch {
      failure = error
      return -1
    }
  }

  /// Treats any result except ARCHIVE_OK as fatal, including warnings, because retries might never end.
  private func check(_ code: Int32) throws {
    if let failure { throw failure }
    guard code == ARCHIVE_OK else { throw BundleError.compression(.damaged) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    // If the input ends prematurely, the bytes of the current call are lost, so each call reads only a little.
    let count = archive_read_data(archive, buffer.baseAddress, min(buffer.count, 1 << 16))
    if let failure { throw failure }
    guard count >= 0 else { throw BundleError.compression(.damaged) }
    return count
  }

  /// Whether the input ended prematurely. For gzip, only libarchive can detect this.
  var wantedMore: Bool {
    guard let text = archive_error_string(archive) else { return false }
    return String(cString: text) == "truncated gzip input"
  }

  var used: Int64 { archive_filter_bytes(archive, -1) }
}

/// An xz stream in blocks, with LZMA2 as the only filter.
struct XzScreen: SteppedScreen {
  private enum Part { case start, blockSize, blockHeader, chunk, chunkHeader, index, footer, end }

  private var part = Part.start
  var steps = ScreenSteps(wanting: 12)
  private var checkSize = 0
  private var blocks: UInt64 = 0
  /// The number of bytes of a block's data or of the index read so far. Both are padded to a multiple of 4.
  private var count: Int64 = 0
  /// The number of values that are still to be read from the index; nil if unknown.
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
    case .index: try consumeIndex(bytes[0])
    case .footer:
      guard bytes.suffix(2) == [0x59, 0x5A] else { throw .compression(.damaged) }
      part = .end
    case .end: break
    }
  }

  /// Requires LZMA2 as the only filter, with a dictionary that does not exceed the limit.
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

  /// Reads the index, which contains the number of blocks and two numbers for each block.
  private mutating func consumeIndex(_ byte: UInt8) throws(BundleError) {
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
    // The index is followed by its padding and CRC, and by the footer.
    steps.next(skip: (4 - count % 4) % 4 + 4, collect: 12)
  }
}

/// Checks a compressed stream before libarchive reads it, without decompressing it. A screen makes sure that there is
/// only one stream, which uses only allowed features and little memory. libarchive does not check this.
protocol CompressionChecker {
  /// - Throws: `trailing` for bytes after the end, `tooLarge` or `compression`.
  mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(BundleError)

  var isWhole: Bool { get }
}

protocol SteppedScreen: CompressionChecker {
  var steps: ScreenSteps { get set }
  /// Parses the collected bytes and decides which bytes to collect next.
  mutating func step() throws(BundleError)
}

extension SteppedScreen {
  mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(BundleError) {
    var position = 0
    while true {
      if isWhole {
        guard position == bytes.count else { throw .trailing }
        return
      }
      guard steps.consume(bytes, &position) else { return }
      try step()
    }
  }
}

/// The memory limit for decompression, in bytes. The limit applies to a window or a dictionary.
let largestWindow: Int64 = 64 << 20

/// Collects the bytes that must be parsed, and skips the others.
struct ScreenSteps {
  private(set) var collected: [UInt8] = []
  private var wanted: Int
  private var skipping: Int64 = 0

  init(wanting count: Int) { wanted = count }

  /// Sets the next step: skips `skip` bytes, then collects `count` bytes.
  mutating func next(skip: Int64 = 0, collect count: Int) {
    skipping = skip
    wanted = count
    collected.removeAll(keepingCapacity: true)
  }

  mutating func more(_ count: Int) { wanted += count }

  /// Consumes bytes, starting at `position`. Returns true when the step is complete.
  mutating func consume(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
    let passed = Int(min(skipping, Int64(bytes.count - position)))
    position += passed
    skipping -= Int64(passed)
    guard skipping == 0 else { return false }
    let count = min(wanted - collected.count, bytes.count - position)
    collected.append(contentsOf: bytes[position..<position + count])
    position += count
    return collected.count == wanted
  }
}
