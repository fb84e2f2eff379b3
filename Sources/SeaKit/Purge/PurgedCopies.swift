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
  }

  private let store: Store
  private let container: Container
  /// By instance the indices of purged blocks, and the first blocks of the leaves that they lie in.
  private let places: [UUID: Set<UInt32>]
  private let leaves: [UUID: Set<UInt32>]
  private let chains: [UUID]
  private let marks: PurgedMarks
  private let files: Set<PurgedFile>
  private let fileSizes: Set<Int64>

  /// - Parameter rows: the purged blocks that are looked for.
  init(_ store: Store, _ container: Container, _ rows: [BlockRow]) throws {
    self.store = store
    self.container = container
    places = Dictionary(grouping: rows, by: \.instance).mapValues { Set($0.map(\.index)) }
    leaves = places.mapValues { Set($0.map { Layout.Leaf(containing: $0).first }) }
    chains = try store.branches.chains().map(\.instance)
    marks = try store.purged.marks(of: rows)
    files = try store.purged.files()
    fileSizes = Set(files.map(\.size))
  }

  /// The same as long as the same is looked for.
  var version: Digest {
    var hash = SHA256()
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
      return try store.blocks.bytes(of: branch, all: leaf.first...leaf.last) == file.size
    case .block(let branch, let index):
      guard !marks.sizes.contains(file.size) else { return false }
      return try store.blocks.block(branch, index).map { Int64($0.size) } == file.size
    case .asset(let place):
      guard !marks.sizes.contains(file.size), !fileSizes.contains(file.size) else { return false }
      return try store.assets.isNamed(place)
    }
  }

  /// - Returns: nil if the file has nothing that was purged.
  func look(at file: Stray) throws -> Found? {
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
      try search.add(piece)
      if mayBeAsset { hash.update(piece) }
      return true
    }
    found.blocks = search.copies
    found.isAsset = mayBeAsset && files.contains(PurgedFile(size: file.size, digest: hash.digest()))
    (found.hasOthers, found.isInPlace, found.isCut) = (search.hasOthers, isInPlace, search.isCut)
    guard found.blocks.isEmpty, !found.isAsset, !isAside(file.path), !found.isCut else { return found }
    return nil
  }

  /// Whether a file was set aside that stood in the place of a purged block, or had that place in it.
  private func isAside(_ path: String) -> Bool {
    var parts = path.split(separator: "/").map(String.init)
    guard parts.count > 2, parts.removeFirst() == Layout.transactions, let chain = BranchID(parts.removeFirst()),
      let name = parts.popLast().flatMap(Layout.asideName), let all = places[chain.instance]
    else { return false }
    if let index = Layout.index(ofPath: (parts + [name]).joined(separator: "/")) { return all.contains(index) }
    guard let digit = Layout.foldedDigit(name),
      let first = Layout.index(ofPath: (parts + [String(digit), "0"]).joined(separator: "/"))
    else { return false }
    return leaves[chain.instance]?.contains(first) == true
  }
}
