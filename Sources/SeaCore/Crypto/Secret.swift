import COpenSSL

package enum Secret {
  /// Compares two secrets in an amount of time that depends only on their lengths.
  package static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return a.withUnsafeBytes { a in b.withUnsafeBytes { b in equal(a, b) } }
  }

  static func equal(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let first = a.baseAddress, let second = b.baseAddress else { return true }
    return CRYPTO_memcmp(first, second, a.count) == 0
  }

  /// Overwrites the bytes in place and empties the array.
  ///
  /// The array must not share its memory with another array; otherwise, only a copy is wiped.
  package static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { wipe($0) }
    bytes = []
  }

  static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    if let start = bytes.baseAddress { OPENSSL_cleanse(start, bytes.count) }
  }
}
