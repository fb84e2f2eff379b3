import SeaContainer
import SeaCore

/// The blocks of one instance in a container. Blocks may be in any folder, because a reader never trusts the folder of
/// a block.
///
/// A piece is a run of adjacent blocks in one folder, each linked to the previous block. Usually, the whole folder is
/// one piece. The branch of a piece is unknown until the block before the piece has been read.
struct ChainPieces {
  struct Piece {
    enum Source: Hashable {
      case folder(BranchID)
      /// A stray file, such as a "conflicted copy" made by a cloud client.
      case file(String)
    }

    let source: Source
    fileprivate(set) var branch: BranchID
    fileprivate(set) var first: UInt32
    private(set) var gap: UInt32?
    fileprivate var isStart = false
    fileprivate var isWaiting = false

    fileprivate init(_ source: Source, _ branch: BranchID, _ first: UInt32, isStart: Bool = false, gap: UInt32? = nil) {
      (self.source, self.branch, self.first, self.isStart, self.gap) = (source, branch, first, isStart, gap)
    }

    /// The folder that contains the piece, or the folder next to the piece's file.
    var folder: BranchID { if case .folder(let branch) = source { branch } else { branch } }

    func at(_ index: UInt32) -> Piece { Piece(source, branch, index) }
  }

  private let place: ContainerPlace
  private let instance: UUID
  private var open: [Piece] = []
  private var waiting: [Piece] = []
  private var named: Set<BranchID> = []
  private var hasMoved = true
  private var hasFiles = false

  init(_ place: ContainerPlace, _ instance: UUID) throws {
    (self.place, self.instance) = (place, instance)
    open = try place.runsInOrder(of: instance).reversed().map {
      Piece(.folder($0.branch), $0.branch, $0.first, isStart: true)
    }
  }

  /// The pieces that follow a missing block. Valid once all other pieces have been read.
  var orphans: [Piece] {
    waiting.filter { if case .folder = $0.source { true } else { false } }.sorted { $0.first < $1.first }
  }

  /// Returns the next piece and the block before it; the block is nil if the piece begins the chain. Known blocks are
  /// skipped.
  mutating func next(_ knows: (BlockRef) throws -> Bool) throws -> (piece: Piece, behind: BlockRef?)? {
    while true {
      guard var piece = open.popLast() else {
        guard try hasMoved && !waiting.isEmpty || addFiles() else { return nil }
        (open, waiting, hasMoved) = (waiting.reversed() + open, [], false)
        continue
      }
      var link = try place.link(piece)
      let start = piece.first
      while let one = link, try knows(BlockRef(instance: instance, index: piece.first, digest: one.digest)) {
        piece.first += 1
        link = try place.link(piece)
      }
      if piece.first > start { hasMoved = true }
      guard let link else {
        // The piece has no further complete block.
        guard try place.names(piece) else { continue }
        guard piece.isStart, piece.first == 0 else {
          waiting.append(piece)
          continue
        }
        return emit(piece, nil, nil)
      }
      let base = piece.first == 0 ? nil : BlockRef(instance: instance, index: piece.first - 1, digest: link.previous)
      if let base, try !knows(base) {
        // The next blocks in the folder may belong to another branch.
        if !piece.isWaiting, let at = try place.turn(in: piece) { addPiece(piece, at: at) }
        piece.isWaiting = true
        waiting.append(piece)
        continue
      }
      return emit(piece, base, link.digest)
    }
  }

  private mutating func emit(_ piece: Piece, _ base: BlockRef?, _ digest: Digest?) -> (piece: Piece, behind: BlockRef?)
  {
    hasMoved = true
    var piece = piece
    if let digest, !piece.isStart || named.contains(piece.branch) {
      piece.branch = BranchID(instance, forkedAt: digest)
    }
    named.insert(piece.branch)
    return (piece, base)
  }

  /// Records that a block in a folder does not follow the previous block, or that a gap begins at an index.
  mutating func addPiece(_ piece: Piece, at index: UInt32, gap: UInt32? = nil) {
    open.append(Piece(piece.source, piece.folder, index, gap: gap))
  }

  /// Adds the stray files. They come last, because by then most of their blocks have already been read.
  private mutating func addFiles() throws -> Bool {
    guard !hasFiles else { return false }
    hasFiles = true
    for name in try place.names(of: instance) {
      for stray in try place.container.survey(name).strays where stray.size >= Int64(BlockHeader.size) {
        guard let first = try place.firstBlock(of: stray.path) else { continue }
        open.append(Piece(.file(stray.path), name, first))
      }
    }
    return !open.isEmpty
  }
}

extension ContainerPlace {
  /// Reads the blocks of a piece and all blocks after them in the same file or folder.
  func read(
    _ piece: ChainPieces.Piece, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    switch piece.source {
    case .folder(let branch): return try container.readBlocks(of: branch, from: piece.first, body)
    case .file(let path):
      var end = ReadEnd.end(next: piece.first)
      try container.readStray(path) { bytes in
        guard case .end(let next) = end, let header = try? BlockHeader(bytes) else { return false }
        if header.index < next { return true }
        guard header.index == next else { return false }
        end = try body(next, bytes) ? .end(next: next + 1) : .stopped(next: next)
        return end == .end(next: next + 1)
      }
      return end
    }
  }

  fileprivate func link(_ piece: ChainPieces.Piece) throws -> BlockLink? {
    if case .folder(let branch) = piece.source { return try link(branch, piece.first) }
    var found: BlockLink?
    _ = try read(piece) { index, bytes in
      if let header = try? BlockHeader(bytes) {
        found = BlockLink(digest: header.hash, previous: header.previous)
      }
      return false
    }
    return found
  }

  fileprivate func names(_ piece: ChainPieces.Piece) throws -> Bool {
    guard case .folder(let branch) = piece.source else { return false }
    return try container.lastIndex(of: branch).map { $0 >= piece.first } ?? false
  }

  /// Returns the first index after a gap, according to the file names.
  func next(behind gap: UInt32, in branch: BranchID) throws -> UInt32? {
    let survey = try container.survey(branch)
    // Any file at the index of the gap itself is not a block.
    let single = gap < .max ? survey.singles(from: gap + 1).first?.index : nil
    return [single, survey.folded.first { $0.first > gap }?.first].compactMap { $0 }.min()
  }

  fileprivate func firstBlock(of path: String) throws -> UInt32? {
    var first: UInt32?
    try container.readStray(path) { bytes in
      first = (try? BlockHeader(bytes))?.index
      return false
    }
    return first
  }

  fileprivate func turn(in piece: ChainPieces.Piece) throws -> UInt32? {
    var (last, found): (Digest?, UInt32?)
    _ = try ifReadable {
      (last, found) = (nil, nil)
      return try read(piece) { index, bytes in
        guard let header = try? BlockHeader(bytes) else { return false }
        if let last, header.previous != last {
          found = index
          return false
        }
        last = header.hash
        return true
      }
    }
    return found
  }
}
