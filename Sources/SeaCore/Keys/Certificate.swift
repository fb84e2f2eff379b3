/// An instance's signed statement that a new instance is its successor, stored in the new instance's block 0.
///
/// The predecessor signs "sea successor v1" ‖ databaseID ‖ the new instance's instanceID ‖ SHA-256(the new instance's
/// X25519 key).
package struct Certificate: Hashable, Sendable {
  package let key: [UInt8]
  package let signature: [UInt8]

  package var predecessor: UUID { Identity.instance(key: key) }

  init(key: [UInt8], signature: [UInt8]) {
    self.key = key
    self.signature = signature
  }

  /// - Parameter exchange: the X25519 key of the new instance.
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
