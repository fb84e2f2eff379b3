import COpenSSL

/// SHA-256 (FIPS 180-4) with OpenSSL's low-level functions, which need no initialization.
package struct SHA256: ~Copyable {
  private var context = SHA256_CTX()

  package init() { SHA256_Init(&context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    SHA256_Update(&context, bytes.baseAddress, bytes.count)
  }
  package mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) { update(UnsafeRawBufferPointer(bytes)) }
  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }
  package mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { update($0) }
  }

  package func digest() -> Digest {
    var copy = context
    return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { out in
      SHA256_Final(out.baseAddress!.assumingMemoryBound(to: UInt8.self), &copy)
      return Digest(UnsafeRawPointer(out.baseAddress!))
    }
  }

  package static func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.digest()
  }

  package static func hash(_ bytes: [UInt8]) -> Digest { bytes.withUnsafeBytes { hash($0) } }
}
