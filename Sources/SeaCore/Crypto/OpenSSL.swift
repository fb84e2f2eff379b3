import COpenSSL

enum OpenSSL {
  static let started: Bool = sea_openssl_start() == 1

  /// The cipher is never freed, and OpenSSL does not modify it, so it is safe to use concurrently.
  nonisolated(unsafe) static let aes256GCM: OpaquePointer? = started ? EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) : nil
}
