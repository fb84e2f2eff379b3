/// Characters that can disrupt a terminal or reorder a line, except U+0000 to U+001F. These are DEL, the controls
/// `0080...009F`, the separators `2028` and `2029`, and the bidirectional controls of UAX #9: `061C`, `200E`, `200F`,
/// `202A...202E`, `2066...2069`.
package enum UnsafeCharacters {
  package static func contains(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  package static func size(of scalar: UInt32) -> Int { scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : 3 }

  @inline(__always)
  package static func scalar(in text: UnsafeBufferPointer<UInt8>, at k: Int) -> UInt32? {
    let rest = text.count - k
    switch text[k] {
    case 0x7F: return 0x7F
    case 0xC2 where rest > 1 && text[k + 1] < 0xA0: return UInt32(text[k + 1])
    case 0xD8 where rest > 1 && text[k + 1] == 0x9C: return 0x061C
    case 0xE2 where rest > 2 && text[k + 1] & 0xFE == 0x80:
      let scalar = 0x2000 + UInt32(text[k + 1] & 0x3F) << 6 + UInt32(text[k + 2] & 0x3F)
      return contains(scalar) ? scalar : nil
    default: return nil
    }
  }
}
