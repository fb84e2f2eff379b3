package enum Name {
  package static let maxLength = 255
  package static let maxPropertyLength = 1024

  /// Checks a record id or type, which must have 1 to 255 bytes, no control characters, no white space, and no `-` or
  /// `_` at the beginning.
  package static func check(_ text: String) throws(CoreError) {
    var text = text
    if let fault = text.withUTF8({ fault(in: $0) }) { throw .badName(fault, text) }
  }

  package static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws(CoreError) {
    if let fault = fault(in: bytes) { throw .badName(fault, String(decoding: bytes, as: UTF8.self)) }
  }

  /// Checks a property name, which must have 1 to 1024 bytes, no control characters, and no `_` or `$` at the
  /// beginning.
  package static func checkProperty(_ bytes: UnsafeBufferPointer<UInt8>) throws(CoreError) {
    if let fault = propertyFault(in: bytes) { throw .badName(fault, String(decoding: bytes, as: UTF8.self)) }
  }

  package static func checkProperty(_ text: String) throws(CoreError) {
    var text = text
    if let fault = text.withUTF8({ propertyFault(in: $0) }) { throw .badName(fault, text) }
  }

  static func fault(in bytes: UnsafeBufferPointer<UInt8>) -> NameFault? {
    guard let first = bytes.first else { return .empty }
    if bytes.count > maxLength { return .tooLong }
    if first == 0x2D || first == 0x5F { return .badStart }
    for k in 0..<bytes.count {
      let c = bytes[k]
      if c > 0x20, c < 0x7F { continue }
      if let fault = special(bytes, k, space: true) { return fault }
    }
    return UTF8Text.isValid(bytes) ? nil : .notUTF8
  }

  /// - Precondition: the bytes are valid UTF-8.
  static func propertyFault(in bytes: UnsafeBufferPointer<UInt8>) -> NameFault? {
    guard let first = bytes.first else { return .empty }
    if bytes.count > maxPropertyLength { return .tooLong }
    if first == 0x5F || first == 0x24 { return .badStart }
    for k in 0..<bytes.count {
      let c = bytes[k]
      if c >= 0x20, c < 0x7F { continue }
      if let fault = special(bytes, k, space: false) { return fault }
    }
    return nil
  }

  private static func special(_ bytes: UnsafeBufferPointer<UInt8>, _ k: Int, space: Bool) -> NameFault? {
    let c = bytes[k]
    let second = k + 1 < bytes.count ? bytes[k + 1] : 0
    let third = k + 2 < bytes.count ? bytes[k + 2] : 0
    if space {
      switch (c, second, third) {
      case (0x09...0x0D, _, _), (0x20, _, _), (0xC2, 0x85, _), (0xC2, 0xA0, _), (0xE1, 0x9A, 0x80),
        (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8), (0xE2, 0x80, 0xA9), (0xE2, 0x80, 0xAF), (0xE2, 0x81, 0x9F),
        (0xE3, 0x80, 0x80):
        return .whiteSpace
      default: break
      }
    }
    if c < 0x20 || c == 0x7F || (c == 0xC2 && second >= 0x80 && second < 0xA0) { return .controlCharacter }
    return nil
  }
}
