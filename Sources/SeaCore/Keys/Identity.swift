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

  /// Creates an identity whose public key is already known. `Ed25519.sign` checks that the key matches the seed.
  package init(signingSeed: [UInt8], exchangeSeed: [UInt8], key: [UInt8]) {
    self.signingSeed = signingSeed
    self.exchangeSeed = exchangeSeed
    self.key = key
    instance = Identity.instance(key: key)
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
