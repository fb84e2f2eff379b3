import COpenSSL

/// AES-256-GCM (NIST SP 800-38D) with a 96-bit IV and a 128-bit tag.
///
/// The caller must never use the same IV for two messages with the same key.
package enum AESGCM {
  package static let keySize = 32
  package static let ivSize = 12
  package static let tagSize = 16

  /// The maximum number of bytes per call, because OpenSSL uses signed 32-bit lengths. The number is a multiple of the
  /// AES block size.
  private static let step = 1 << 30

  /// Writes ciphertext ‖ tag. The two buffers must not overlap.
  /// - Throws: `crypto` if OpenSSL fails, or if `out` is not exactly `tagSize` bytes larger than `clear`.
  package static func seal(
    _ clear: UnsafeRawBufferPointer, key: [UInt8], iv: [UInt8], additional: [UInt8],
    into out: UnsafeMutableRawBufferPointer
  ) throws(CoreError) {
    guard key.count == keySize, iv.count == ivSize, out.count >= tagSize, out.count - tagSize == clear.count,
      let cipher = OpenSSL.aes256GCM, let context = EVP_CIPHER_CTX_new()
    else { throw .crypto("AES-GCM parameters") }
    defer { EVP_CIPHER_CTX_free(context) }
    guard EVP_EncryptInit_ex2(context, cipher, key, iv, nil) == 1,
      additional.withUnsafeBytes({ run($0, nil, context, EVP_EncryptUpdate) }),
      run(clear, out.baseAddress, context, EVP_EncryptUpdate), ends(context, EVP_EncryptFinal_ex),
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagSize), out.baseAddress! + clear.count) == 1
    else { throw .crypto("AES-GCM") }
  }

  /// Decrypts ciphertext ‖ tag and returns whether the tag is valid. If the tag is invalid, `out` is filled with zeros.
  /// The buffers must not overlap, and `out` must be `tagSize` bytes smaller than `sealed`.
  package static func open(
    _ sealed: UnsafeRawBufferPointer, key: [UInt8], iv: [UInt8], additional: [UInt8],
    into out: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let isGood = opens(sealed, key, iv, additional, out)
    if !isGood { Secret.wipe(out) }
    return isGood
  }

  private static func opens(
    _ sealed: UnsafeRawBufferPointer, _ key: [UInt8], _ iv: [UInt8], _ additional: [UInt8],
    _ out: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard key.count == keySize, iv.count == ivSize, sealed.count >= tagSize, sealed.count - tagSize == out.count,
      let cipher = OpenSSL.aes256GCM, let context = EVP_CIPHER_CTX_new()
    else { return false }
    defer { EVP_CIPHER_CTX_free(context) }
    var tag = Array(sealed.suffix(tagSize))
    return EVP_DecryptInit_ex2(context, cipher, key, iv, nil) == 1
      && additional.withUnsafeBytes({ run($0, nil, context, EVP_DecryptUpdate) })
      && run(UnsafeRawBufferPointer(rebasing: sealed.dropLast(tagSize)), out.baseAddress, context, EVP_DecryptUpdate)
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), &tag) == 1
      && ends(context, EVP_DecryptFinal_ex)
  }

  private typealias Update = (
    OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?,
    UnsafePointer<UInt8>?, Int32
  ) -> Int32

  /// Passes all of `bytes` to OpenSSL, as additional data if `out` is nil.
  private static func run(
    _ bytes: UnsafeRawBufferPointer, _ out: UnsafeMutableRawPointer?, _ context: OpaquePointer, _ update: Update
  ) -> Bool {
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
    let target = out?.assumingMemoryBound(to: UInt8.self)
    var done = 0
    while done < bytes.count {
      let part = min(bytes.count - done, step)
      var written: Int32 = 0
      guard update(context, target.map { $0 + done }, &written, start + done, Int32(part)) == 1, written == part else {
        return false
      }
      done += part
    }
    return true
  }

  private static func ends(
    _ context: OpaquePointer,
    _ final: (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?) -> Int32
  ) -> Bool {
    // GCM does not write any bytes at the end.
    var none: (UInt64, UInt64) = (0, 0)
    var written: Int32 = 0
    return withUnsafeMutableBytes(of: &none) {
      final(context, $0.baseAddress!.assumingMemoryBound(to: UInt8.self), &written) == 1 && written == 0
    }
  }
}

extension AESGCM {
  package static func seal(
    _ clear: [UInt8], key: [UInt8], iv: [UInt8], additional: [UInt8] = []
  ) throws(CoreError) -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: clear.count + tagSize)
    let result = clear.withUnsafeBytes { clear in
      sealed.withUnsafeMutableBytes { out in
        Result<Void, CoreError> { () throws(CoreError) in
          try seal(clear, key: key, iv: iv, additional: additional, into: out)
        }
      }
    }
    try result.get()
    return sealed
  }

  /// Decrypts ciphertext ‖ tag; returns nil if the tag is invalid.
  package static func open(_ sealed: [UInt8], key: [UInt8], iv: [UInt8], additional: [UInt8] = []) -> [UInt8]? {
    guard sealed.count >= tagSize else { return nil }
    var clear = [UInt8](repeating: 0, count: sealed.count - tagSize)
    let isGood = sealed.withUnsafeBytes { sealed in
      clear.withUnsafeMutableBytes { open(sealed, key: key, iv: iv, additional: additional, into: $0) }
    }
    return isGood ? clear : nil
  }
}
