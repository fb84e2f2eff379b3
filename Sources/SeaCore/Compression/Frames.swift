import CZstd

/// Data that is compressed in pieces of 32,768 bytes. Each piece is a separate zstd frame (RFC 8878), which can be
/// decompressed on its own; see sea-format(5), Compressed payloads.
///
/// All headers are checked before decompression, so no frame can require more memory than one piece.
package struct Frames: Sendable {
  /// The size of the content in every frame except the last, whose content can be smaller.
  package static let pieceSize = 32_768
  /// The maximum content size, which equals the limit for a block's payload.
  package static let mostContent = 67_108_780
  /// The minimum size for compression. Smaller content is stored uncompressed.
  package static let leastContent = 512
  /// The compression level, which is a fast one. With pieces of this size, higher levels save little.
  private static let level: Int32 = 1

  /// The start of each frame in the compressed bytes, followed by the end of the last frame.
  package private(set) var starts: [Int] = [0]
  package private(set) var contentSize = 0

  package var count: Int { starts.count - 1 }

  package init?(_ bytes: UnsafeRawBufferPointer) {
    var start = 0
    while start < bytes.count {
      guard contentSize == count * Frames.pieceSize,
        let (size, content) = Frames.frame(UnsafeRawBufferPointer(rebasing: bytes[start...])),
        contentSize + content <= Frames.mostContent
      else { return nil }
      start += size
      contentSize += content
      starts.append(start)
    }
    guard count > 0 else { return nil }
  }

  package func contentSize(of frame: Int) -> Int { min(Frames.pieceSize, contentSize - frame * Frames.pieceSize) }

  private static func frame(_ bytes: UnsafeRawBufferPointer) -> (size: Int, content: Int)? {
    guard bytes.count >= 6, bytes.loadUnaligned(as: UInt32.self).littleEndian == 0xFD2F_B528 else { return nil }
    let descriptor = bytes[4]
    // Require a single segment without a checksum or dictionary. The reserved bit must be 0.
    guard descriptor & 0b0010_1111 == 0b0010_0000 else { return nil }
    let width = 1 << Int(descriptor >> 6)
    guard bytes.count >= 5 + width else { return nil }
    var content: UInt64 = width == 2 ? 256 : 0
    for k in 0..<width { content += UInt64(bytes[5 + k]) << UInt64(8 * k) }
    guard content >= 1, content <= UInt64(pieceSize) else { return nil }
    var offset = 5 + width
    while true {
      guard bytes.count - offset >= 3 else { return nil }
      let header = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16
      let (isLast, type, size) = (header & 1 == 1, header >> 1 & 3, header >> 3)
      guard type != 3, size <= Int(content) else { return nil }
      offset += 3 + (type == 1 ? 1 : size)
      guard offset <= bytes.count else { return nil }
      if isLast { return (offset, Int(content)) }
    }
  }

  /// Compresses `clear`. Returns nil unless compression saves at least an eighth of the size.
  package static func compress(_ clear: UnsafeRawBufferPointer) -> [UInt8]? {
    guard clear.count >= leastContent, clear.count <= mostContent, let context = ZSTD_createCCtx() else { return nil }
    defer { ZSTD_freeCCtx(context) }
    let most = clear.count - (clear.count + 7) / 8
    var isSmaller = true
    let frames = [UInt8](unsafeUninitializedCapacity: most) { out, count in
      var start = 0
      while start < clear.count {
        let piece = UnsafeRawBufferPointer(rebasing: clear[start..<min(start + pieceSize, clear.count)])
        let size = ZSTD_compressCCtx(
          context, out.baseAddress! + count, most - count, piece.baseAddress, piece.count, level)
        guard ZSTD_isError(size) == 0 else {
          isSmaller = false
          count = 0
          return
        }
        count += size
        start += piece.count
      }
    }
    return isSmaller ? frames : nil
  }

  package final class Opener {
    private let context = ZSTD_createDCtx()
    package init() {}
    deinit { ZSTD_freeDCtx(context) }

    /// Decompresses one frame, which must fill `content` exactly.
    package func open(_ frame: UnsafeRawBufferPointer, into content: UnsafeMutableRawBufferPointer) -> Bool {
      let size = ZSTD_decompressDCtx(context, content.baseAddress, content.count, frame.baseAddress, frame.count)
      return ZSTD_isError(size) == 0 && size == content.count
    }
  }

  /// Decompresses `bytes` into an array that starts with `front` unused bytes.
  package static func open(_ bytes: UnsafeRawBufferPointer, front: Int = 0) -> [UInt8]? {
    guard let frames = Frames(bytes) else { return nil }
    let opener = Opener()
    var isSound = true
    let content = [UInt8](unsafeUninitializedCapacity: front + frames.contentSize) { out, count in
      let out = UnsafeMutableRawBufferPointer(out)
      for k in 0..<frames.count where isSound {
        let start = front + k * pieceSize
        isSound = opener.open(
          UnsafeRawBufferPointer(rebasing: bytes[frames.starts[k]..<frames.starts[k + 1]]),
          into: UnsafeMutableRawBufferPointer(rebasing: out[start..<start + frames.contentSize(of: k)]))
      }
      count = isSound ? out.count : 0
    }
    return isSound ? content : nil
  }
}
