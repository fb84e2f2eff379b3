import COpenSSL

/// Ed25519 signatures (RFC 8032) and X25519 public keys (RFC 7748).
package enum Ed25519 {
  package static let signatureSize = 64

  private static func publicKey(seed: [UInt8], kind: Int32) throws(CoreError) -> [UInt8] {
    guard OpenSSL.started, seed.count == 32, let key = EVP_PKEY_new_raw_private_key(kind, nil, seed, 32) else {
      throw .crypto("private key")
    }
    defer { EVP_PKEY_free(key) }
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = 32
    guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == 32 else { throw .crypto("public key") }
    return bytes
  }

  package static func publicKey(seed: [UInt8]) throws(CoreError) -> [UInt8] {
    try publicKey(seed: seed, kind: EVP_PKEY_ED25519)
  }

  package static func exchangeKey(seed: [UInt8]) throws(CoreError) -> [UInt8] {
    try publicKey(seed: seed, kind: EVP_PKEY_X25519)
  }

  /// - Parameter publicKey: the public key of the seed, because computing it takes longer than the signature. A wrong key
  ///   would betray the seed: see `Identity`.
  package static func sign(_ message: [UInt8], seed: [UInt8], key publicKey: [UInt8]) throws(CoreError) -> [UInt8] {
    guard OpenSSL.started, seed.count == 32, publicKey.count == 32,
      let key = sea_ed25519_key(seed, publicKey), let context = EVP_MD_CTX_new()
    else { throw .crypto("sign") }
    defer {
      EVP_MD_CTX_free(context)
      EVP_PKEY_free(key)
    }
    var signature = [UInt8](repeating: 0, count: signatureSize)
    var count = signatureSize
    guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
      EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == signatureSize
    else { throw .crypto("sign") }
    return signature
  }

  package static func verify(_ signature: [UInt8], _ message: [UInt8], key: [UInt8]) -> Bool {
    guard OpenSSL.started, signature.count == signatureSize, isAcceptable(key),
      let publicKey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, key, 32), let context = EVP_MD_CTX_new()
    else { return false }
    defer {
      EVP_MD_CTX_free(context)
      EVP_PKEY_free(publicKey)
    }
    return EVP_DigestVerifyInit(context, nil, nil, nil, publicKey) == 1
      && EVP_DigestVerify(context, signature, signatureSize, message, message.count) == 1
  }

  /// The y coordinates of the points whose order divides 8, in little-endian order with the sign bit cleared.
  private static let lowOrder: [[UInt8]] = [
    [UInt8](repeating: 0, count: 32),
    [1] + [UInt8](repeating: 0, count: 31),
    [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    Hex.bytes("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")!,
    Hex.bytes("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")!,
  ]

  /// Whether a public key is canonical (y < 2^255 − 19) and does not have a low order.
  ///
  /// OpenSSL accepts other keys, too, but with a low-order key, a single signature is valid for many messages. This
  /// concerns 208 of the 914 test points in C2SP/CCTV ed25519.
  package static func isAcceptable(_ key: [UInt8]) -> Bool {
    guard key.count == 32 else { return false }
    var y = key
    y[31] &= 0x7F
    let canonical = y[31] != 0x7F || y[1..<31].contains { $0 != 0xFF } || y[0] < 0xED
    // Nearly all keys begin with a different byte, so this check speeds up the common case.
    switch y[0] {
    case 0x00, 0x01, 0xEC, 0x26, 0xC7: return canonical && !lowOrder.contains(y)
    default: return canonical
    }
  }
}
