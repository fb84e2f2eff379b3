/// Pictures that browsers show. The first bytes must match the type in the record, which is not trusted.
package enum Picture {
  static let types = ["image/jpeg", "image/png", "image/webp", "image/gif"]
  /// The largest picture that is shown; larger ones can be downloaded.
  static let most: Int64 = 64 << 20

  static func isPicture(_ type: String) -> Bool { types.contains(type) }

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
    var at = 2
    // Segments begin with FF and a marker, and have a length of two bytes.
    while at + 4 <= bytes.count, bytes[at] == 0xFF {
      let (marker, length) = (bytes[at + 1], Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
      guard length >= 2, at + 2 + length <= bytes.count, marker != 0xDA else { return nil }
      let segment = bytes[(at + 4)..<(at + 2 + length)]
      if marker == 0xE1, segment.starts(with: Array("Exif\0\0".utf8)) {
        return Exif(Array(segment.dropFirst(6))).small
      }
      at += 2 + length
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

    private func number(_ at: Int, _ size: Int) -> Int? {
      guard at >= 0, at <= bytes.count - size else { return nil }
      let part = bytes[at..<(at + size)]
      return (isLittle ? part.reversed() : Array(part)).reduce(0) { $0 << 8 | Int($1) }
    }
  }
}
