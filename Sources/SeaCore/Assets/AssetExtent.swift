/// The location of an asset file: its author instance and its number there, from 0.
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

/// The consecutive files of one content, usually one.
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

  /// Reads only `INSTANCE/INDEX` or `INSTANCE/FIRST-LAST`.
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

  /// Returns the number of files for content of this size. Only tests change `fileSize`.
  package static func count(forSize size: Int64, fileSize: Int64 = fileSize) -> Int64 {
    AssetReference.files(forSize: size, fileSize: fileSize)
  }

  /// Whether content of this size needs this number of files. Other references have no content.
  package func fits(_ size: Int64, fileSize: Int64 = fileSize) -> Bool {
    size >= 0 && AssetExtent.count(forSize: size, fileSize: fileSize) == Int64(count)
  }

  /// Returns the size of the content in one file of a run that `fits`.
  package func contentSize(at place: AssetPlace, of size: Int64, fileSize: Int64 = fileSize) -> Int64 {
    place.index < last ? fileSize : size - Int64(last - first) * fileSize
  }
}

extension AssetReference {
  /// The places in `place`; nil if it is invalid.
  package var extent: AssetExtent? { AssetExtent(place) }
}

/// The assets that a body refers to.
package enum BodyAssets {
  /// Calls `visit` with every reference to an asset in the order of the bytes, including duplicates. An invalid body
  /// has none.
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
  /// Reads the validated map with its four members.
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
    self.init(place: place, mime: mime, size: size, sha256: digest)
  }
}
