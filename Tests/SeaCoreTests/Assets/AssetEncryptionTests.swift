import SeaCore
import SeaTestSupport
import Testing

/// Sealed assets: Tests/vectors/asset, and that no piece can be changed, moved, dropped or added.
@Suite struct AssetEncryptionTests {
  static let place = PieceSeal.Place(
    database: UUID("34e95080-cd14-8342-bda3-b8a9fc844579")!, instance: UUID("3d8ea140-cc4f-89ae-9c4e-f5533916077d")!,
    index: 7)
  static let key = EpochKey(number: 3, bytes: [UInt8](0..<32))!
  static let salt = [UInt8](112..<128)

  /// Bytes of which no two pieces are alike.
  static func content(_ size: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for k in 0..<UInt64((size + 31) / 32) { bytes += SHA256.hash(withUnsafeBytes(of: k.bigEndian) { Array($0) }).bytes }
    return Array(bytes.prefix(size))
  }

  static func seal(_ clear: [UInt8], step: Int = 1 << 20) throws -> [UInt8] {
    var sealer = try PieceSeal.Sealer(key, salt: salt, place)
    var out: [UInt8] = []
    for start in stride(from: 0, to: clear.count, by: step) {
      try clear[start...].prefix(step).withUnsafeBytes { try sealer.update($0, into: &out) }
    }
    try sealer.finish(into: &out)
    #expect(throws: CoreError.self) { try sealer.finish(into: &out) }
    return out
  }

  static func open(
    _ sealed: [UInt8], step: Int = 1 << 20, key: EpochKey = key, place: PieceSeal.Place = place
  ) throws(CoreError) -> [UInt8] {
    var opener = PieceSeal.Opener(key, place)
    var out: [UInt8] = []
    do {
      for start in stride(from: 0, to: sealed.count, by: step) {
        try sealed[start...].prefix(step).withUnsafeBytes { try opener.update($0, into: &out) }
      }
      try opener.finish(into: &out)
    } catch let error as CoreError {
      // A fault stays, whatever comes behind it; and what came out until then is of the content.
      #expect(throws: error) { try opener.finish(into: &out) }
      #expect(throws: error) { try sealed.withUnsafeBytes { try opener.update($0, into: &out) } }
      throw error
    } catch {
      Issue.record("\(error)")
    }
    return out
  }

  /// Those that only have a digest.
  @Test(arguments: Vector.all("asset").filter { $0.headers["size"] != nil })
  func encryptionMatchesVector(_ vector: Vector) throws {
    let size = try #require(Int(vector["size"]))
    let clear = Self.content(size)
    for step in [1 << 20, 65_536, 65_552, 40_001] {
      let sealed = try Self.seal(clear, step: step)
      #expect(SHA256.hash(sealed).description == vector["digest"])
      #expect(sealed.count == PieceSeal.sealedSize(of: size))
      #expect(PieceSeal.key(of: sealed) == Self.key.digest)
      #expect(try Self.open(sealed, step: step) == clear)
    }
  }

  /// Those that have bytes, good ones and bad ones.
  @Test(arguments: Vector.all("asset").filter { $0.headers["size"] == nil })
  func decryptionMatchesVector(_ vector: Vector) throws {
    let index = try #require(UInt32(vector["index"]))
    let key = try #require(SlotTests.epoch(vector["key"]))
    let place = PieceSeal.Place(database: vector.database, instance: vector.instance, index: index)
    for step in [1 << 20, 65_536, 40_001, vector.bytes.count < 1000 ? 1 : 1 << 20] {
      do {
        let clear = try Self.open(vector.bytes, step: step, key: key, place: place)
        #expect(vector["expect"] == "ok")
        #expect(vector["content"] == "\(clear.count) \(SHA256.hash(clear))")
      } catch {
        guard case CoreError.badAsset(let fault) = error else { throw error }
        #expect(vector["expect"] == fault.rawValue)
      }
    }
  }

  @Test func noVectorIsMissingAndSingleBytesRoundTrip() throws {
    PublishedVectors.counted("assets", Vector.all("asset").count, of: 37)
    let clear = Self.content(70_000)
    #expect(try Self.open(Self.seal(clear, step: 1), step: 1) == clear)
  }

  /// Every byte of a small asset, and of a large one every byte of the header, of the tags and around the cuts.
  @Test func flippedBitsAreDetected() throws {
    let small = try Self.seal(Self.content(40))
    for k in 0..<small.count * 8 {
      var flipped = small
      flipped[k / 8] ^= 1 << UInt8(k % 8)
      #expect(throws: CoreError.badAsset(k < 256 ? .otherKey : .badTag), "bit \(k)") { try Self.open(flipped) }
    }
    let large = try Self.seal(Self.content(150_000))
    let cuts = [48, 48 + 65_552, 48 + 2 * 65_552, large.count]
    for k in Set(cuts.flatMap { $0 - 48..<$0 + 4 }).sorted() where k < large.count {
      var flipped = large
      flipped[k] ^= 1 << UInt8(k % 8)
      #expect(throws: CoreError.badAsset(k < 32 ? .otherKey : .badTag), "byte \(k)") { try Self.open(flipped) }
    }
  }

  @Test func damagedPiecesArePassedOver() throws {
    let clear = Self.content(3 * 65_536 + 100)
    for (wrong, step) in [([0], 1 << 20), ([1, 3], 40_001), ([0, 1, 2, 3], 65_552)] {
      var sealed = try Self.seal(clear)
      for k in wrong { sealed[48 + k * 65_552 + 99] ^= 1 }
      var opener = PieceSeal.Opener(Self.key, Self.place, passesOver: true)
      var out: [UInt8] = []
      for start in stride(from: 0, to: sealed.count, by: step) {
        try sealed[start...].prefix(step).withUnsafeBytes { try opener.update($0, into: &out) }
      }
      try opener.finish(into: &out)
      #expect(opener.damaged == wrong.map { Int64($0) * 65_536 })
      var wanted = clear
      for k in wrong { for at in k * 65_536..<min((k + 1) * 65_536, clear.count) { wanted[at] = 0 } }
      #expect(out == wanted)
    }
  }

  @Test func truncatedOrReorderedPiecesAreDetected() throws {
    let large = try Self.seal(Self.content(3 * 65_536 + 100))
    let header = Array(large[..<48])
    let pieces = stride(from: 48, to: large.count, by: 65_552).map { Array(large[$0...].prefix(65_552)) }
    #expect(pieces.count == 4)
    func joined(_ order: [Int]) -> [UInt8] { header + order.flatMap { pieces[$0] } }
    #expect(try Self.open(joined([0, 1, 2, 3])) == Self.content(3 * 65_536 + 100))
    for order in [
      [0], [0, 1], [0, 1, 2], [1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3], [1, 2, 3], [3], [0, 1, 2, 2, 3], [0, 1, 2, 3, 3],
      [0, 1, 2, 3, 0], [3, 0, 1, 2], [0, 0, 1, 2, 3],
    ] {
      #expect(throws: CoreError.badAsset(.badTag), "\(order)") { try Self.open(joined(order)) }
    }
    for k in 0..<64 { #expect(throws: CoreError.badAsset(.truncated)) { try Self.open(Array(large[..<k])) } }
    for k in [64, 65, 65_599, 65_600, 65_617, large.count - 17, large.count - 1] {
      #expect(throws: CoreError.badAsset(.badTag), "\(k)") { try Self.open(Array(large[..<k])) }
    }
    // The second piece has begun, with less than a tag.
    for k in 65_601..<65_616 { #expect(throws: CoreError.badAsset(.truncated)) { try Self.open(Array(large[..<k])) } }
    #expect(throws: CoreError.badAsset(.badSize)) { try Self.open(Array(large[..<65_616])) }
    for tail in [1, 15, 16, 17, 65_552] {
      let more = [UInt8](repeating: 0, count: tail)
      #expect(throws: CoreError.badAsset(.badTag), "\(tail)") { try Self.open(large + more) }
    }
  }

  /// A whole last piece, and something behind it: also an empty piece, even one that is sealed as it should be.
  @Test func contentAfterWholeLastPieceIsRefused() throws {
    let whole = try Self.seal(Self.content(65_536))
    #expect(try Self.open(whole) == Self.content(65_536))
    #expect(throws: CoreError.badAsset(.badTag)) { try Self.open(whole + [0]) }
    var info = Array("sea asset v1".utf8) + Self.place.database.bytes + Self.place.instance.bytes + [0, 0, 0, 7]
    info = try HKDF.key(Self.key.bytes, salt: Self.salt, info: info)
    let zeros = [UInt8](repeating: 0, count: 10)
    let first = try AESGCM.seal(Self.content(65_536), key: info, iv: zeros + [0, 0])
    let empty = try AESGCM.seal([], key: info, iv: zeros + [1, 1])
    #expect(throws: CoreError.badAsset(.badSize)) { try Self.open(Array(whole[..<48]) + first + empty) }
  }

  @Test func wrongKeyOrPlaceIsRefused() throws {
    let sealed = try Self.seal(Self.content(10))
    let place = Self.place
    let other = UUID("91cc04e7-5d0e-4c3b-9a51-6b1f0d2e7a88")!
    for moved in [
      PieceSeal.Place(database: other, instance: place.instance, index: 7),
      PieceSeal.Place(database: place.database, instance: other, index: 7),
      PieceSeal.Place(database: place.database, instance: place.instance, index: 8),
    ] {
      #expect(throws: CoreError.badAsset(.badTag)) { try Self.open(sealed, place: moved) }
    }
    let key = try #require(EpochKey(number: 3, bytes: [UInt8](1..<33)))
    #expect(throws: CoreError.badAsset(.otherKey)) { try Self.open(sealed, key: key) }
    // Another key under the name of this one.
    #expect(throws: CoreError.badAsset(.badTag)) { try Self.open(key.digest.bytes + sealed[32...], key: key) }
    let later = try #require(EpochKey(number: 4, bytes: Self.key.bytes))
    #expect(throws: CoreError.badAsset(.otherKey)) { try Self.open(sealed, key: later) }
    for size in [0, 15, 17] {
      #expect(throws: CoreError.self) {
        _ = try PieceSeal.Sealer(Self.key, salt: [UInt8](repeating: 0, count: size), place)
      }
    }
    #expect(PieceSeal.key(of: [1, 2, 3]) == nil)
  }
}
