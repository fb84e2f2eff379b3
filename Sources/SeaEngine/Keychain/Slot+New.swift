import SeaCore
import SeaSystem

// Creates keys and key slots. SeaCore cannot do this, because it has no source of random bytes.

extension EpochKey {
  static func random(_ number: UInt32) throws -> EpochKey {
    guard let key = EpochKey(number: number, bytes: try Random.bytes(EpochKey.size)) else {
      throw CoreError.crypto("epoch key")
    }
    return key
  }
}

extension Slot {
  /// - Parameter password: the password as typed, before normalization.
  static func password(_ password: [UInt8], _ key: EpochKey, _ database: UUID, rounds: Int) throws -> Slot {
    var normalized = try Password.normalized(password)
    defer { Secret.wipe(&normalized) }
    return try Slot.password(
      normalized, key, database: database, rounds: rounds, salt: Random.bytes(16), iv: Random.bytes(12))
  }
}
