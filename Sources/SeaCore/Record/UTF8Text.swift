/// Text as the format sees it: UTF-8 bytes, compared by those bytes and never by canonical equivalence.
package enum UTF8Text {
  /// Whether the bytes are well-formed UTF-8 (Unicode 15, table 3-7): no surrogates, no longer forms.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    let count = bytes.count
    var k = 0
    while k < count {
      while k &+ 8 <= count,
        UnsafeRawPointer(base + k).loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      { k &+= 8 }
      guard k < count else { break }
      let lead = base[k]
      if lead < 0x80 {
        k &+= 1
        continue
      }
      func follows(_ at: Int) -> Bool { at < count && base[at] & 0xC0 == 0x80 }
      switch lead {
      case 0xC2...0xDF:
        guard follows(k &+ 1) else { return false }
        k &+= 2
      case 0xE0...0xEF:
        guard follows(k &+ 1), follows(k &+ 2) else { return false }
        let second = base[k &+ 1]
        if lead == 0xE0, second < 0xA0 { return false }
        if lead == 0xED, second > 0x9F { return false }
        k &+= 3
      case 0xF0...0xF4:
        guard follows(k &+ 1), follows(k &+ 2), follows(k &+ 3) else { return false }
        let second = base[k &+ 1]
        if lead == 0xF0, second < 0x90 { return false }
        if lead == 0xF4, second > 0x8F { return false }
        k &+= 4
      default: return false
      }
    }
    return true
  }

  /// Less than, equal, greater as −1, 0, 1, byte by byte.
  package static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    let common = min(a.count, b.count)
    var k = 0
    while k < common {
      if a[k] != b[k] { return a[k] < b[k] ? -1 : 1 }
      k &+= 1
    }
    return a.count == b.count ? 0 : (a.count < b.count ? -1 : 1)
  }

  package static func equal(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
  package static func less(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}
