import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Looks in a container for what was purged here, and takes it out: blocks in their places and in folded files, assets, and copies
/// of them anywhere else.
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
  /// Files of blocks beside the folded file that has them: nobody reads these.
  private var shadowed: [BranchID: Set<UInt32>] = [:]
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
    for chain in try container.chains().chains {
      guard let all = holes[chain.instance] else { continue }
      try look(in: chain, container.survey(chain), all)
    }
    for place in try store.purged.assetPlaces().sorted() where try container.hasTraces(place) {
      try take(place.path) { try container.purge(place) }
    }
    try lookElsewhere()
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
      if survey.folded(containing: index) != nil { shadowed[chain, default: []].insert(index) }
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

  // MARK: - Files elsewhere

  /// Copies of blocks and of files of assets, wherever they lie and whatever they are called: known by what they hold.
  private mutating func lookElsewhere() throws {
    let search = try PurgedCopies(store, container, holes.mapValues { Set($0.keys) }, shadowed)
    let container = container
    var copies: [(file: Stray, hasOthers: Bool)] = []
    var unseen: [String] = []
    let skipped = try container.forEachFile { file in
      do {
        if let hasOthers = try search.look(at: file) { copies.append((file, hasOthers)) }
      } catch ContainerError.system(let error) where error.isMissing || error.isUnreadable {
        if !error.isMissing { unseen.append(file.path) }
      }
    }
    for path in skipped + unseen { leave(path, "it cannot be looked at") }
    let oldest = Clock.now() - Layout.oldTemporary
    for (file, hasOthers) in copies {
      if hasOthers {
        // What is nowhere else is not thrown away.
        leave(file.path, "it has blocks that are not known here, too")
      } else if Layout.isTemporary(Path.name(file.path)), !(1..<oldest).contains(file.modified) {
        leave(file.path, "it is being written, or was left so less than an hour ago")
      } else {
        try take(file.path) { try container.removeStray(file.path) }
      }
    }
  }

  private mutating func leave(_ place: String, _ reason: String) {
    found += 1
    remainders.append(Remainder(place: place, reason: reason))
  }
}
