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

/// The text that says what a value is about.
package enum SemanticType {
  package static let maxLength = 255

  static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count <= maxLength && ReferenceText.isKind(bytes)
  }

  package static func isValid(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { !$0.isEmpty && isValid($0) }
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

  package static let sizes: ClosedRange<Int64> = 0...(1 << 44)

  /// A file holds this many bytes of content, and the last one of a run what is left.
  package static let fileSize: Int64 = 1 << 30

  /// How many files content of a size lies in.
  package static func files(forSize size: Int64, fileSize: Int64 = fileSize) -> Int64 {
    max(1, size / fileSize + (size % fileSize == 0 ? 0 : 1))
  }

  /// Tests cut content into smaller files; then runs of those are references, too. Nothing else sets it.
  nonisolated(unsafe) package static var testedFileSize = fileSize

  static func isMIME(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    (1...Name.maxLength).contains(bytes.count) && ReferenceText.isKind(bytes)
  }

  /// Whether it names just the files that content of this size takes.
  static func isPlace(_ bytes: UnsafeBufferPointer<UInt8>, size: Int64) -> Bool {
    guard let count = files(bytes) else { return false }
    return count == files(forSize: size) || count == files(forSize: size, fileSize: testedFileSize)
  }

  /// How many files the text names; nil if it is no place.
  static func files(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard bytes.count > 37, bytes.count <= 37 + 21, bytes[36] == 0x2F,
      UUID(String(decoding: bytes[..<36], as: UTF8.self)) != nil
    else { return nil }
    let numbers = bytes[37...].split(separator: 0x2D, omittingEmptySubsequences: false).map { index($0) }
    switch numbers.count {
    case 1: return numbers[0].map { _ in 1 }
    case 2:
      guard let first = numbers[0], let last = numbers[1], first < last else { return nil }
      return Int64(last - first) + 1
    default: return nil
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
