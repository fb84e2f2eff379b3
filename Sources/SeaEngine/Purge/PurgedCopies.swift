import SeaContainer
import SeaCore
import SeaStore

/// Knows a file that has a copy of a purged block, or was a file of a purged asset, by what it holds.
struct PurgedCopies {
  /// What a file has that is to go.
  struct Found {
    /// The blocks that it has copies of.
    var blocks: Set<BlockRef> = []
    var isAsset = false
    /// Whether it has blocks, too, that are not known here.
    var hasOthers = false
    /// Whether it is a folded file that has blocks, too, which belong where they are.
    var isInPlace = false
    /// Whether it could not be looked at to its end.
    var isCut = false
    /// Whether it stands in the place of a purged block and is neither what is left of that nor any other block.
    var isAmiss = false
    /// Whether nobody can tell what it holds, and its name leads to what was purged.
    var isUntold = false
  }

  private let store: Store
  private let container: Container
  private let places: PurgedPlaces
  private let chains: [UUID]
  private let marks: PurgedMarks
  private let files: Set<PurgedFile>
  private let fileSizes: Set<Int64>

  /// - Parameter rows: the purged blocks that are looked for.
  init(_ store: Store, _ container: Container, _ rows: [BlockRow]) throws {
    self.store = store
    self.container = container
    places = try PurgedPlaces(rows, store.purged.assetPlaces())
    chains = try store.branches.chains().map(\.instance)
    marks = try store.purged.marks(of: rows)
    files = try store.purged.files()
    fileSizes = Set(files.map(\.size))
  }

  /// The same as long as the same is looked for.
  var version: Digest {
    var hash = SHA256()
    hash.update(Array("2".utf8))
    for place in places.assets.sorted() { hash.update(Array(place.path.utf8)) }
    for digest in marks.payloads { hash.update(digest.bytes) }
    for file in files.sorted(by: { ($0.size, $0.digest) < ($1.size, $1.digest) }) { hash.update(file.digest.bytes) }
    return hash.digest()
  }

  /// Whether name and size say what a file is: then it is not read.
  func isPlain(_ file: Stray) throws -> Bool {
    guard file.size > 0 else { return true }
    switch FilePlace(file.path) {
    case .info: return true
    case .small, .other: return false
    case .folded(let branch, let first):
      let leaf = Layout.Leaf(containing: first)
      guard !places.has(leaf, of: branch.instance) else { return false }
      return try store.blocks.bytes(of: branch, all: leaf.first...leaf.last) == file.size
    case .block(let branch, let index):
      // What is left of a block has the size of other things, too.
      guard !marks.sizes.contains(file.size), !marks.payloadSizes.contains(file.size),
        !places.has(index, of: branch.instance)
      else { return false }
      return try store.blocks.block(branch, index).map { Int64($0.size) } == file.size
    case .asset(let place):
      guard !marks.sizes.contains(file.size), !marks.payloadSizes.contains(file.size), !fileSizes.contains(file.size)
      else { return false }
      return try store.assets.isNamed(place)
    }
  }

  /// - Parameter isLate: asked now and then.
  /// - Returns: nil if the file has nothing that was purged.
  /// - Throws: `Allowance.Reached` once it is late.
  func look(at file: Stray, isLate: () -> Bool = { false }) throws -> Found? {
    var found = Found()
    let place = FilePlace(file.path)
    var (instance, leaf): (UUID?, Layout.Leaf?)
    var mayBeAsset = fileSizes.contains(file.size)
    switch place {
    case .block(let branch, _): instance = branch.instance
    case .folded(let branch, let first): (instance, leaf) = (branch.instance, Layout.Leaf(containing: first))
    case .asset(let place): if mayBeAsset { mayBeAsset = try !store.assets.isNamed(place) }
    default: break
    }
    let mayBePayload = marks.payloadSizes.contains(file.size)
    var isInPlace = false
    var search = CopySearch(marks, size: file.size) { header, digest in
      func isHere(_ instance: UUID) throws -> Bool {
        try store.blocks.block(BlockRef(instance: instance, index: header.index, digest: digest)) != nil
      }
      if let instance, try isHere(instance) {
        if let leaf { isInPlace = isInPlace || Layout.Leaf(containing: header.index) == leaf }
        return true
      }
      return try chains.contains(where: isHere)
    }
    var hash = SHA256()
    try container.readFile(file.path) { piece in
      if isLate() { throw Allowance.Reached() }
      try search.add(piece)
      if mayBeAsset || mayBePayload { hash.update(piece) }
      return true
    }
    found.blocks = search.copies
    if mayBeAsset || mayBePayload {
      let digest = hash.digest()
      found.isAsset = mayBeAsset && files.contains(PurgedFile(size: file.size, digest: digest))
      if let block = marks.block(withPayload: digest) { found.blocks.insert(block) }
    }
    (found.hasOthers, found.isInPlace, found.isCut) = (search.hasOthers, isInPlace, search.isCut)
    if !found.blocks.isEmpty || found.isAsset || found.isCut || places.isAside(file.path) { return found }
    guard search.sound < file.size else { return nil }
    switch place {
    case .block(let branch, let index): found.isAmiss = places.has(index, of: branch.instance)
    case .folded(let branch, let first):
      found.isUntold = places.has(Layout.Leaf(containing: first), of: branch.instance)
    case .other: found.isUntold = places.areMeant(by: file.path)
    default: break
    }
    return found.isAmiss || found.isUntold ? found : nil
  }
}
