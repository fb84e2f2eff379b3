import SeaContainer
import SeaCore
import SeaStore

/// Looks in a container for what was purged here, and takes it out: blocks in their places and in folded files, copies of
/// them in files without a place, and assets.
///
/// Names and sizes are looked at everywhere; contents only where these do not say what is there: what is left of a block has
/// 112 bytes, which no whole block has.
struct ContainerPurge {
  /// Something that is there and should not be.
  struct Remainder: Equatable, Sendable {
    /// A block, or the path of a file.
    var place: String
    /// Why it could not be taken out.
    var reason: String
  }

  private struct Hole {
    var row: BlockRow
    var left: [UInt8]
  }

  private let store: Store
  private let container: Container
  private let dryRun: Bool
  /// By instance and index: there may be several, in branches.
  private var holes: [UUID: [UInt32: [Hole]]] = [:]
  /// By instance the first blocks of the leaves that they lie in.
  private var leaves: [UUID: Set<UInt32>] = [:]
  /// The headers that the blocks had, as orders repeat them.
  private var headers: Set<[UInt8]> = []
  /// Blocks, files and assets that were there, or with `dryRun` are.
  private(set) var found = 0
  /// Blocks whose orders are not there yet: they are not looked for.
  private(set) var waiting: [BlockRow] = []
  /// What is there still.
  private(set) var remainders: [Remainder] = []

  /// - Parameter isThere: whether the container has the block that an order stands in: without it what is left of a block would be
  ///   damage to others.
  init(_ store: Store, _ container: Container, dryRun: Bool, isThere: (BlockRef) throws -> Bool = { _ in true }) throws
  {
    self.store = store
    self.container = container
    self.dryRun = dryRun
    for row in try store.blocks.removed() where row.state != .unread {
      if let source = try store.content.source(of: row), try !isThere(source) {
        waiting.append(row)
        continue
      }
      let left = try store.content.bytes(of: row)
      leaves[row.instance, default: []].insert(Layout.Leaf(containing: row.index).first)
      holes[row.instance, default: [:]][row.index, default: []].append(Hole(row: row, left: left))
    }
  }

  mutating func run() throws {
    guard !holes.isEmpty else { return }
    let container = container
    var strays: [Stray] = []
    for chain in try container.chains().chains {
      guard let all = holes[chain.instance] else { continue }
      let survey = try container.survey(chain)
      try look(in: chain, survey, all)
      strays += survey.strays
    }
    strays += try container.strays()
    if !strays.isEmpty { try look(in: strays) }
    for place in try store.purged.assetPlaces().sorted() where try container.hasTraces(place) {
      try take(place.path) { try container.purge(place) }
    }
    try takeCopies(strays)
  }

  /// Copies of files of assets, wherever a cloud client has put them: known by what they hold.
  private mutating func takeCopies(_ strays: [Stray]) throws {
    let files = try store.purged.files()
    guard !files.isEmpty else { return }
    let (sizes, container) = (Set(files.map(\.size)), container)
    for stray in try strays + container.assetStrays() where stray.size > 0 && sizes.contains(stray.size) {
      guard let digest = try container.strayDigest(stray.path),
        files.contains(PurgedFile(size: stray.size, digest: digest))
      else { continue }
      try take(stray.path) { try container.removeStray(stray.path) }
    }
  }

  /// - Parameter body: takes it away.
  private mutating func take(_ place: String, _ body: () throws -> Void) throws {
    found += 1
    if dryRun { remainders.append(Remainder(place: place, reason: "")) } else { try body() }
  }

  // MARK: - Blocks

  private mutating func look(in chain: BranchID, _ survey: BranchSurvey, _ all: [UInt32: [Hole]]) throws {
    var whole: [UInt32: [UInt8]] = [:]
    for (index, holes) in all {
      guard let single = survey.single(index), single.size != Int64(Remains.blockSize), single.size >= 0 else {
        continue
      }
      try look(in: chain, from: index, through: index, [index: holes], &whole)
    }
    let leaves = leaves[chain.instance] ?? []
    for file in survey.folded where leaves.contains(file.first) {
      let leaf = Layout.Leaf(containing: file.first)
      let inside = all.filter { leaf.first <= $0.key && $0.key <= leaf.last }
      guard let some = inside.first?.value.first, try size(of: leaf, some.row.branch) != file.size else { continue }
      try look(in: chain, from: leaf.first, through: leaf.last, inside, &whole)
    }
    guard !whole.isEmpty else { return }
    found += whole.count
    if !dryRun {
      try container.empty(chain, whole)
      // Only what was looked at is gone.
      var left: [UInt32: [UInt8]] = [:]
      for index in whole.keys.sorted() {
        try look(in: chain, from: index, through: index, [index: all[index] ?? []], &left)
      }
      whole = left
    }
    remainders += whole.keys.sorted().map { index in
      Remainder(place: "\(chain)/\(index)", reason: dryRun ? "" : "its file cannot be read to the end")
    }
  }

  /// What a folded file has if nothing is to be taken out of it; nil if nobody can say.
  private func size(of leaf: Layout.Leaf, _ branch: BranchID) throws -> Int64? {
    guard try store.blocks.block(branch, leaf.first) != nil, try store.blocks.block(branch, leaf.last) != nil else {
      return nil
    }
    return try store.blocks.sums(of: branch, leaf.first...leaf.last).bytes
  }

  /// Which of some blocks are there as they were.
  private func look(
    in chain: BranchID, from first: UInt32, through last: UInt32, _ all: [UInt32: [Hole]],
    _ whole: inout [UInt32: [UInt8]]
  ) throws {
    _ = try container.readBlocks(of: chain, from: first) { index, bytes in
      if let holes = all[index], let header = try? BlockHeader(bytes), !header.mode.contains(.removed) {
        let digest = header.digest(of: bytes)
        if let hole = holes.first(where: { $0.row.digest == digest }) { whole[index] = hole.left }
      }
      return index < last
    }
  }

  // MARK: - Files without a place

  private mutating func look(in strays: [Stray]) throws {
    try store.control.forEachOrder { row in headers.insert(row.order.header.encoded()) }
    let chains = try store.branches.chains().map(\.instance)
    let container = container
    for stray in strays where stray.size > 0 {
      var (isCopy, unknown) = (isAsideOfHole(stray.path), false)
      try container.readStray(stray.path) { bytes in
        guard let header = try? BlockHeader(bytes), !header.mode.contains(.removed) else { return true }
        if headers.contains(Array(bytes.prefix(BlockHeader.size))) {
          isCopy = true
        } else if !unknown {
          let digest = header.digest(of: bytes)
          unknown = try !chains.contains {
            try store.blocks.block(BlockRef(instance: $0, index: header.index, digest: digest)) != nil
          }
        }
        return true
      }
      let rest = try container.strayRest(stray.path)
      if headers.contains(rest) { isCopy = true }
      guard isCopy else { continue }
      // What is nowhere else is not thrown away.
      if unknown {
        found += 1
        remainders.append(Remainder(place: stray.path, reason: "it has blocks that are not known here, too"))
      } else {
        try take(stray.path) { try container.removeStray(stray.path) }
      }
    }
  }

  /// Whether a file was set aside that stood in the place of a purged block, or had that place in it.
  private func isAsideOfHole(_ path: String) -> Bool {
    var parts = path.split(separator: "/").map(String.init)
    guard parts.count > 2, parts.removeFirst() == Layout.transactions, let chain = BranchID(parts.removeFirst()),
      let name = parts.popLast().flatMap(Layout.asideName), let all = holes[chain.instance]
    else { return false }
    if let index = Layout.index(ofPath: (parts + [name]).joined(separator: "/")) { return all[index] != nil }
    guard let digit = Layout.foldedDigit(name),
      let first = Layout.index(ofPath: (parts + [String(digit), "0"]).joined(separator: "/"))
    else { return false }
    return leaves[chain.instance]?.contains(first) == true
  }
}
