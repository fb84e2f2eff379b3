import SeaKit

/// Pictures that browsers show. The first bytes must match the type in the record, which is not trusted.
package enum Picture {
  static let types = ["image/jpeg", "image/png", "image/webp", "image/gif"]
  /// The largest picture that is shown; larger ones can be downloaded. A few bytes can be very many pixels, for which a
  /// browser needs four bytes each.
  private static let (mostBytes, mostPixels) = (Int64(64 << 20), 100_000_000)
  private static let mostHead = 256 << 10

  static func isPicture(_ type: String) -> Bool { types.contains(type) }

  /// Returns the first bytes of a picture, at least 256 KiB or all of them. Returns nil if the content has another type
  /// than the record says, or is too large to be shown.
  static func head(of asset: Asset, _ database: Database) async throws -> [UInt8]? {
    guard isPicture(asset.mimeType), asset.size <= mostBytes else { return nil }
    var head: [UInt8] = []
    do {
      var pieces = database.assets.pieces(of: asset, fetching: false).makeAsyncIterator()
      while head.count < mostHead, let piece = try await pieces.next() { head += piece }
    } catch is SeaError { return nil }
    return type(of: head) == asset.mimeType && isShown(head) ? head : nil
  }

  static func isShown(_ head: [UInt8], most: Int = mostPixels) -> Bool {
    pixels(of: head).map { (1...most).contains($0) } ?? false
  }

  /// Returns the number of pixels that a picture declares; nil if its first bytes do not say it.
  package static func pixels(of bytes: [UInt8]) -> Int? {
    func area(_ width: Int?, _ height: Int?) -> Int? {
      guard let width, let height else { return nil }
      return width * height
    }
    func little(_ at: Int, _ size: Int = 2) -> Int? { number(bytes, at, size, isLittle: true) }
    switch type(of: bytes) {
    case "image/png": return area(number(bytes, 16, 4), number(bytes, 20, 4))
    case "image/gif": return area(little(6), little(8))
    case "image/webp":
      switch String(decoding: bytes.dropFirst(12).prefix(4), as: UTF8.self) {
      case "VP8X": return area(little(24, 3).map { $0 + 1 }, little(27, 3).map { $0 + 1 })
      case "VP8L": return little(21, 4).map { (($0 & 0x3FFF) + 1) * (($0 >> 14 & 0x3FFF) + 1) }
      case "VP8 ": return area(little(26).map { $0 & 0x3FFF }, little(28).map { $0 & 0x3FFF })
      default: return nil
      }
    case "image/jpeg":
      for (marker, at, _) in Segments(bytes: bytes) where (0xC0...0xCF).contains(marker) {
        if ![0xC4, 0xC8, 0xCC].contains(marker) { return area(number(bytes, at + 3, 2), number(bytes, at + 1, 2)) }
      }
      return nil
    default: return nil
    }
  }

  /// The segments of a JPEG file: each begins with FF and a marker, and has a length of two bytes.
  private struct Segments: Sequence, IteratorProtocol {
    let bytes: [UInt8]
    private var at = 2

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: the marker, and where the content begins and ends; nil if the picture itself begins.
    mutating func next() -> (marker: UInt8, start: Int, end: Int)? {
      while at + 1 < bytes.count, bytes[at] == 0xFF, bytes[at + 1] == 0xFF { at += 1 }
      guard at + 4 <= bytes.count, bytes[at] == 0xFF, bytes[at + 1] != 0xDA,
        let length = Picture.number(bytes, at + 2, 2), length >= 2, at + 2 + length <= bytes.count
      else { return nil }
      defer { at += 2 + length }
      return (bytes[at + 1], at + 4, at + 2 + length)
    }
  }

  private static func number(_ bytes: [UInt8], _ at: Int, _ size: Int, isLittle: Bool = false) -> Int? {
    guard at >= 0, at <= bytes.count - size else { return nil }
    let part = bytes[at..<(at + size)]
    return (isLittle ? part.reversed() : Array(part)).reduce(0) { $0 << 8 | Int($1) }
  }

  /// The type of a picture by its first bytes; nil for anything else.
  package static func type(of bytes: some Collection<UInt8>) -> String? {
    let head = Array(bytes.prefix(16))
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if head.starts(with: Array("GIF87a".utf8)) || head.starts(with: Array("GIF89a".utf8)) { return "image/gif" }
    if head.count >= 12, head.starts(with: Array("RIFF".utf8)), head[8..<12].elementsEqual("WEBP".utf8) {
      return "image/webp"
    }
    return nil
  }

  /// Returns the small picture that cameras store in a JPEG file (Exif), or nil.
  package static func small(of bytes: [UInt8]) -> [UInt8]? {
    for (marker, start, end) in Segments(bytes: bytes) where marker == 0xE1 {
      if bytes[start..<end].starts(with: Array("Exif\0\0".utf8)) { return Exif(Array(bytes[(start + 6)..<end])).small }
    }
    return nil
  }

  /// The directories of an Exif segment. All numbers in it are checked, because they may come from anyone.
  private struct Exif {
    private let bytes: [UInt8]
    private let isLittle: Bool

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      isLittle = bytes.starts(with: [0x49, 0x49])
    }

    var small: [UInt8]? {
      guard isLittle || bytes.starts(with: [0x4D, 0x4D]), let first = number(4, 4), let count = number(first, 2),
        let second = number(first + 2 + 12 * count, 4), second > 0, let entries = number(second, 2)
      else { return nil }
      var (start, length): (Int?, Int?) = (nil, nil)
      for k in 0..<entries {
        let entry = second + 2 + 12 * k
        switch number(entry, 2) {
        case 0x0201?: start = number(entry + 8, 4)
        case 0x0202?: length = number(entry + 8, 4)
        case nil: return nil
        default: break
        }
      }
      guard let start, let length, length > 100, start <= bytes.count, length <= bytes.count - start else { return nil }
      let picture = Array(bytes[start..<(start + length)])
      return Picture.type(of: picture) == "image/jpeg" ? turned(picture, entries: first, count) : nil
    }

    /// Gives the small picture the orientation of the large one, which only the large one's directory has.
    private func turned(_ picture: [UInt8], entries first: Int, _ count: Int) -> [UInt8] {
      for k in 0..<count where number(first + 2 + 12 * k, 2) == 0x0112 {
        guard let turn = number(first + 2 + 12 * k + 8, 2), (2...8).contains(turn) else { break }
        let segment: [UInt8] =
          [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM\0*".utf8)
          + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(turn), 0, 0, 0, 0, 0, 0]
        return Array(picture[..<2]) + segment + picture[2...]
      }
      return picture
    }

    private func number(_ at: Int, _ size: Int) -> Int? { Picture.number(bytes, at, size, isLittle: isLittle) }
  }
}
