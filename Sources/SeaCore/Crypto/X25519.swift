import COpenSSL

/// X25519 (RFC 7748). Secrets and public keys have 32 bytes.
package enum X25519 {
  package static let keySize = 32

  package static func publicKey(secret: [UInt8]) throws(CoreError) -> [UInt8] {
    try Ed25519.exchangeKey(seed: secret)
  }

  /// The secret shared by the holder of `secret` and that of `key`; nil if it is all zero, as it is for a key of low
  /// order, or if a size is wrong.
  package static func shared(secret: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard OpenSSL.started, secret.count == keySize, key.count == keySize,
      let own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, secret, keySize)
    else { return nil }
    defer { EVP_PKEY_free(own) }
    guard let other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, key, keySize) else { return nil }
    defer { EVP_PKEY_free(other) }
    guard let context = EVP_PKEY_CTX_new(own, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var shared = [UInt8](repeating: 0, count: keySize)
    var count = keySize
    guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1,
      EVP_PKEY_derive(context, &shared, &count) == 1, count == keySize,
      !Secret.equal(shared, [UInt8](repeating: 0, count: keySize))
    else { return nil }
    return shared
  }
}
