import COpenSSL

/// OpenSSL objects that are fetched once.
enum OpenSSL {
  static let started: Bool = sea_openssl_start() == 1

  /// Never freed; OpenSSL does not modify it.
  nonisolated(unsafe) static let aes256GCM: OpaquePointer? = started ? EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) : nil
}
