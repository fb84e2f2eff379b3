/// Identifies an asset file by the instance that wrote it and the file's number at that instance, starting at 0.
package struct AssetPlace: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let instance: UUID
  package let index: UInt32

  package init(instance: UUID, index: UInt32) {
    self.instance = instance
    self.index = index
  }

  package var description: String { "\(instance)/\(index)" }

  package static func < (x: AssetPlace, y: AssetPlace) -> Bool {
    (x.instance, x.index) < (y.instance, y.index)
  }
}

/// The consecutive files that store one asset, usually a single file. Large content has a list of pieces, the first file.
package struct AssetExtent: Hashable, Sendable, CustomStringConvertible {
  package let instance: UUID
  package let first: UInt32
  package let last: UInt32

  package static let fileSize = AssetReference.fileSize

  /// - Precondition: `first <= last`.
  package init(_ instance: UUID, _ first: UInt32, _ last: UInt32) {
    precondition(first <= last)
    self.instance = instance
    self.first = first
    self.last = last
  }

  /// Parses `INSTANCE/INDEX` or `INSTANCE/FIRST-LAST`; nil for any other string.
  package init?(_ text: String) {
    var text = text
    let parts = text.withUTF8 { bytes -> (UUID, [UInt32])? in
      guard AssetReference.files(bytes) != nil else { return nil }
      let numbers = bytes[37...].split(separator: 0x2D).compactMap { UInt32(String(decoding: $0, as: UTF8.self)) }
      return UUID(String(decoding: bytes[..<36], as: UTF8.self)).map { ($0, numbers) }
    }
    guard let (instance, numbers) = parts, let first = numbers.first, let last = numbers.last else { return nil }
    self.init(instance, first, last)
  }

  package var description: String {
    first == last ? "\(instance)/\(first)" : "\(instance)/\(first)-\(last)"
  }

  package var count: Int { Int(last - first) + 1 }

  package var start: AssetPlace { AssetPlace(instance: instance, index: first) }

  package var places: some Sequence<AssetPlace> {
    (first...last).lazy.map { AssetPlace(instance: instance, index: $0) }
  }

  package func contains(_ place: AssetPlace) -> Bool {
    place.instance == instance && (first...last).contains(place.index)
  }

  package static func count(forSize size: Int64, fileSize: Int64 = fileSize) -> Int64 {
    AssetReference.files(forSize: size, fileSize: fileSize)
  }

  /// Whether content of the given size needs exactly the number of files that the extent has.
  package func fits(_ size: Int64, fileSize: Int64 = fileSize) -> Bool {
    size >= 0 && AssetExtent.count(forSize: size, fileSize: fileSize) == Int64(count)
  }

  /// Returns the place of the list of pieces; nil if content of this size has none.
  package func list(ofSize size: Int64) -> AssetPlace? { AssetReference.hasPieces(size) ? start : nil }

  /// Returns the number of the first file with content of this size.
  package func firstContent(ofSize size: Int64) -> UInt32 {
    AssetReference.hasPieces(size) && first < last ? first + 1 : first
  }

  /// Returns the size of one file of an extent that `fits`, before encryption.
  package func clearSize(at place: AssetPlace, of size: Int64, fileSize: Int64 = fileSize) -> Int64 {
    if place == list(ofSize: size) { return PieceList.size(forSize: size) }
    return min(fileSize, size - contentStart(at: place, of: size, fileSize: fileSize))
  }

  /// Returns the offset in the content at which a content file begins.
  package func contentStart(at place: AssetPlace, of size: Int64, fileSize: Int64 = fileSize) -> Int64 {
    Int64(place.index - firstContent(ofSize: size)) * fileSize
  }
}

extension AssetReference {
  package var extent: AssetExtent? { AssetExtent(place) }
}

package enum BodyAssets {
  /// Calls `visit` with every asset reference in a body, including duplicates. An invalid body has no references.
  package static func forEach(
    in body: UnsafeBufferPointer<UInt8>, _ visit: (AssetReference) -> Void
  ) {
    var validator = CBORValidator(CBORCursor(body))
    validator.collectsAssets = true
    do throws(CoreError) { try validator.body() } catch { return }
    for offset in validator.assets {
      var cursor = CBORCursor(body, at: offset)
      if let reference = try? AssetReference(&cursor) { visit(reference) }
    }
  }

  package static func all(in body: [UInt8]) -> [AssetReference] {
    var found: [AssetReference] = []
    body.withUnsafeBufferPointer { forEach(in: $0) { found.append($0) } }
    return found
  }
}

extension AssetReference {
  /// Reads an asset reference from a map of four members that has already been validated.
  init(_ cursor: inout CBORCursor) throws(CoreError) {
    guard try cursor.count(5) == 4 else { throw cursor.fail(.wrongLength) }
    _ = try cursor.text()
    let mime = String(decoding: try cursor.text(), as: UTF8.self)
    _ = try cursor.text()
    let size = try cursor.int()
    _ = try cursor.text()
    let place = String(decoding: try cursor.text(), as: UTF8.self)
    _ = try cursor.text()
    let digest = try cursor.digest()
    self.init(place: place, mime: mime, size: size, digest: digest)
  }
}
