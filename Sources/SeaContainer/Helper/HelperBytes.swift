import SeaCore
import SeaSystem

/// The bytes of a remote file in pieces. As the file is read sequentially, the pieces and the read-ahead grow, because
/// each request is expensive.
final class FarBytes: BlockBytes {
  private static let least: Int64 = 1 << 18
  static let most: Int64 = 4 << 20
  private static let mostAhead: Int64 = 3

  private let container: HelperContainer
  private let path: String
  private let size: Int64
  private var pieces: [(start: Int64, count: Int64, ticket: HelperTicket)] = []
  /// The size of a request in bytes. The next property is the number of requests sent ahead.
  private var piece: Int64
  private var ahead: Int64

  /// The maximum size of a piece. If time is limited, the maximum is lower, so that even a partial transfer is useful.
  private let largest: Int64

  /// - Parameter isWhole: whether the file is read to its end.
  init(_ container: HelperContainer, _ path: String, size: Int64, isWhole: Bool = false) {
    (self.container, self.path, self.size) = (container, path, size)
    largest = container.isTimed ? FarBytes.least : FarBytes.most
    (piece, ahead) = isWhole ? (largest, FarBytes.mostAhead) : (FarBytes.least, 0)
  }

  func begin() throws(ContainerError) { try askAhead(from: 0, need: 0) }

  /// Fills the buffer with bytes of the file. A missing file counts as empty.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ContainerError) -> Int {
    pieces.removeAll { $0.start + $0.count <= offset }
    if let first = pieces.first, first.start > offset { pieces = [] }
    var have = 0
    while have < buffer.count {
      let at = offset + Int64(have)
      try askAhead(from: at, need: Int64(buffer.count - have))
      guard let piece = pieces.first(where: { $0.start <= at && at < $0.start + $0.count }),
        try container.found(piece.ticket)
      else { break }
      let part = piece.ticket.bytes.dropFirst(Int(at - piece.start)).prefix(buffer.count - have)
      if part.isEmpty { break }
      UnsafeMutableRawBufferPointer(rebasing: buffer[have...]).copyBytes(from: part)
      have += part.count
      // A piece that is too short is the last one.
      if piece.ticket.bytes.count < piece.count { break }
    }
    ahead = min(FarBytes.mostAhead, ahead + 1)
    return have
  }

  private func askAhead(from offset: Int64, need: Int64) throws(ContainerError) {
    var next = pieces.last.map { $0.start + $0.count } ?? offset
    let goal = min(size, offset + need + ahead * piece)
    while next < goal {
      let count = min(piece, pieces.isEmpty && ahead == 0 ? min(need, goal - next) : size - next)
      guard count > 0 else { return }
      let ticket = try container.line().ask(.get(path, offset: next, count: count))
      pieces.append((next, count, ticket))
      next += count
      piece = min(largest, piece * 2)
    }
  }
}

/// Reads a remote file to its end, one piece after another.
final class FarPieces {
  private let file: FarBytes
  let size: Int64
  private(set) var offset: Int64
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)

  init(_ container: HelperContainer, _ path: String, size: Int64, from offset: Int64 = 0) {
    file = FarBytes(container, path, size: size, isWhole: true)
    (self.size, self.offset) = (size, offset)
  }

  deinit { buffer.deallocate() }

  /// Returns the next piece, valid until the next call; nil at the end.
  func next() throws(ContainerError) -> UnsafeRawBufferPointer? {
    guard offset < size else { return nil }
    let count = try file.fill(buffer, at: offset)
    offset += Int64(count)
    return count > 0 ? UnsafeRawBufferPointer(rebasing: buffer[..<count]) : nil
  }
}

/// Reads the pack files of a chain. After a pack file has been read to its end, more and more of the following ones are
/// requested ahead.
final class FoldedAhead {
  private static let mostAhead = 16
  private static let mostBytes: Int64 = 8 << 20

  private let container: HelperContainer
  private let chain: BranchID
  private var asked: [UInt32: (file: FarBytes, size: Int64)] = [:]
  private var last: Layout.Leaf?
  private var width = 0

  init(_ container: HelperContainer, _ chain: BranchID) { (self.container, self.chain) = (container, chain) }

  func open(_ leaf: Layout.Leaf, _ window: BlockWindow) throws(ContainerError) -> BlockFile? {
    guard try container.names().chains[chain]?.folded[leaf.first] != nil else { return nil }
    try container.settle(chain)
    guard let entry = try container.names().chains[chain]?.folded[leaf.first] else { return nil }
    let isNext = last.map { $0.next == leaf } ?? false
    if isNext, !container.isTimed {
      width = min(FoldedAhead.mostAhead, max(1, width * 2))
      try ask(from: leaf)
    }
    last = leaf
    let known = asked.removeValue(forKey: leaf.first)
    let file = known.flatMap { $0.size == entry.size ? $0.file : nil } ?? file(leaf, entry.size)
    return BlockFile(file, size: Int(clamping: entry.size), window: window)
  }

  private func file(_ leaf: Layout.Leaf, _ size: Int64, isWhole: Bool = false) -> FarBytes {
    FarBytes(container, FilePlace.folded(chain, leaf.first).path, size: size, isWhole: isWhole)
  }

  private func ask(from first: Layout.Leaf) throws(ContainerError) {
    let folded = try container.names().chains[chain]?.folded ?? [:]
    var bytes = asked.values.reduce(0) { $0 + $1.size }
    var leaf: Layout.Leaf? = first
    for _ in 0...width {
      guard let at = leaf, let entry = folded[at.first], entry.size <= FarBytes.most else { return }
      leaf = at.next
      if asked[at.first] != nil { continue }
      bytes += entry.size
      guard bytes <= FoldedAhead.mostBytes else { return }
      let file = file(at, entry.size, isWhole: true)
      try file.begin()
      asked[at.first] = (file, entry.size)
    }
  }
}

/// Reads the single files of a chain, requesting more and more of the following files ahead.
final class SinglesAhead {
  private static let mostAhead: UInt32 = 128
  private static let mostBytes: Int64 = 8 << 20
  private static let largest = Int64(BlockHeader.size) + (64 << 20)
  /// The number of extra bytes to request, in case a file has grown since it was listed.
  private static let growth: Int64 = 1 << 12

  private let container: HelperContainer
  private let chain: BranchID
  private var tickets: [UInt32: HelperTicket] = [:]
  private var width: UInt32 = 1

  init(_ container: HelperContainer, _ chain: BranchID) { (self.container, self.chain) = (container, chain) }

  func open(_ leaf: Layout.Leaf, _ index: UInt32, _ window: BlockWindow) throws(ContainerError) -> BlockFile? {
    let said = try container.names().chains[chain]?.reportedBlocks
    if let said, index < said.lowerBound { try container.settle(chain) }
    guard let entry = try container.names().chains[chain]?.singles[index] else { return nil }
    let path = FilePlace.block(chain, index).path
    guard entry.size <= SinglesAhead.largest else {
      return BlockFile(FarBytes(container, path, size: entry.size), size: Int(clamping: entry.size), window: window)
    }
    if let bytes = container.bytes(kept: .block(chain, index)) {
      return BlockFile(WholeBytes(bytes), size: bytes.count, window: window)
    }
    if tickets[index] == nil { try ask(leaf, from: index) }
    guard let ticket = tickets.removeValue(forKey: index) else { return nil }
    guard try container.found(ticket) else {
      // The file was packed or removed after it was listed.
      try container.relist(at: chain)
      return nil
    }
    if said != nil, Int64(ticket.bytes.count) > entry.size {
      // The file is larger than was assumed.
      try container.settle(chain)
      return try open(leaf, index, window)
    }
    container.keep(.block(chain, index), ticket.bytes)
    return BlockFile(WholeBytes(ticket.bytes), size: ticket.bytes.count, window: window)
  }

  private func ask(_ leaf: Layout.Leaf, from index: UInt32) throws(ContainerError) {
    let line = try container.line()
    let singles = try container.names().chains[chain]?.singles ?? [:]
    var bytes: Int64 = 0
    tickets = [:]
    for at in index...min(leaf.last, index + min(width, leaf.last - index + 1) - 1) {
      guard let entry = singles[at], entry.size <= SinglesAhead.largest else { break }
      bytes += entry.size
      if at > index, bytes > SinglesAhead.mostBytes { break }
      let path = FilePlace.block(chain, at).path
      tickets[at] = line.ask(.get(path, offset: 0, count: entry.size + SinglesAhead.growth))
    }
    width = min(SinglesAhead.mostAhead, width * 4)
  }
}
