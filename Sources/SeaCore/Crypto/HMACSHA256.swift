import COpenSSL

/// HMAC-SHA256 (RFC 2104) that uses low-level SHA-256 contexts, which need no initialization. The deinitializer wipes
/// the state.
package struct HMACSHA256: ~Copyable {
  /// The contexts of the inner hash, the outer hash, and a scratch copy.
  private let contexts: UnsafeMutablePointer<SHA256_CTX>
  private static let count = 3

  package init(key: [UInt8]) {
    contexts = .allocate(capacity: HMACSHA256.count)
    contexts.initialize(repeating: SHA256_CTX(), count: HMACSHA256.count)
    let contexts = contexts
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { pad in
      pad.initializeMemory(as: UInt8.self, repeating: 0)
      if key.count > 64 {
        SHA256.hash(key).withBytes { pad.copyMemory(from: $0) }
      } else {
        key.withUnsafeBytes { pad.copyMemory(from: $0) }
      }
      for k in 0..<64 { pad[k] ^= 0x36 }
      SHA256_Init(contexts)
      SHA256_Update(contexts, pad.baseAddress, 64)
      for k in 0..<64 { pad[k] ^= 0x36 ^ 0x5C }
      SHA256_Init(contexts + 1)
      SHA256_Update(contexts + 1, pad.baseAddress, 64)
      Secret.wipe(pad)
    }
  }

  deinit {
    OPENSSL_cleanse(contexts, HMACSHA256.count * MemoryLayout<SHA256_CTX>.stride)
    contexts.deallocate()
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    SHA256_Update(contexts, bytes.baseAddress, bytes.count)
  }
  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }
  package mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
  }

  /// Returns the authentication code of all input so far. More input can follow.
  package func digest() -> Digest {
    let room = contexts + 2
    return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { out in
      let bytes = out.baseAddress!.assumingMemoryBound(to: UInt8.self)
      room.update(from: contexts, count: 1)
      SHA256_Final(bytes, room)
      room.update(from: contexts + 1, count: 1)
      SHA256_Update(room, bytes, 32)
      SHA256_Final(bytes, room)
      return Digest(UnsafeRawPointer(bytes))
    }
  }

  package static func code(of bytes: [UInt8], key: [UInt8]) -> Digest {
    var code = HMACSHA256(key: key)
    code.update(bytes)
    return code.digest()
  }
}
