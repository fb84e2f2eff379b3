import SeaStudio
import Testing

/// The small pictures in photos, and files that only look like photos.
@Suite struct PictureTests {
  /// A JPEG file with a directory that has a preview, and the orientation of the large picture.
  private func photo(preview: [UInt8], turn: UInt8, start: UInt32? = nil, length: UInt32? = nil) -> [UInt8] {
    func long(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    func entry(_ tag: UInt8, _ high: UInt8, _ kind: UInt8, _ value: [UInt8]) -> [UInt8] {
      [high, tag, 0, kind, 0, 0, 0, 1] + value
    }
    let first: [UInt8] = [0, 1] + entry(0x12, 0x01, 3, [0, turn, 0, 0]) + long(26)
    let place = start ?? 56
    let second: [UInt8] =
      [0, 2] + entry(0x01, 0x02, 4, long(place)) + entry(0x02, 0x02, 4, long(length ?? UInt32(preview.count))) + long(0)
    let body = Array("Exif\0\0MM\0*".utf8) + long(8) + first + second + preview
    let size = body.count + 2
    return [0xFF, 0xD8, 0xFF, 0xE1, UInt8(size >> 8), UInt8(size & 255)] + body + [0xFF, 0xDA, 0, 2]
  }

  private let preview: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB] + [UInt8](repeating: 7, count: 200) + [0xFF, 0xD9]

  @Test func previewIsFound() throws {
    #expect(Picture.small(of: photo(preview: preview, turn: 1)) == preview)
  }

  @Test func previewIsTurnedLikeThePicture() throws {
    let turned = try #require(Picture.small(of: photo(preview: preview, turn: 6)))
    #expect(Picture.type(of: turned) == "image/jpeg" && turned.count == preview.count + 36)
    #expect(Array(turned.suffix(preview.count - 2)) == Array(preview.dropFirst(2)))
  }

  @Test(arguments: [(UInt32.max, UInt32(200)), (56, .max), (0, 0), (60, 100_000), (.max, .max)])
  func wrongPlacesAreRefused(start: UInt32, length: UInt32) {
    #expect(Picture.small(of: photo(preview: preview, turn: 6, start: start, length: length)) == nil)
  }

  @Test func noBytesCrash() {
    var chance = Chance(seed: 1)
    let whole = photo(preview: preview, turn: 6)
    for end in 0...whole.count { _ = Picture.small(of: Array(whole[..<end])) }
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        bytes[Int.random(in: 4..<80, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
      }
      _ = Picture.small(of: bytes)
    }
  }

  @Test func sizesAreRead() {
    let png =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 1, 0, 0, 0, 0, 3]
      as [UInt8]
    #expect(Picture.pixels(of: png) == 768)
    #expect(Picture.pixels(of: Array("GIF89a".utf8) + [0, 1, 3, 0]) == 768)
    let webp = Array("RIFF....WEBP".utf8)
    #expect(Picture.pixels(of: webp + Array("VP8X....".utf8) + [0, 0, 0, 0, 255, 0, 0, 2, 0, 0]) == 768)
    #expect(Picture.pixels(of: webp + Array("VP8L....".utf8) + [0x2F, 0xFF, 0x80, 0, 0]) == 768)
    #expect(Picture.pixels(of: webp + Array("VP8 ....".utf8) + [0, 0, 0, 0x9D, 0x01, 0x2A, 0, 1, 3, 0]) == 768)
    let jpeg =
      [0xFF, 0xD8, 0xFF, 0xFF, 0xE0, 0, 2, 0xFF, 0xC4, 0, 3, 0, 0xFF, 0xC2, 0, 11, 8, 0, 3, 1, 0, 1, 1, 0x11, 0]
      as [UInt8]
    #expect(Picture.pixels(of: jpeg) == 768)
    for whole in [png, jpeg] {
      for end in 0..<(whole.count - 4) { #expect(Picture.pixels(of: Array(whole[..<end])) == nil) }
    }
  }

  @Test(arguments: ["<svg xmlns=", "<html>", "%PDF-", "BM", "RIFF....WAVE", "", "GIF", "\u{89}PNG"])
  func otherFilesAreNoPictures(
    start: String
  ) {
    #expect(Picture.type(of: Array(start.utf8)) == nil)
  }
}

/// The same numbers in every run.
private struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
