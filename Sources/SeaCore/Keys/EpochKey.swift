/// The key of an epoch: 32 random bytes from which all other keys of the epoch are derived. Epoch numbers start at 1.
package struct EpochKey: Equatable, Sendable {
  package static let size = 32

  package let number: UInt32
  package let bytes: [UInt8]
  /// The digest that identifies the key in everything that the key encrypts. The digest commits to the key without
  /// revealing it.
  package let digest: Digest

  package init?(number: UInt32, bytes: [UInt8]) {
    guard number > 0, bytes.count == EpochKey.size else { return nil }
    var info = Array("sea epoch id v1".utf8)
    for shift in [24, 16, 8, 0] { info.append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    guard let name = try? HKDF.key(bytes, info: info), let digest = Digest(name) else { return nil }
    self.number = number
    self.bytes = bytes
    self.digest = digest
  }

  package static func == (a: EpochKey, b: EpochKey) -> Bool { a.digest == b.digest }

  func derived(_ label: String, _ more: [UInt8], salt: [UInt8] = []) throws(CoreError) -> [UInt8] {
    try HKDF.key(bytes, salt: salt, info: Array(label.utf8) + more)
  }
}
