@_spi(_Unicode) import Swift

/// Normalizes passwords to NFC, because different keyboards can encode the same character differently.
package enum Password {
  package static let maxSize = 1 << 20
  /// The maximum number of combining marks on one letter. Normalization time is quadratic in this number.
  static let maxMarks = 1024

  package static func normalized(_ bytes: [UInt8]) throws(CoreError) -> [UInt8] {
    guard !bytes.isEmpty else { throw .badPassword(.empty) }
    guard bytes.count <= maxSize else { throw .badPassword(.tooLong) }
    guard bytes.withUnsafeBufferPointer(UTF8Text.isValid) else { throw .badPassword(.notUTF8) }
    // HMAC pads keys with zero bytes, so passwords that differ only in trailing zero bytes would be equivalent.
    guard !bytes.contains(0) else { throw .badPassword(.zeroByte) }
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
    let text = String(decoding: bytes, as: UTF8.self)
    var marks = 0
    for scalar in text.unicodeScalars {
      guard isAssigned(scalar) else { throw .badPassword(.unassigned) }
      marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
      guard marks <= maxMarks else { throw .badPassword(.tooManyMarks) }
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for scalar in text._nfc { result += UTF8.encode(scalar)! }
    return result
  }

  /// Whether Unicode 17 assigns the character. The normal form of others may change with a later version.
  private static func isAssigned(_ scalar: Unicode.Scalar) -> Bool {
    guard let age = scalar.properties.age else { return false }
    return age.major <= 17 && scalar.properties.generalCategory != .unassigned
  }
}
