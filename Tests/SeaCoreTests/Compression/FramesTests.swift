import SeaCore
import SeaTestSupport
import Testing

@Suite struct FramesTests {
  private func text(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededRandom(seed)
    let words = (0..<200).map { _ in
      (0..<Int.random(in: 3...9, using: &random)).map { _ in UInt8.random(in: 97...122, using: &random) }
    }
    var bytes: [UInt8] = []
    while bytes.count < count {
      bytes += words.randomElement(using: &random)!
      bytes.append(32)
    }
    return Array(bytes.prefix(count))
  }

  private func frames(_ clear: [UInt8]) -> [UInt8]? { clear.withUnsafeBytes { Frames.compress($0) } }
  private func open(_ bytes: [UInt8]) -> [UInt8]? { bytes.withUnsafeBytes { Frames.open($0) } }

  @Test(arguments: [512, 513, 4000, 32_767, 32_768, 32_769, 65_536, 400_000])
  func compressedContentRoundTrips(_ count: Int) throws {
    let clear = text(count)
    let bytes = try #require(frames(clear))
    #expect(bytes.count <= count - (count + 7) / 8)
    #expect(open(bytes) == clear)
    let list = try #require(bytes.withUnsafeBytes { Frames($0) })
    #expect(list.count == (count + 32_767) / 32_768)
    #expect(list.contentSize == count)
    // Each alone.
    let opener = Frames.Opener()
    for k in 0..<list.count {
      var piece = [UInt8](repeating: 0, count: list.contentSize(of: k))
      let isSound = bytes.withUnsafeBytes { bytes in
        piece.withUnsafeMutableBytes {
          opener.open(UnsafeRawBufferPointer(rebasing: bytes[list.starts[k]..<list.starts[k + 1]]), into: $0)
        }
      }
      #expect(isSound)
      #expect(piece.elementsEqual(clear[(k * 32_768)...].prefix(32_768)))
    }
  }

  @Test func incompressibleContentIsNotCompressed() {
    var random = SeededRandom(2)
    #expect(frames((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }) == nil)
    #expect(frames(text(511)) == nil)
    #expect(frames([]) == nil)
  }

  @Test func framesOutsideSpecificationAreRefused() throws {
    let one = try #require(frames(text(32_768)))
    let last = try #require(frames(text(1000, seed: 3)))
    #expect(open(one + last)?.count == 33_768)
    #expect(open(last + one) == nil)
    #expect(open(last + last) == nil)
    #expect(open([]) == nil)
    #expect(open(one + [0]) == nil)
    #expect(open(Array(one.dropLast())) == nil)
    // A skippable frame, in front and behind.
    let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0]
    #expect(open(skippable + last) == nil)
    #expect(open(last + skippable) == nil)
    // Every bit of the descriptor but the unused one.
    for bit in [0, 1, 2, 3, 5, 6, 7] as [UInt8] {
      var changed = last
      changed[4] ^= 1 << bit
      #expect(open(changed) == nil, "bit \(bit)")
    }
    // By hand: one segment, its content size, one raw block, the last.
    func frame(_ content: [UInt8], says size: UInt8? = nil, type: UInt8 = 0, block: Int? = nil) -> [UInt8] {
      let header = (block ?? content.count) << 3 | Int(type) << 1 | 1
      let front: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x20, size ?? UInt8(content.count)]
      return front + [UInt8(header & 255), UInt8(header >> 8 & 255), 0] + content
    }
    #expect(open(frame([1, 2, 3])) == [1, 2, 3])
    #expect(open(frame([7], says: 5, type: 1, block: 5)) == [7, 7, 7, 7, 7])
    #expect(open(frame([1, 2, 3], says: 4)) == nil)
    #expect(open(frame([1, 2, 3], says: 2)) == nil)
    #expect(open(frame([7], says: 5, type: 1, block: 6)) == nil)
    #expect(open(frame([1, 2, 3], type: 3)) == nil)
    #expect(open(frame([])) == nil)
  }

  @Test func damagedFramesNeverTrap() throws {
    let bytes = try #require(frames(text(140_000)))
    var random = SeededRandom(TestSeed.value)
    for _ in 0..<3000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let content = open(damaged) { #expect(content.count == 140_000) }
    }
  }
}
