import SeaCore
import Testing

/// SHA-256, HMAC, HKDF and PBKDF2 against NIST and Wycheproof.
@Suite struct KeyDerivationVectorTests {
  @Test(arguments: [("SHA256ShortMsg", 65), ("SHA256LongMsg", 64)])
  func sha256MatchesNISTVectors(_ file: String, _ expected: Int) throws {
    let all = try PublishedVectors.response("nist/\(file).rsp")
    for one in all {
      let length = try #require(one["Len"].flatMap { Int($0) })
      let message = try Array(PublishedVectors.hex(one, "Msg").prefix(length / 8))
      let digest = SHA256.hash(message)
      #expect(digest.description == one["MD"])
      var inSteps = SHA256()
      for start in stride(from: 0, to: message.count, by: 61) { inSteps.update(Array(message[start...].prefix(61))) }
      #expect(inSteps.digest() == digest)
    }
    PublishedVectors.counted("nist \(file)", all.count, of: expected)
  }

  @Test func hmacMatchesNISTVectors() throws {
    let all = try PublishedVectors.response("nist/HMAC.rsp")
    for one in all {
      let code = try HMACSHA256.code(of: PublishedVectors.hex(one, "Msg"), key: PublishedVectors.hex(one, "Key"))
      let expected = try PublishedVectors.hex(one, "Mac")
      #expect(String(expected.count) == one["Tlen"])
      #expect(code.bytes.starts(with: expected))
    }
    PublishedVectors.counted("nist hmac-sha256", all.count, of: 225)
  }

  @Test func hmacMatchesWycheproofVectors() throws {
    let all = try PublishedVectors.wycheproof("hmac_sha256_test")
    for one in all {
      let (key, message, tag) = try (one.bytes("key"), one.bytes("msg"), one.bytes("tag"))
      var code = HMACSHA256(key: key)
      for byte in message { code.update([byte]) }
      let expected = Array(code.digest().bytes.prefix(try one.number("tagSize") / 8))
      #expect(Secret.equal(expected, tag) == one.isValid, "\(one.name)")
      // Taking the code changes nothing.
      #expect(code.digest() == HMACSHA256.code(of: message, key: key))
    }
    PublishedVectors.counted("wycheproof hmac-sha256", all.count, of: 174)
  }

  @Test func hkdfMatchesWycheproofVectors() throws {
    let all = try PublishedVectors.wycheproof("hkdf_sha256_test")
    for one in all {
      let key = try? HKDF.key(
        one.bytes("ikm"), salt: one.bytes("salt"), info: one.bytes("info"), count: one.number("size"))
      #expect(try key == (one.isValid ? one.bytes("okm") : nil), "\(one.name)")
    }
    PublishedVectors.counted("wycheproof hkdf-sha256", all.count, of: 86)
    #expect(throws: CoreError.self) { try HKDF.key([1], info: [], count: -1) }
    #expect(try HKDF.key([1], info: [], count: 0) == [])
  }

  @Test func pbkdf2MatchesWycheproofVectors() throws {
    let all = try PublishedVectors.wycheproof("pbkdf2_hmacsha256_test")
    for one in all {
      let key = try PBKDF2.key(
        password: one.bytes("password"), salt: one.bytes("salt"), rounds: one.number("iterationCount"),
        count: one.number("dkLen"))
      #expect(try key == one.bytes("dk"), "\(one.name)")
    }
    PublishedVectors.counted("wycheproof pbkdf2-hmac-sha256", all.count, of: 60)
    for rounds in [Int.min, -1, 0, 1 << 31, Int.max] {
      #expect(throws: CoreError.self) { try PBKDF2.key(password: [1], salt: [1], rounds: rounds) }
    }
    for count in [Int.min, -1, 0, 1 << 31, Int.max] {
      #expect(throws: CoreError.self) { try PBKDF2.key(password: [1], salt: [1], rounds: 1, count: count) }
    }
    #expect(try PBKDF2.key(password: [], salt: [], rounds: 1).count == 32)
  }
}
