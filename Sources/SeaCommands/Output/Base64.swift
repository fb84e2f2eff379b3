/// The standard alphabet of RFC 4648, with padding.
package enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for k in 0..<4 { result.append(k <= group.count ? digits[bits >> (18 - 6 * k) & 63] : 0x3D) }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
