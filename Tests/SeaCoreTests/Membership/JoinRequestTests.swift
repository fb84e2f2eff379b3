import SeaCore
import SeaTestSupport
import Testing

@Suite struct JoinRequestTests {
  private let database = UUID(high: 1, low: 2)

  private func identity(_ k: UInt8) throws -> Identity {
    try Identity(signingSeed: [UInt8](repeating: k, count: 32), exchangeSeed: [UInt8](repeating: 200 - k, count: 32))
  }

  @Test func requestIsReadAsWritten() throws {
    let identity = try identity(1)
    let bytes = try JoinRequest.encoded(database: database, identity: identity, name: "Åsa")
    #expect(bytes.count == JoinRequest.leastSize + 4)
    #expect(Hex.text(Array(bytes.prefix(14))) == "856b736561206a6f696e20763150")
    let request = try JoinRequest(bytes, of: identity.instance, in: database)
    #expect(request.database == database)
    #expect(request.name == "Åsa")
    for name in ["", String(repeating: "x", count: 255)] {
      let bytes = try JoinRequest.encoded(database: database, identity: identity, name: name)
      #expect(try JoinRequest(bytes, in: database).name == name)
    }
    // What may not stand there is left out.
    for name in [String(repeating: "x", count: 256), "a\nb", "\u{0}", "a\u{9f}"] {
      let bytes = try JoinRequest.encoded(database: database, identity: identity, name: name)
      #expect(try JoinRequest(bytes, in: database).name == "")
    }
    #expect(request.key == identity.key)
    #expect(try request.exchange == identity.exchangeKey())
    #expect(request.instance == identity.instance)
    #expect(request.fingerprint == FingerprintWords(key: request.key, exchange: request.exchange))
  }

  @Test func invalidRequestIsRefused() throws {
    let (one, other) = (try identity(1), try identity(2))
    let bytes = try JoinRequest.encoded(database: database, identity: one, name: "one")
    #expect(throws: CoreError.badRequest(.badKey)) { try JoinRequest(bytes, of: other.instance, in: database) }
    #expect(throws: CoreError.badRequest(.otherDatabase)) {
      try JoinRequest(bytes, of: one.instance, in: UUID(high: 1, low: 3))
    }
    for size in [0, 1, 98, 162, 163, 165, 167, 4096] {
      let cut = Array((bytes + [UInt8](repeating: 0, count: 4096)).prefix(size))
      #expect(throws: CoreError.badRequest(.badEncoding)) { try JoinRequest(cut, of: one.instance, in: database) }
    }
    // Somebody else's exchange key put in.
    var forged = bytes
    forged.replaceSubrange(66..<98, with: try other.exchangeKey())
    #expect(throws: CoreError.badRequest(.badSignature)) { try JoinRequest(forged, of: one.instance, in: database) }
    // An exchange key that nothing can be wrapped for.
    var weak = bytes
    weak.replaceSubrange(66..<98, with: [UInt8](repeating: 0, count: 32))
    #expect(throws: CoreError.badRequest(.badKey)) { try JoinRequest(weak, of: one.instance, in: database) }
    // A key under which anything is signed.
    var low = bytes
    low.replaceSubrange(32..<64, with: [UInt8](repeating: 0, count: 32))
    let name = Identity.instance(key: [UInt8](repeating: 0, count: 32))
    #expect(throws: CoreError.badRequest(.badKey)) { try JoinRequest(low, of: name, in: database) }
  }

  @Test func everyFlippedBitIsDetected() throws {
    let one = try identity(1)
    let bytes = try JoinRequest.encoded(database: database, identity: one, name: "one")
    for k in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[k / 8] ^= 1 << (k % 8)
      #expect(throws: CoreError.self, "bit \(k)") { try JoinRequest(flipped, of: one.instance, in: database) }
    }
  }
}
