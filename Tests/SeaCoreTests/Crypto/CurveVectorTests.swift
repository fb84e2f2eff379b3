import Foundation
import SeaCore
import Testing

/// Ed25519, X25519 and HPKE against Wycheproof, C2SP/CCTV and boringssl.
@Suite struct CurveVectorTests {
  @Test func ed25519MatchesWycheproofVectors() throws {
    let all = try PublishedVectors.wycheproof("ed25519_test")
    for one in all {
      let text = (one.fields["publicKey"] as? [String: Any])?["pk"] as? String
      let key = try #require(text.flatMap { Hex.bytes($0) })
      let isGood = try Ed25519.verify(one.bytes("sig"), one.bytes("msg"), key: key)
      #expect(isGood == one.isValid, "\(one.name)")
    }
    PublishedVectors.counted("wycheproof ed25519", all.count, of: 151)
  }

  /// Refused: keys of low order or not canonical, as sea-format(5) says, and what RFC 8032 refuses of the rest.
  @Test func ed25519RefusesLowOrderAndNonCanonicalKeys() throws {
    let all = try PublishedVectors.array("ed25519/ed25519vectors.json")
    var accepted = 0
    for one in all {
      let flags = Set(one.fields["flags"] as? [String] ?? [])
      let key = try one.bytes("key")
      #expect(Ed25519.isAcceptable(key) == flags.isDisjoint(with: ["low_order_A", "non_canonical_A"]), "\(one.name)")
      let isGood = try Ed25519.verify(one.bytes("sig"), Array(one.text("msg").utf8), key: key)
      let refusals = ["low_order_A", "non_canonical_A", "non_canonical_R", "low_order_residue"]
      #expect(isGood == flags.isDisjoint(with: refusals), "\(one.name) \(flags)")
      if isGood { accepted += 1 }
    }
    print("vectors: cctv ed25519 accepted \(accepted)")
    PublishedVectors.counted("cctv ed25519", all.count, of: 914)
  }

  @Test func x25519MatchesWycheproofVectors() throws {
    let all = try PublishedVectors.wycheproof("x25519_test")
    var zeros = 0
    for one in all {
      let expected = try one.bytes("shared")
      let isZero = expected.allSatisfy { $0 == 0 }
      if isZero { zeros += 1 }
      let shared = try X25519.shared(secret: one.bytes("private"), key: one.bytes("public"))
      #expect(shared == (isZero ? nil : expected), "\(one.name)")
    }
    #expect(zeros == 31)
    PublishedVectors.counted("wycheproof x25519", all.count, of: 518)
  }

  /// 257 messages of one context, each with its number; the first is what one call seals.
  @Test func hpkeMatchesBoringSSLVectors() throws {
    let text = String(decoding: try PublishedVectors.bytes("hpke/boringssl_hpke_test_vectors.txt"), as: UTF8.self)
    var setup: [String: String] = [:]
    var messages: [[String: String]] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# exports") { break }
      if line.hasPrefix("# encryptions") {
        messages.append([:])
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if messages.isEmpty { setup[parts[0]] = parts[1] } else { messages[messages.count - 1][parts[0]] = parts[1] }
    }
    let hex = PublishedVectors.hex
    #expect(setup["mode"] == "0" && setup["kem_id"] == "32" && setup["kdf_id"] == "1" && setup["aead_id"] == "2")
    let (info, secret, key, enc) = try (hex(setup, "info"), hex(setup, "skRm"), hex(setup, "pkRm"), hex(setup, "enc"))
    let ephemeral = try hex(setup, "sender_seed")
    #expect(try X25519.publicKey(secret: secret) == key)
    let sender = try HPKE.sender(to: key, info: info, ephemeral: ephemeral)
    let recipient = try #require(HPKE.recipient(enc: enc, secret: secret, info: info))
    #expect(sender.enc == enc)
    for (k, one) in messages.enumerated() {
      let (clear, sealed, additional) = try (hex(one, "pt"), hex(one, "ct"), hex(one, "aad"))
      #expect(try sender.context.seal(clear, additional: additional, sequence: UInt64(k)) == sealed)
      #expect(recipient.open(sealed, additional: additional, sequence: UInt64(k)) == clear)
      #expect(recipient.open(sealed, additional: additional, sequence: UInt64(k + 1)) == nil)
    }
    PublishedVectors.counted("boringssl hpke", messages.count, of: 257)

    let first = messages[0]
    let own = try HPKE.seal(
      hex(first, "pt"), to: key, info: info, additional: hex(first, "aad"), ephemeral: ephemeral)
    #expect(try own.enc == enc && own.sealed == hex(first, "ct"))
    #expect(
      try HPKE.open(own.sealed, enc: enc, secret: secret, info: info, additional: hex(first, "aad"))
        == hex(first, "pt"))
    #expect(try HPKE.open(own.sealed, enc: enc, secret: ephemeral, info: info, additional: hex(first, "aad")) == nil)
  }

  /// No size of anything traps.
  @Test func wrongKeySizesAreRefused() throws {
    let good = [UInt8](repeating: 9, count: 32)
    for size in [0, 1, 16, 31, 33, 64] {
      let bytes = [UInt8](repeating: 9, count: size)
      #expect(throws: CoreError.self) { try X25519.publicKey(secret: bytes) }
      #expect(X25519.shared(secret: bytes, key: good) == nil)
      #expect(X25519.shared(secret: good, key: bytes) == nil)
      #expect(throws: CoreError.self) {
        _ = try HPKE.seal([1], to: bytes, info: [], additional: [], ephemeral: good)
      }
      #expect(throws: CoreError.self) {
        _ = try HPKE.seal([1], to: good, info: [], additional: [], ephemeral: bytes)
      }
      #expect(HPKE.open(bytes, enc: bytes, secret: good, info: [], additional: []) == nil)
      #expect(HPKE.open(bytes, enc: good, secret: bytes, info: [], additional: []) == nil)
      #expect(HPKE.open(bytes, enc: good, secret: good, info: [], additional: []) == nil)
    }
    let zero = [UInt8](repeating: 0, count: 32)
    #expect(X25519.shared(secret: good, key: zero) == nil)
    #expect(throws: CoreError.self) { _ = try HPKE.seal([1], to: zero, info: [], additional: [], ephemeral: good) }
  }
}
