import SeaCore
import SeaTestSupport
import Testing

/// Which X25519 keys can be announced.
@Suite struct ExchangeKeyTests {
  /// The points of low order, and what is not below 2^255 - 19.
  private let refused = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "cdeb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b880",
    "0900000000000000000000000000000000000000000000000000000000000080",
  ]

  @Test func lowOrderAndNonCanonicalKeysAreRefused() throws {
    for text in refused { #expect(try !X25519.isAcceptable(#require(Hex.bytes(text)))) }
    for size in [0, 31, 33] { #expect(!X25519.isAcceptable([UInt8](repeating: 9, count: size))) }
    let good = "ebffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
    #expect(try X25519.isAcceptable(#require(Hex.bytes(good))))
  }

  /// What is taken can be wrapped for, always; what is of low order cannot.
  @Test(arguments: TestSeed.some(5)) func acceptedKeysAlwaysShareASecret(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    for _ in 0..<50 {
      let key = random.bytes(32)
      guard X25519.isAcceptable(key) else { continue }
      #expect(X25519.shared(secret: random.bytes(32), key: key) != nil)
    }
    for text in refused.prefix(7) {
      #expect(try X25519.shared(secret: random.bytes(32), key: #require(Hex.bytes(text))) == nil)
    }
  }
}
