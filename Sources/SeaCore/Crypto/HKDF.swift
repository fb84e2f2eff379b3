/// HKDF-SHA256 (RFC 5869).
package enum HKDF {
  /// The maximum output size in bytes.
  package static let maxCount = 255 * 32

  /// - Throws: `crypto` if the count is negative or greater than `maxCount`.
  package static func key(
    _ secret: [UInt8], salt: [UInt8] = [], info: [UInt8], count: Int = 32
  ) throws(CoreError) -> [UInt8] {
    var extracted = extract(secret, salt: salt)
    defer { Secret.wipe(&extracted) }
    return try expand(extracted, info: info, count: count)
  }

  static func extract(_ secret: [UInt8], salt: [UInt8]) -> [UInt8] { HMACSHA256.code(of: secret, key: salt).bytes }

  static func expand(_ key: [UInt8], info: [UInt8], count: Int) throws(CoreError) -> [UInt8] {
    guard count >= 0, count <= maxCount else { throw .crypto("HKDF length") }
    var result: [UInt8] = []
    result.reserveCapacity(count)
    var last: [UInt8] = []
    var number: UInt8 = 0
    while result.count < count {
      number += 1
      var code = HMACSHA256(key: key)
      code.update(last)
      code.update(info)
      code.update([number])
      last = code.digest().bytes
      result += last.prefix(count - result.count)
    }
    Secret.wipe(&last)
    return result
  }
}
