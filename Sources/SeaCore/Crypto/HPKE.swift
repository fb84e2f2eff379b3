/// HPKE (RFC 9180) in base mode, with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM.
package enum HPKE {
  private static let kem = Array("KEM".utf8) + [0x00, 0x20]
  private static let suite = Array("HPKE".utf8) + [0x00, 0x20, 0x00, 0x01, 0x00, 0x02]

  /// Encrypts one message to the owner of an X25519 key. `ephemeral` must be 32 random bytes that are never used again.
  package static func seal(
    _ clear: [UInt8], to key: [UInt8], info: [UInt8], additional: [UInt8], ephemeral: [UInt8]
  ) throws(CoreError) -> (enc: [UInt8], sealed: [UInt8]) {
    let sender = try sender(to: key, info: info, ephemeral: ephemeral)
    return (sender.enc, try sender.context.seal(clear, additional: additional))
  }

  package static func open(
    _ sealed: [UInt8], enc: [UInt8], secret: [UInt8], info: [UInt8], additional: [UInt8]
  ) -> [UInt8]? {
    recipient(enc: enc, secret: secret, info: info)?.open(sealed, additional: additional)
  }

  package static func sender(
    to key: [UInt8], info: [UInt8], ephemeral: [UInt8]
  ) throws(CoreError) -> (enc: [UInt8], context: Context) {
    let enc = try X25519.publicKey(secret: ephemeral)
    guard var exchanged = X25519.shared(secret: ephemeral, key: key) else { throw .crypto("X25519 key") }
    defer { Secret.wipe(&exchanged) }
    return (enc, try context(exchanged, enc: enc, key: key, info: info))
  }

  package static func recipient(enc: [UInt8], secret: [UInt8], info: [UInt8]) -> Context? {
    guard var exchanged = X25519.shared(secret: secret, key: enc) else { return nil }
    defer { Secret.wipe(&exchanged) }
    guard let key = try? X25519.publicKey(secret: secret) else { return nil }
    return try? context(exchanged, enc: enc, key: key, info: info)
  }

  package struct Context: Sendable {
    let key: [UInt8]
    let nonce: [UInt8]

    func iv(_ sequence: UInt64) -> [UInt8] {
      var iv = nonce
      for k in 0..<8 { iv[11 - k] ^= UInt8(truncatingIfNeeded: sequence >> UInt64(8 * k)) }
      return iv
    }

    package func seal(
      _ clear: [UInt8], additional: [UInt8], sequence: UInt64 = 0
    ) throws(CoreError) -> [UInt8] {
      try AESGCM.seal(clear, key: key, iv: iv(sequence), additional: additional)
    }

    package func open(_ sealed: [UInt8], additional: [UInt8], sequence: UInt64 = 0) -> [UInt8]? {
      AESGCM.open(sealed, key: key, iv: iv(sequence), additional: additional)
    }
  }

  /// Performs ExtractAndExpand (section 4.1) and KeySchedule (section 5.1) of RFC 9180.
  private static func context(
    _ exchanged: [UInt8], enc: [UInt8], key: [UInt8], info: [UInt8]
  ) throws(CoreError) -> Context {
    var first = extract([], "eae_prk", exchanged, kem)
    defer { Secret.wipe(&first) }
    var shared = try expand(first, "shared_secret", enc + key, 32, kem)
    defer { Secret.wipe(&shared) }
    let context = [0] + extract([], "psk_id_hash", [], suite) + extract([], "info_hash", info, suite)
    var secret = extract(shared, "secret", [], suite)
    defer { Secret.wipe(&secret) }
    return Context(
      key: try expand(secret, "key", context, AESGCM.keySize, suite),
      nonce: try expand(secret, "base_nonce", context, AESGCM.ivSize, suite))
  }

  private static func extract(_ salt: [UInt8], _ label: String, _ secret: [UInt8], _ suite: [UInt8]) -> [UInt8] {
    var code = HMACSHA256(key: salt)
    code.update("HPKE-v1")
    code.update(suite)
    code.update(label)
    code.update(secret)
    return code.digest().bytes
  }

  private static func expand(
    _ key: [UInt8], _ label: String, _ info: [UInt8], _ count: Int, _ suite: [UInt8]
  ) throws(CoreError) -> [UInt8] {
    try HKDF.expand(key, info: [0, UInt8(count)] + "HPKE-v1".utf8 + suite + label.utf8 + info, count: count)
  }
}
