import COpenSSL

/// X25519 (RFC 7748). Secret keys and public keys have 32 bytes.
package enum X25519 {
  package static let keySize = 32

  package static func publicKey(secret: [UInt8]) throws(CoreError) -> [UInt8] {
    try Ed25519.exchangeKey(seed: secret)
  }

  /// The coordinates of the points whose order divides 8, on the curve and on its twist.
  private static let lowOrder: [[UInt8]] = [
    [UInt8](repeating: 0, count: 32),
    [1] + [UInt8](repeating: 0, count: 31),
    [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    Hex.bytes("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")!,
    Hex.bytes("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157")!,
  ]

  /// Whether a public key is canonical (below 2^255 − 19) and does not have a low order. Messages must not be encrypted
  /// to other keys.
  package static func isAcceptable(_ key: [UInt8]) -> Bool {
    guard key.count == keySize, key[31] < 0x80 else { return false }
    let canonical = key[31] != 0x7F || key[1..<31].contains { $0 != 0xFF } || key[0] < 0xED
    return canonical && !lowOrder.contains(key)
  }

  /// Returns the secret shared between the owner of `secret` and the owner of `key`; nil if a size is wrong or the
  /// result is all zeros.
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
