/// The SHA-256 digests of an asset's pieces. A reader verifies each piece with them, in any order.
///
/// Content of at most one piece has no list. A record states the digest of the list and of the size of the content.
package struct PieceList: Equatable, Sendable {
  package static let pieceSize = AssetReference.pieceSize

  package fileprivate(set) var bytes: [UInt8] = []

  /// The size of the list in bytes.
  package static func size(forSize size: Int64) -> Int64 {
    (size / pieceSize + (size % pieceSize == 0 ? 0 : 1)) * Int64(Digest.size)
  }

  fileprivate init() {}

  /// Reads a list; nil if it does not have the digest that the record states, or a digest for each piece. An author can
  /// state the digest of a list of any length.
  package init?(_ bytes: [UInt8], size: Int64, digest: Digest) {
    guard bytes.count == PieceList.size(forSize: size) else { return nil }
    self.bytes = bytes
    guard self.digest(forSize: size) == digest else { return nil }
  }

  package func digest(forSize size: Int64) -> Digest {
    var hash = SHA256()
    hash.update("sea pieces v1")
    withUnsafeBytes(of: size.bigEndian) { hash.update($0) }
    hash.update(bytes)
    return hash.digest()
  }

  /// Returns the pieces, as ranges of bytes of the content, whose digests differ from those of another list. Adjacent
  /// pieces become one range.
  /// - Parameter start: the number of bytes of the lists to skip.
  package func differences(from other: PieceList, size: Int64, after start: Int = 0) -> [Range<Int64>] {
    var ranges: [Range<Int64>] = []
    for at in stride(from: start, to: min(bytes.count, other.bytes.count), by: Digest.size)
    where bytes[at..<at + Digest.size] != other.bytes[at..<at + Digest.size] {
      let start = Int64(at / Digest.size) * PieceList.pieceSize
      let end = min(start + PieceList.pieceSize, size)
      if let last = ranges.last, last.upperBound == start {
        ranges[ranges.count - 1] = last.lowerBound..<end
      } else {
        ranges.append(start..<end)
      }
    }
    return ranges
  }
}

/// Computes the digest of an asset's content, and the list of its pieces if the content has one.
package struct ContentDigest: ~Copyable {
  private let hasList: Bool
  private var hash = SHA256()
  private var complete = PieceList()
  package private(set) var count: Int64 = 0

  /// - Parameter size: the size that the record states; it decides which kind of digest is computed.
  package init(forSize size: Int64) { hasList = AssetReference.hasPieces(size) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard hasList else {
      hash.update(bytes)
      count += Int64(bytes.count)
      return
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let room = PieceList.pieceSize - count % PieceList.pieceSize
      let part = rest.prefix(Int(min(room, Int64(rest.count))))
      hash.update(UnsafeRawBufferPointer(rebasing: part))
      count += Int64(part.count)
      rest = rest.dropFirst(part.count)
      if count % PieceList.pieceSize == 0 {
        complete.bytes += hash.digest().bytes
        hash = SHA256()
      }
    }
  }

  /// The list of the complete pieces.
  package var completeList: PieceList { complete }

  /// The list, with the last piece as far as it has been read; nil if content of this size has no list.
  package var list: PieceList? {
    guard hasList else { return nil }
    var list = complete
    if count % PieceList.pieceSize != 0 { list.bytes += hash.digest().bytes }
    return list
  }

  package func digest() -> Digest {
    if let list { return list.digest(forSize: count) }
    return hash.digest()
  }
}
