/// The word of an instance that another one goes on in its place: in the first block of the other one.
///
/// The signature is by the key of the predecessor over
/// "sea successor v1" ‖ databaseID ‖ instanceID of the new one ‖ SHA-256(X25519 key of the new one).
package struct Certificate: Hashable, Sendable {
  /// Ed25519: of the predecessor.
  package let key: [UInt8]
  package let signature: [UInt8]

  package var predecessor: UUID { Identity.instance(key: key) }

  /// As it was read; nobody has looked at it.
  init(key: [UInt8], signature: [UInt8]) {
    self.key = key
    self.signature = signature
  }

  /// - Parameters:
  ///   - exchange: the X25519 key of the new instance.
  package init(
    by predecessor: Identity, for instance: UUID, exchange: [UInt8], in database: UUID
  ) throws(CoreError) {
    key = predecessor.key
    signature = try Ed25519.sign(
      Certificate.message(instance, exchange, database), seed: predecessor.signingSeed, key: predecessor.key)
  }

  package func isRight(for instance: UUID, exchange: [UInt8], in database: UUID) -> Bool {
    predecessor != instance
      && Ed25519.verify(signature, Certificate.message(instance, exchange, database), key: key)
  }

  private static func message(_ instance: UUID, _ exchange: [UInt8], _ database: UUID) -> [UInt8] {
    Array("sea successor v1".utf8) + database.bytes + instance.bytes + SHA256.hash(exchange).bytes
  }
}
