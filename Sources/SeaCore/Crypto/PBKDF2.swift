import COpenSSL

/// PBKDF2-HMAC-SHA256 (RFC 8018). The caller must limit the number of rounds, because many rounds take a long time.
package enum PBKDF2 {
  package static func key(
    password: [UInt8], salt: [UInt8], rounds: Int, count: Int = 32
  ) throws(CoreError) -> [UInt8] {
    guard OpenSSL.started, rounds > 0, count > 0, let rounds = Int32(exactly: rounds),
      let passwordCount = Int32(exactly: password.count), let saltCount = Int32(exactly: salt.count),
      let size = Int32(exactly: count)
    else { throw .crypto("PBKDF2 parameters") }
    var key = [UInt8](repeating: 0, count: count)
    let status = password.withUnsafeBytes { bytes in
      PKCS5_PBKDF2_HMAC(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), passwordCount, salt, saltCount, rounds, EVP_sha256(),
        size, &key)
    }
    guard status == 1 else { throw .crypto("PBKDF2") }
    return key
  }
}
