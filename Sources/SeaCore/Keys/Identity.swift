package struct Identity: Sendable {
  package let signingSeed: [UInt8]
  package let exchangeSeed: [UInt8]
  package let key: [UInt8]
  package let instance: UUID

  /// - Parameters: two independent seeds, each of 32 random bytes.
  package init(signingSeed: [UInt8], exchangeSeed: [UInt8]) throws(CoreError) {
    self.signingSeed = signingSeed
    self.exchangeSeed = exchangeSeed
    key = try Ed25519.publicKey(seed: signingSeed)
    instance = Identity.instance(key: key)
  }

  /// Creates an identity with a known public key, because computing it takes longer than a signature. A signature with a
  /// wrong public key would betray the seed.
  /// - Parameter check: the `check` of an identity.
  /// - Returns: nil if `check` is not that of this identity.
  package init?(signingSeed: [UInt8], exchangeSeed: [UInt8], key: [UInt8], check: [UInt8]) {
    self.signingSeed = signingSeed
    self.exchangeSeed = exchangeSeed
    self.key = key
    instance = Identity.instance(key: key)
    guard self.check == check else { return nil }
  }

  /// Shows that the seeds and the public key belong together: 32 bytes, as secret as the seeds.
  package var check: [UInt8] {
    var hash = SHA256()
    hash.update("sea keys v1")
    for part in [signingSeed, exchangeSeed, key] { hash.update(part) }
    return hash.digest().bytes
  }

  package func exchangeKey() throws(CoreError) -> [UInt8] { try Ed25519.exchangeKey(seed: exchangeSeed) }

  /// Returns the instance id, a UUIDv8 derived from SHA-256("sea instance v1" ‖ Ed25519 public key).
  package static func instance(key: [UInt8]) -> UUID {
    var hash = SHA256()
    hash.update("sea instance v1")
    hash.update(key)
    return UUID(version: 8, from: hash.digest())
  }

  /// Returns the value of `previous` in block 0 of an unencrypted database.
  package static func genesis(database: UUID, key: [UInt8]) -> Digest {
    var hash = SHA256()
    hash.update("sea chain v1")
    database.withBytes { hash.update($0) }
    hash.update(key)
    return hash.digest()
  }
}
