import func Glibc.memchr
import func Glibc.memcmp

/// Compares UTF-8 text byte by byte, without regard to canonical equivalence.
package enum UTF8Text {
  /// Whether the bytes are well-formed UTF-8 (Unicode 15, table 3-7).
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { fault(in: bytes) == nil }

  /// Returns the offset of the first ill-formed sequence. `incomplete` means that more bytes could complete it.
  package static func fault(in bytes: UnsafeBufferPointer<UInt8>) -> (offset: Int, incomplete: Bool)? {
    guard let base = bytes.baseAddress else { return nil }
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
      var least: UInt8 = 0x80
      var most: UInt8 = 0xBF
      let length: Int
      switch lead {
      case 0xC2...0xDF: length = 2
      case 0xE0...0xEF:
        length = 3
        if lead == 0xE0 { least = 0xA0 }
        if lead == 0xED { most = 0x9F }
      case 0xF0...0xF4:
        length = 4
        if lead == 0xF0 { least = 0x90 }
        if lead == 0xF4 { most = 0x8F }
      default: return (k, false)
      }
      guard k &+ 1 < count else { return (k, true) }
      guard base[k &+ 1] >= least, base[k &+ 1] <= most else { return (k, false) }
      var j = 2
      while j < length {
        guard k &+ j < count else { return (k, true) }
        guard base[k &+ j] & 0xC0 == 0x80 else { return (k, false) }
        j &+= 1
      }
      k &+= length
    }
    return nil
  }

  package static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    let common = min(a.count, b.count)
    if common > 0 {
      let order = memcmp(a.baseAddress!, b.baseAddress!, common)
      if order != 0 { return order < 0 ? -1 : 1 }
    }
    return a.count == b.count ? 0 : (a.count < b.count ? -1 : 1)
  }

  package static func lines(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard var at = bytes.baseAddress else { return 0 }
    let end = at + bytes.count
    var count = 0
    while let found = memchr(at, 0x0A, end - at) {
      count += 1
      at = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) + 1
    }
    return count
  }

  /// Whether the bytes contain a word. The search is fast if the first byte of the word is rare.
  static func contains(_ word: StaticString, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = word.utf8CodeUnitCount
    guard var at = bytes.baseAddress else { return false }
    let end = at + bytes.count
    while end - at >= count, let found = memchr(at, Int32(word.utf8Start.pointee), end - at - count + 1) {
      if memcmp(found, word.utf8Start, count) == 0 { return true }
      at = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) + 1
    }
    return false
  }

  static func equal(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    for k in 0..<bytes.count where bytes[k] != word.utf8Start[k] { return false }
    return true
  }

  package static func equal(_ a: String, _ b: String) -> Bool { a.utf8.count == b.utf8.count && compare(a, b) == 0 }
  package static func less(_ a: String, _ b: String) -> Bool { compare(a, b) < 0 }

  private static func compare(_ a: String, _ b: String) -> Int {
    var (a, b) = (a, b)
    return a.withUTF8 { a in b.withUTF8 { compare(a, $0) } }
  }
}

// The standard library's versions of these functions pull in a regular expression engine, which makes the program 5 %
// larger; see SourceTests.

extension Collection<UInt8> {
  /// Returns the range of the first occurrence of `bytes`; nil if `bytes` is empty or does not occur. O(n · m).
  package func firstPlace(of bytes: some Collection<UInt8>) -> Range<Index>? {
    guard let first = bytes.first else { return nil }
    var rest = self[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: bytes) { return start..<index(start, offsetBy: bytes.count) }
      rest = rest.dropFirst()
    }
    return nil
  }
}

extension StringProtocol {
  package func firstPlace(of text: String) -> Range<Index>? { utf8.firstPlace(of: text.utf8) }

  package func containsText(_ text: String) -> Bool { firstPlace(of: text) != nil }

  /// Splits the string at each occurrence of `text`, keeping empty parts.
  package func parts(between text: String) -> [SubSequence] {
    var parts: [SubSequence] = []
    var rest = self[...]
    while let place = rest.firstPlace(of: text) {
      parts.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return parts + [rest]
  }

  package func replacing(every text: String, by other: String) -> String {
    parts(between: text).joined(separator: other)
  }
}
