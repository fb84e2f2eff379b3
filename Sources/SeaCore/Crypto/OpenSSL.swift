import COpenSSL

/// What is fetched from OpenSSL once and used for every message.
enum OpenSSL {
  static let started: Bool = sea_openssl_start() == 1

  /// Never freed, and OpenSSL changes nothing in it.
  nonisolated(unsafe) static let aes256GCM: OpaquePointer? = started ? EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) : nil
}
