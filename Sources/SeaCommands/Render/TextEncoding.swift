package enum TextEncoding: String, CaseIterable, Sendable {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
  case latin1 = "latin-1"
  case windows1252 = "windows-1252"

  static let names = allCases.map(\.rawValue)
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The encoding that bytes other than UTF-8 seem to have; nil if most of the bytes are UTF-8, which was damaged.
  static func likely(_ bytes: UnsafeBufferPointer<UInt8>) -> TextEncoding? {
    var (sequences, others, k) = (0, 0, 0)
    while k < bytes.count {
      let isSequence = bytes[k] >= 0xC2 && k + 1 < bytes.count && bytes[k + 1] & 0xC0 == 0x80
      if isSequence { sequences += 1 } else if bytes[k] >= 0x80 { others += 1 }
      k += 1
      while isSequence, k < bytes.count, bytes[k] & 0xC0 == 0x80 { k += 1 }
    }
    return others > sequences ? .windows1252 : nil
  }

  /// The characters of the bytes 80 to 9F. As in the WHATWG Encoding Standard, the five unassigned bytes are controls.
  static let windows: [UInt16] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
    0x017E, 0x0178,
  ]
}
