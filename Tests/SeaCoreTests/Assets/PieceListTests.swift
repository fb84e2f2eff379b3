import SeaCore
import SeaTestSupport
import Testing

/// Content that is verified in pieces: Tests/vectors/pieces.
@Suite struct PieceListTests {
  private static let piece = Int(PieceList.pieceSize)

  /// The content of a vector: each byte is the number of its piece, and some bytes are inverted.
  private static func content(_ vector: Vector) -> [UInt8] {
    let size = Int(vector["content"])!
    var content: [UInt8] = []
    for start in stride(from: 0, to: size, by: piece) {
      content += [UInt8](repeating: UInt8(start / piece), count: min(piece, size - start))
    }
    for at in vector["changed"].split(separator: ",") { content[Int(at.filter(\.isNumber))!] ^= 0xFF }
    return content
  }

  private static func read(_ content: [UInt8], _ size: Int64, step: Int) -> (Digest, PieceList?, Int64) {
    var digest = ContentDigest(forSize: size)
    content.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: step) {
        digest.update(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + step, bytes.count)]))
      }
    }
    return (digest.digest(), digest.list, digest.count)
  }

  @Test(arguments: Vector.all("pieces")) func pieceListMatchesVector(_ vector: Vector) throws {
    let size = Int64(vector["size"])!
    let root = try #require(Digest(hex: vector["digest"]))
    let (digest, list, count) = Self.read(Self.content(vector), size, step: 1 << 20)
    #expect((count == size && digest == root) == (vector["expect"] == "ok"))
    #expect((list != nil) == AssetReference.hasPieces(size))
    guard let list else { return }
    let given = PieceList(vector.bytes, size: size, digest: root)
    #expect((given != nil) == (vector["list"] == "right"))
    if vector["expect"] == "ok" { #expect(Int64(list.bytes.count) == PieceList.size(forSize: size)) }
    let bad = count == size ? given?.differences(from: list, size: size) ?? [] : []
    #expect(bad.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ", ") == vector["bad"])
  }

  @Test func noVectorIsMissing() { PublishedVectors.counted("pieces", Vector.all("pieces").count, of: 37) }

  /// An author can state the digest of any bytes, but a list has exactly one digest for each piece.
  @Test(arguments: [0, 1, 16, 32, 63, 65, 96]) func aListOfAnotherLengthIsRefused(_ count: Int) {
    let (size, bytes) = (Int64(2 * Self.piece), [UInt8](repeating: 7, count: count))
    let root = SHA256.hash(Array("sea pieces v1".utf8) + withUnsafeBytes(of: size.bigEndian, Array.init) + bytes)
    #expect(PieceList(bytes, size: size, digest: root) == nil)
  }

  /// The parts in which content arrives do not matter.
  @Test(arguments: [1 << 24, (1 << 24) + 1, 5_000_011, 1 << 26])
  func digestDoesNotDependOnChunkSize(_ step: Int) throws {
    let content = [UInt8](repeating: 7, count: 2 * Self.piece + 3)
    let size = Int64(content.count)
    let (digest, list, _) = Self.read(content, size, step: step)
    let expected = Self.read(content, size, step: 1 << 20)
    #expect(digest == expected.0 && list == expected.1)
  }
}
