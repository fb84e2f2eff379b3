import CArchive
import SeaSystem

/// The tar of a bundle, decompressed.
final class BundleStream {
  static let piece = 1 << 20

  private let input: BundleInput
  private let buffer: UnsafeMutableRawBufferPointer
  /// Compressed bytes that were read and that nobody has seen.
  private var waiting: UnsafeRawBufferPointer
  private let compression: BundleCompression
  private var screen: (any CompressionScreen)?
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
      // The first read is an aligned one; a second comes only from streams.
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

  /// Why nothing more can come although the end was not reached.
  struct Early: Error {}

  private func more() throws -> UnsafeRawBufferPointer {
    var next = waiting
    waiting = UnsafeRawBufferPointer(start: nil, count: 0)
    if next.isEmpty, !inputEnded {
      next = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<(try input.read(into: buffer))])
    }
    if next.isEmpty { inputEnded = true } else { try screen?.take(next) }
    return next
  }

  /// Some of what is next; 0 at the end, which is a proper one.
  /// - Throws: `Early`, `trailing`, `tooLarge`, `compression`, `system`.
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
      // What ends too early is damaged in the eyes of who decompresses it.
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

  /// libarchive is done: so must be the stream, and the input with it.
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
