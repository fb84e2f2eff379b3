import SeaCore
import Testing

/// AES-256-GCM against Wycheproof and NIST CAVP.
@Suite struct AESGCMTests {
  @Test func cipherMatchesWycheproofVectors() throws {
    var count = 0
    var others = 0
    for one in try PublishedVectors.wycheproof("aes_gcm_test") {
      let (key, iv, additional) = try (one.bytes("key"), one.bytes("iv"), one.bytes("aad"))
      let clear = try one.bytes("msg")
      let sealed = try one.bytes("ct") + one.bytes("tag")
      let opened = AESGCM.open(sealed, key: key, iv: iv, additional: additional)
      guard key.count == AESGCM.keySize, iv.count == AESGCM.ivSize, try one.number("tagSize") == 128 else {
        // A key or an IV of another size is refused whatever the vector says.
        others += 1
        #expect(opened == nil, "\(one.name)")
        #expect(throws: CoreError.self) { try AESGCM.seal(clear, key: key, iv: iv, additional: additional) }
        continue
      }
      count += 1
      #expect(opened == (one.isValid ? clear : nil), "\(one.name)")
      let own = try AESGCM.seal(clear, key: key, iv: iv, additional: additional)
      #expect((own == sealed) == one.isValid, "\(one.name)")
    }
    PublishedVectors.counted("wycheproof aes-gcm", count, of: 66)
    PublishedVectors.counted("wycheproof aes-gcm of other parameters, refused", others, of: 250)
  }

  @Test func encryptionMatchesNISTVectors() throws {
    let all = try PublishedVectors.response("nist/gcmEncryptExtIV256.rsp")
    for one in all {
      let sealed = try AESGCM.seal(
        PublishedVectors.hex(one, "PT"), key: PublishedVectors.hex(one, "Key"), iv: PublishedVectors.hex(one, "IV"),
        additional: PublishedVectors.hex(one, "AAD"))
      #expect(try sealed == PublishedVectors.hex(one, "CT") + PublishedVectors.hex(one, "Tag"))
    }
    PublishedVectors.counted("nist gcmEncryptExtIV256", all.count, of: 375)
  }

  @Test func decryptionMatchesNISTVectors() throws {
    let all = try PublishedVectors.response("nist/gcmDecrypt256.rsp")
    var refused = 0
    for one in all {
      let opened = try AESGCM.open(
        PublishedVectors.hex(one, "CT") + PublishedVectors.hex(one, "Tag"), key: PublishedVectors.hex(one, "Key"),
        iv: PublishedVectors.hex(one, "IV"), additional: PublishedVectors.hex(one, "AAD"))
      if one["FAIL"] != nil { refused += 1 }
      #expect(try opened == (one["FAIL"] != nil ? nil : PublishedVectors.hex(one, "PT")))
    }
    #expect(refused == 191)
    PublishedVectors.counted("nist gcmDecrypt256", all.count, of: 375)
  }

  /// Buffers of any other size are refused, and what cannot be opened leaves zeros.
  @Test func wrongSizesAreRefused() throws {
    let key = [UInt8](repeating: 1, count: 32)
    let iv = [UInt8](repeating: 2, count: 12)
    var out = [UInt8](repeating: 7, count: 40)
    for (clear, room) in [(0, 0), (0, 15), (0, 17), (24, 24), (24, 39), (25, 40), (40, 40)] {
      let text = [UInt8](repeating: 3, count: clear)
      text.withUnsafeBytes { text in
        out.withUnsafeMutableBytes { out in
          let out = UnsafeMutableRawBufferPointer(rebasing: out.prefix(room))
          #expect(throws: CoreError.self) { try AESGCM.seal(text, key: key, iv: iv, additional: [], into: out) }
        }
      }
    }
    for size in 0..<64 {
      let bytes = [UInt8](repeating: 3, count: size)
      #expect(AESGCM.open(bytes, key: key, iv: iv) == nil)
      bytes.withUnsafeBytes { bytes in
        out.withUnsafeMutableBytes { out in
          out.copyBytes(from: [UInt8](repeating: 7, count: 40))
          #expect(!AESGCM.open(bytes, key: key, iv: iv, additional: [], into: out))
          #expect(out.allSatisfy { $0 == 0 })
        }
      }
      for other in [[UInt8](repeating: 1, count: size)] where size != 32 {
        #expect(AESGCM.open([UInt8](repeating: 0, count: 32), key: other, iv: iv) == nil)
        #expect(throws: CoreError.self) { try AESGCM.seal([1], key: other, iv: iv) }
      }
      for other in [[UInt8](repeating: 1, count: size)] where size != 12 {
        #expect(AESGCM.open([UInt8](repeating: 0, count: 32), key: key, iv: other) == nil)
        #expect(throws: CoreError.self) { try AESGCM.seal([1], key: key, iv: other) }
      }
    }
    let empty = try AESGCM.seal([], key: key, iv: iv)
    #expect(empty.count == 16)
    #expect(AESGCM.open(empty, key: key, iv: iv) == [])
  }
}
