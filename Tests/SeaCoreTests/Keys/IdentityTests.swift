import SeaCore
import Testing

@Suite struct IdentityTests {
  /// RFC 8032, section 7.1, test 2.
  @Test func signatureMatchesRFC8032() throws {
    let seed = Hex.bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")!
    let key = Hex.bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")!
    #expect(try Ed25519.publicKey(seed: seed) == key)
    let signature = try Ed25519.sign([0x72], seed: seed, key: key)
    let known =
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    #expect(Hex.text(signature) == known)
    #expect(Ed25519.verify(signature, [0x72], key: key))
    #expect(!Ed25519.verify(signature, [0x73], key: key))
    // No identity has a key that is not its seed's, so none signs with it.
    let other = [UInt8](repeating: 7, count: 32)
    let check = try Identity(signingSeed: seed, exchangeSeed: seed).check
    #expect(Identity(signingSeed: seed, exchangeSeed: seed, key: other, check: check) == nil)
    #expect(Identity(signingSeed: seed, exchangeSeed: seed, key: key, check: check)?.key == key)
  }

  /// RFC 9180, appendix A.1.1: skRm and pkRm.
  @Test func exchangeKeyMatchesRFC9180() throws {
    let seed = Hex.bytes("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8")!
    let known = "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d"
    #expect(try Hex.text(Ed25519.exchangeKey(seed: seed)) == known)
  }

  @Test func instanceIDIsDerivedFromKey() throws {
    let identity = try Identity(
      signingSeed: [UInt8](repeating: 1, count: 32), exchangeSeed: [UInt8](repeating: 2, count: 32))
    let text = identity.instance.description
    #expect(Array(text.utf8)[14] == UInt8(ascii: "8"))
    #expect("89ab".contains(text.dropFirst(19).first!))
    #expect(Identity.instance(key: identity.key) == identity.instance)
  }

  /// The points of order 1, 2, 4 and 8, in every encoding, and y not below 2^255 − 19.
  @Test func lowOrderKeysAreRefused() throws {
    for text in [
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ] {
      var key = Hex.bytes(text)!
      #expect(!Ed25519.isAcceptable(key))
      key[31] |= 0x80
      #expect(!Ed25519.isAcceptable(key))
    }
    #expect(!Ed25519.isAcceptable([]))
    let good = try Ed25519.publicKey(seed: [UInt8](repeating: 9, count: 32))
    #expect(Ed25519.isAcceptable(good))
  }
}
