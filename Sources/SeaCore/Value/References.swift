package enum ReferenceText {
  /// Whether the text of a reference may have the form `TYPE:PROP=VALUE`.
  static func isName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let colon = bytes.firstIndex(of: 0x3A), colon > 0 else { return false }
    return bytes[colon...].contains(0x3D)
  }

  package static func isName(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { isName($0) }
  }

  /// The kind of a reference follows the rules for property names, except for the first character.
  static func isKind(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch Name.propertyFault(in: bytes) {
    case nil, .badStart: true
    default: false
    }
  }
}

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

/// A reference to content that is stored outside of the record.
package struct AssetReference: Hashable, Sendable {
  /// `INSTANCE/INDEX`, or `INSTANCE/FIRST-LAST` if there is a list of pieces, followed by one or more content files.
  package var place: String
  package var mime: String
  package var size: Int64
  /// The SHA-256 of the content, or the digest of its pieces if it has a list of pieces.
  package var digest: Digest

  package init(place: String, mime: String, size: Int64, digest: Digest) {
    self.place = place
    self.mime = mime
    self.size = size
    self.digest = digest
  }

  package static let sizes: ClosedRange<Int64> = 0...(1 << 44)

  /// The size of a content file in bytes. The last file of an asset holds the remainder.
  package static let fileSize: Int64 = 1 << 30

  /// The size of a piece in bytes. Larger content has a list of pieces.
  package static let pieceSize: Int64 = 1 << 24

  package static func hasPieces(_ size: Int64) -> Bool { size > pieceSize }

  /// The number of files, including the list of pieces.
  package static func files(forSize size: Int64, fileSize: Int64 = fileSize) -> Int64 {
    max(1, size / fileSize + (size % fileSize == 0 ? 0 : 1)) + (hasPieces(size) ? 1 : 0)
  }

  /// The key of the digest in a record.
  package static func digestKey(forSize size: Int64) -> StaticString {
    hasPieces(size) ? "pieces" : "sha256"
  }

  /// A smaller file size, which tests can set. References to files of this size are also valid.
  nonisolated(unsafe) package static var testedFileSize = fileSize

  static func isMIME(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    (1...Name.maxLength).contains(bytes.count) && ReferenceText.isKind(bytes)
  }

  /// Whether the location names exactly as many files as content of the given size needs.
  static func isPlace(_ bytes: UnsafeBufferPointer<UInt8>, size: Int64) -> Bool {
    guard let count = files(bytes) else { return false }
    return count == files(forSize: size) || count == files(forSize: size, fileSize: testedFileSize)
  }

  /// Returns the number of files that a location names; nil if the location is invalid.
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

  private static func index(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
    guard let first = digits.first, digits.allSatisfy({ $0 &- 0x30 < 10 }), first != 0x30 || digits.count == 1 else {
      return nil
    }
    return UInt32(String(decoding: digits, as: UTF8.self))
  }
}

package enum BodyReferences {
  /// Calls `visit` with the id of each reference in a body, in byte order. No references are found in an invalid body.
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
