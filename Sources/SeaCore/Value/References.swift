/// What the members of a reference may say, in JSON and in bytes alike.
enum ReferenceText {
  /// The kind of a reference is text that could be a property's name, except for how it begins.
  static func isKind(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch Name.propertyFault(in: bytes) {
    case nil, .badStart: true
    default: false
    }
  }
}

/// Content outside the record: where it lies, and what it is.
package struct AssetReference: Hashable, Sendable {
  /// `INSTANCE-UUID/INDEX`, or `…/FIRST-LAST` when it is stored as several.
  package var place: String
  package var mime: String
  package var size: Int64
  package var sha256: Digest

  package init(place: String, mime: String, size: Int64, sha256: Digest) {
    self.place = place
    self.mime = mime
    self.size = size
    self.sha256 = sha256
  }

  package static let sizes: ClosedRange<Int64> = 0...(1 << 53)

  static func isMIME(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    (1...Name.maxLength).contains(bytes.count) && ReferenceText.isKind(bytes)
  }

  static func isPlace(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count > 37, bytes.count <= 37 + 21, bytes[36] == 0x2F,
      UUID(String(decoding: bytes[..<36], as: UTF8.self)) != nil
    else { return false }
    let numbers = bytes[37...].split(separator: 0x2D, omittingEmptySubsequences: false).map { index($0) }
    switch numbers.count {
    case 1: return numbers[0] != nil
    case 2:
      guard let first = numbers[0], let last = numbers[1] else { return false }
      return first < last
    default: return false
    }
  }

  /// A 32-bit number in decimal without leading zeros.
  private static func index(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
    guard let first = digits.first, digits.allSatisfy({ $0 &- 0x30 < 10 }), first != 0x30 || digits.count == 1 else {
      return nil
    }
    return UInt32(String(decoding: digits, as: UTF8.self))
  }
}

/// The references within a body that has been validated; what is not a body has none.
package enum BodyReferences {
  /// Calls `visit` with the id that each reference names, in the order of the bytes.
  package static func forEach(
    in body: UnsafeBufferPointer<UInt8>, _ visit: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var validator = CBORValidator(CBORCursor(body))
    validator.collectsTargets = true
    do throws(CoreError) { try validator.body() } catch { return }
    for range in validator.targets { visit(UnsafeBufferPointer(rebasing: body[range])) }
  }

  package static func any(in body: UnsafeBufferPointer<UInt8>) -> Bool {
    var cursor = CBORCursor(body)
    do throws(CoreError) { return try cursor.skipBody() } catch { return false }
  }
}
