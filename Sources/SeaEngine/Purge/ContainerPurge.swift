import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Looks in a container for what was purged here, and takes it out: blocks in their places and in folded files, assets, and copies
/// of them anywhere else.
///
/// Names and sizes are looked at everywhere; contents where these do not say what is there: what is left of a block has 112 bytes, which
/// no whole block has. What had nothing is remembered, see `PurgeNotes`.
struct ContainerPurge {
  /// Something that is there and should not be.
  struct Remainder: Equatable, Sendable {
    /// A block, or the path of a file.
    var place: String
    /// Why it could not be taken out.
    var reason: String
    /// Whether nobody can tell what it is.
    var isUntold = false
  }

  /// Where it is remembered what was looked at.
  struct Memory {
    /// The container's.
    var name: String
    var now: Int64
    /// Whether everything is looked at all the same.
    var isFull = false
    /// What ends it before all is looked at; one file is in any case.
    var allowance: Allowance?
  }

  private struct Hole {
    var row: BlockRow
    var left: [UInt8]
  }

  private let store: Store
  private let container: Container
  private let dryRun: Bool
  private let memory: Memory?
  /// By instance and index: there may be several, in branches.
  private var holes: [UUID: [UInt32: [Hole]]] = [:]
  /// By instance the first blocks of the leaves that they lie in.
  private var leaves: [UUID: Set<UInt32>] = [:]
  /// Files that are told of, or were emptied, as the places of blocks.
  private var handled: Set<String> = []
  /// Blocks, files and assets that were there, or with `dryRun` are.
  private(set) var found = 0
  /// Blocks whose orders are not there yet: they are not looked for.
  private(set) var waiting: [BlockRow] = []
  /// What is there still.
  private(set) var remainders: [Remainder] = []

  /// - Parameters:
  ///   - memory: nil where everything is looked at.
  ///   - isThere: whether the container has the block that an order stands in: without it what is left of a block would be damage to
  ///     others.
  init(
    _ store: Store, _ container: Container, dryRun: Bool, memory: Memory? = nil,
    isThere: (BlockRef) throws -> Bool = { _ in true }
  ) throws {
    self.memory = memory
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
      try look(in: chain, from: index, through: index, [index: holes], &whole)
    }
    let leaves = leaves[chain.instance] ?? []
    for file in survey.folded where leaves.contains(file.first) {
      let leaf = Layout.Leaf(containing: file.first)
      let inside = all.filter { leaf.first <= $0.key && $0.key <= leaf.last }
      guard let some = inside.first?.value.first,
        try store.blocks.bytes(of: some.row.branch, all: leaf.first...leaf.last) != file.size
      else { continue }
      try look(in: chain, from: leaf.first, through: leaf.last, inside, &whole)
    }
    guard !whole.isEmpty else { return }
    found += whole.count
    for index in whole.keys {
      let folded = survey.folded(containing: index).map { FilePlace.folded(chain, $0.first) }
      handled.insert((folded ?? .block(chain, index)).path)
    }
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
    let search = try PurgedCopies(store, container, holes.values.flatMap { $0.values.flatMap { $0.map(\.row) } })
    var notes = try memory.map {
      try PurgeNotes(store, $0.name, version: search.version, now: $0.now, isFar: container.isFar, isFull: $0.isFull)
    }
    var copies: [(file: Stray, found: PurgedCopies.Found)] = []
    var (unseen, later, large): ([String], [String], [String]) = ([], [], [])
    let handled = handled
    let allowance = memory?.allowance
    var hasRead = false
    unseen = try container.forEachFile { file in
      switch notes?.leaves(file) {
      case .known: return
      case .later: return later.append(file.path)
      case nil: break
      }
      if try search.isPlain(file) {
        notes?.note(file)
        return
      }
      if handled.contains(file.path) { return }
      // No file that sea has written is larger.
      if file.size > Layout.largestFile { return large.append(file.path) }
      if hasRead, allowance?.isLate == true { return later.append(file.path) }
      notes?.read(file)
      do {
        let found = try search.look(at: file) { hasRead && allowance?.isLate == true }
        if let found { copies.append((file, found)) } else { notes?.note(file) }
        hasRead = true
      } catch is Allowance.Reached {
        later.append(file.path)
      } catch ContainerError.system(let error) where error.isMissing || error.isUnreadable {
        if !error.isMissing { unseen.append(file.path) }
      }
    }
    for path in unseen { leave(path, "it cannot be looked at") }
    for path in large.prefix(20) { leave(path, "it is larger than any file of a container, and was not looked at") }
    if let first = later.first { leave(first, "\(later.count) files like this one are looked at in the next syncs") }
    for (file, found) in copies { try take(file, found) }
    if !dryRun { try notes?.keep() }
  }

  private mutating func take(_ file: Stray, _ found: PurgedCopies.Found) throws {
    let container = container
    let oldest = Clock.now() - Layout.oldTemporary
    let isFresh = !(1..<oldest).contains(file.modified)
    let place = FilePlace(file.path)
    if found.hasOthers {
      // What is nowhere else is not thrown away.
      return leave(file.path, "it has blocks that are not known here, too")
    }
    if found.isCut { return leave(file.path, "it cannot be looked at to its end") }
    if found.isUntold {
      return leave(file.path, "what it holds cannot be told, and it is called after what was purged", isUntold: true)
    }
    if Layout.isTemporary(Path.name(file.path)), isFresh {
      return leave(file.path, "it is being written, or was left so less than an hour ago")
    }
    if case .asset = place, found.blocks.isEmpty, isFresh {
      return leave(file.path, "a record that names it may still be arriving")
    }
    if case .block(let branch, let index) = place, let left = left(of: found, branch, index) {
      return try take("\(branch)/\(index)") { try container.empty(branch, [index: left]) }
    }
    // What others have to read stays until it is healed.
    if found.isInPlace { return leave(file.path, "its file cannot be read to the end") }
    try take(file.path) { try container.removeStray(file.path) }
  }

  /// What belongs in the place of a block that a copy of it was found in.
  private func left(of found: PurgedCopies.Found, _ branch: BranchID, _ index: UInt32) -> [UInt8]? {
    let holes = holes[branch.instance]?[index] ?? []
    if found.isAmiss { return (holes.first { $0.row.branch == branch } ?? holes.first)?.left }
    return holes.first { hole in found.blocks.contains { $0.isSame(hole.row.ref) } }?.left
  }

  private mutating func leave(_ place: String, _ reason: String, isUntold: Bool = false) {
    found += 1
    remainders.append(Remainder(place: place, reason: reason, isUntold: isUntold))
  }
}
