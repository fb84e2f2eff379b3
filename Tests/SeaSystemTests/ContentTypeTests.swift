import SeaSystem
import Testing

/// What libmagic says of content, and looking for a word in memory.
@Suite struct ContentTypeTests {
  private func type(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { ContentType.of($0) } }

  @Test func commonTypesAreDetected() {
    #expect(type([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]) == "image/png")
    #expect(type(Array("words and words\n".utf8)) == "text/plain")
    #expect(type([0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0]) == "image/jpeg")
    #expect(type([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) == "application/gzip")
    for bytes in [[], [0], [UInt8](repeating: 0x9D, count: 70_000)] { #expect(type(bytes).contains("/")) }
  }

  @Test func wordIsFoundAtEveryOffset() {
    for length in [6, 7, 100] {
      for at in 0...(length - 6) {
        var bytes = [UInt8](repeating: 0x24, count: length)
        #expect(!bytes.withUnsafeBytes { contains("$asset", in: $0) })
        bytes.replaceSubrange(at..<at + 6, with: Array("$asset".utf8))
        #expect(bytes.withUnsafeBytes { contains("$asset", in: $0) })
        bytes[at + 5] = 0x54
        #expect(!bytes.withUnsafeBytes { contains("$asset", in: $0) })
      }
    }
    for short in ["", "$", "$asse"] { #expect(!Array(short.utf8).withUnsafeBytes { contains("$asset", in: $0) }) }
  }
}
