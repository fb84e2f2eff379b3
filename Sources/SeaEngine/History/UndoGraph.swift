import SeaCore
import SeaStore

/// The revisions of a record. A revision written by an undo counts as equivalent to the revision that it restores.
/// Changes that were undone therefore do not prevent an older operation from being undone.
final class UndoGraph {
  /// The effect of a block on one branch: the block's last revision on the branch, and the revision before the block.
  struct Branch {
    var end: Leaf
    var start: Leaf?
  }

  struct Descendant {
    var leaf: Leaf
    /// The nearest ancestor that is equivalent to the undone revision; the leaf itself if nothing has changed since.
    var origin: Leaf
    var merges: [Leaf]
    var isUnchanged: Bool { leaf.revision == origin.revision }
  }

  let row: RecordRow
  private let all: [Leaf]
  private let known: [RevisionID: Leaf]
  private let store: Store
  private let author: UUID
  private let contents: BlockContents
  private let graph: RecordGraph
  private var blocks: [Int64: BlockRow?] = [:]
  private var inBlocks: [Int64: [Leaf]] = [:]
  private var branchesOfBlocks: [Int64: [Branch]] = [:]
  private var origins: [RevisionID: RevisionID?] = [:]

  init(_ row: RecordRow, _ store: Store, author: UUID, _ contents: BlockContents) throws {
    self.row = row
    self.store = store
    self.author = author
    self.contents = contents
    graph = try RecordGraph(store, row, packing: false)
    all = try store.records.revisions(of: row).filter { $0.isAttached }
    known = Dictionary(uniqueKeysWithValues: all.map { ($0.revision, $0) })
  }

  subscript(revision: RevisionID?) -> Leaf? { revision.flatMap { known[$0] } }

  /// Returns the record's revisions in a block, including revisions that an earlier block already contained.
  func changes(in block: BlockRow) throws -> [Leaf] {
    if let found = inBlocks[block.sequence] { return found }
    let found = try contents.revisions(of: row.id, in: block).compactMap { known[$0] }
    inBlocks[block.sequence] = found
    return found
  }

  private func branches(in block: BlockRow) throws -> [Branch] {
    if let found = branchesOfBlocks[block.sequence] { return found }
    let found = try branches(of: changes(in: block))
    branchesOfBlocks[block.sequence] = found
    return found
  }

  func changes(with leaf: Leaf) throws -> [Leaf] { try block(leaf.sequence).map { try changes(in: $0) } ?? [leaf] }

  func branches(of changes: [Leaf]) -> [Branch] {
    let inner = Set(changes.map(\.revision))
    let parents = Set(changes.compactMap(\.parentRevision))
    return changes.filter { !parents.contains($0.revision) }.map { end in
      var start = end.parentRevision
      while let next = start, inner.contains(next) { start = known[next]?.parentRevision }
      return Branch(end: end, start: self[start])
    }
  }

  func merge(in changes: [Leaf]) throws -> Leaf? { try changes.first { try isMerge($0) } }

  func isMerge(_ leaf: Leaf) throws -> Bool { try graph.isMerge(leaf.revision) }

  /// Returns the leaves that descend from a revision or an equivalent one, except for ends of merged branches. Returns
  /// an empty array if there are too many.
  func heirs(of leaf: Leaf) throws -> [Descendant] {
    if leaf.isLeaf { return [Descendant(leaf: leaf, origin: leaf, merges: [])] }
    // Compute origins in block order, so that the recursion stays shallow even if a change was undone and redone many
    // times.
    if origins.isEmpty {
      for one in all.sorted(by: { ($0.sequence, $0.revision) < ($1.sequence, $1.revision) }) {
        _ = try origin(of: one)
      }
    }
    let origin = try origin(of: leaf)
    let equal = try Set(all.filter { try self.origin(of: $0) == origin }.map(\.revision)).union([leaf.revision])
    let least = equal.map(\.depth).min() ?? 0
    // Maps each revision to its nearest ancestor that is equivalent to `leaf`. Ancestors have a smaller depth unless a
    // revision is forged.
    var nearest: [RevisionID: RevisionID] = [:]
    for one in all.reversed() where one.revision.depth >= least {
      let before =
        try equal.contains(one.revision)
        ? one.revision : graph.origins(of: one.revision)?.compactMap { nearest[$0] }.max()
      nearest[one.revision] = before
    }
    let leaves = all.filter { $0.isLeaf && $0.kind != .resolved && nearest[$0.revision] != nil }
    return try leaves.count > Change.mostMerged + 1 ? [] : leaves.map { try heir($0, nearest) }
  }

  private func heir(_ leaf: Leaf, _ nearest: [RevisionID: RevisionID]) throws -> Descendant {
    var merges: Set<RevisionID> = []
    var seen: Set<RevisionID> = []
    var left = [leaf.revision]
    while let next = left.popLast() {
      guard nearest[next] != nil, nearest[next] != next, seen.insert(next).inserted else { continue }
      let found = try graph.origins(of: next) ?? []
      if found.count > 1 { merges.insert(next) }
      left += found
    }
    return Descendant(
      leaf: leaf, origin: nearest[leaf.revision].flatMap { known[$0] } ?? leaf,
      merges: merges.sorted().compactMap { known[$0] })
  }

  /// Returns the paths at which the merged revisions were in conflict, so that the merge had to choose a value.
  func decided(by merge: Leaf, _ atomic: [[PropertyPath]]) throws -> [PropertyPath] {
    let sides = try (graph.origins(of: merge.revision) ?? []).map { side in
      MergeLeaf(side, try graph.content(of: side) ?? .deleted)
    }
    return try LeafMerge(sides, graph.graph, rules: MergeRules(atomic: atomic)).clashes
  }

  func isUndone(_ operation: Operation) throws -> Bool { try undoneOperations()[operation.key] != nil }

  /// Returns the operations that undos currently in effect have undone for the record, each with the block of the last
  /// undo.
  /// - Parameter other: an operation to treat as undone.
  private func undoneOperations(besides other: Operation? = nil) throws -> [String: Int64] {
    var undone: [String: Int64] = [:]
    if let other { undone[other.key] = .max }
    // Undos are read from newest to oldest, because an undo that was itself undone has no effect.
    for sequence in Set(all.map(\.sequence)).sorted(by: >) {
      guard let block = try block(sequence), block.instance == author, let undo = UndoLabel(block.label),
        undone[Operation.key(block)] == nil
      else { continue }
      undone[undo.target] = undone[undo.target] ?? sequence
    }
    return undone
  }

  /// Joins the content before an operation with all live leaves that do not descend from the operation. Returns nil if
  /// there are no such leaves, if they are too large, or if the content has no sets.
  func joinWithOtherLeaves(with before: Leaf?, but heirs: [Descendant]) throws -> LiveJoin? {
    guard let before, try graph.content(of: before.revision)?.body?.setTags.isEmpty == false else { return nil }
    let others = all.filter { one in
      one.isLeaf && one.kind == .put && !heirs.contains { $0.leaf.revision == one.revision }
    }
    guard !others.isEmpty, try graph.joins([before] + others) else { return nil }
    return try graph.join(of: [before] + others)
  }

  private static let maxUndoBodies = 64

  /// Returns what `UndoMerge` needs to know about the revisions that the sets in `contents` name.
  func tags(in contents: [Content], takingBack operation: Operation) throws -> UndoMerge.Tags {
    var tags = UndoMerge.Tags()
    var left = contents.compactMap(\.body).flatMap { $0.setTags }
    if left.isEmpty { return tags }
    let undone = try undoneOperations(besides: operation)
    let digests = Dictionary(all.map { ($0.revision.digest, $0) }) { first, _ in first }
    var seen: Set<Digest> = []
    while let next = left.popLast() {
      guard seen.insert(next).inserted, let leaf = digests[next], let block = try block(leaf.sequence),
        block.instance == author
      else { continue }
      // The element was undone only after the operation, so it was still present when the operation was made.
      if let back = undone[Operation.key(block)], back > operation.block.sequence { tags.undoneRevisions.insert(next) }
      guard UndoLabel(block.label) != nil, tags.restoredValues.count < UndoGraph.maxUndoBodies,
        case .revision(let before) = try previous(of: leaf), let body = try store.content(of: before).body
      else { continue }
      tags.restoredValues[next] = body
      left += body.setTags
    }
    return tags
  }

  /// Returns the first revision that is equivalent; nil if the state is equivalent to the record not existing.
  private func origin(of leaf: Leaf) throws -> RevisionID? {
    if let origin = origins[leaf.revision] { return origin }
    let origin: RevisionID?
    switch try previous(of: leaf) {
    case .itself: origin = leaf.revision
    case .nothing: origin = nil
    case .revision(let other): origin = try self.origin(of: other)
    }
    origins[leaf.revision] = .some(origin)
    return origin
  }

  private func origins(of revisions: [RevisionID]) throws -> Set<RevisionID?> {
    try Set(revisions.map { revision in try self[revision].map { try origin(of: $0) } ?? revision })
  }

  enum Previous {
    case itself
    case nothing
    case revision(Leaf)
  }

  /// Returns the revision whose content `leaf` restores. It may be an ancestor of `leaf` or on another branch.
  func previous(of leaf: Leaf) throws -> Previous {
    guard let block = try block(leaf.sequence), block.instance == author else { return .itself }
    guard let label = UndoLabel(block.label), let target = try contents.log.block(label.target) else {
      return try unchanged(leaf, in: block)
    }
    let mine = try changes(in: block)
    let theirs = try changes(in: target)
    if try isMerge(leaf) {
      // The block to undo had ended this conflict. The leaves involved must not have changed since.
      guard let end = theirs.first(where: { $0.kind == .resolved }),
        try origins(of: graph.origins(of: leaf.revision) ?? [])
          == origins(of: branches(of: theirs.filter { $0.kind != .resolved }).map(\.end.revision))
      else { return .itself }
      return self[end.parentRevision].map { .revision($0) } ?? .itself
    }
    if let end = mine.first(where: { $0.kind == .resolved }) {
      // The resolution to undo had ended this leaf. No later revision may be based on the resolution.
      guard leaf.kind != .resolved, let merge = try merge(in: theirs),
        try origins(of: [merge.revision]) == origins(of: [end.parentRevision].compactMap { $0 })
      else { return .itself }
      return self[leaf.parentRevision].map { .revision($0) } ?? .itself
    }
    guard let parent = self[leaf.parentRevision] else { return .itself }
    let place = try origin(of: parent)
    guard let branch = try branches(in: target).first(where: { try origin(of: $0.end) == place }) else {
      return .itself
    }
    return branch.start.map { .revision($0) } ?? .nothing
  }

  private func unchanged(_ leaf: Leaf, in block: BlockRow) throws -> Previous {
    guard self[leaf.parentRevision]?.sequence == leaf.sequence else { return .itself }
    let branch = try branches(in: block).first { $0.end.revision == leaf.revision }
    guard let start = branch?.start, (start.kind == .put) == (leaf.kind == .put) else { return .itself }
    return try store.content(of: start) == store.content(of: leaf) ? .revision(start) : .itself
  }

  private func block(_ sequence: Int64) throws -> BlockRow? {
    if let block = blocks[sequence] { return block }
    let block = try store.blocks.block(sequence: sequence)
    blocks[sequence] = .some(block)
    return block
  }
}

final class BlockContents {
  let log: OperationLog
  private let store: Store
  private var known: [Int64: [[UInt8]: [RevisionID]]] = [:]

  init(_ store: Store, _ log: OperationLog) {
    self.store = store
    self.log = log
  }

  func revisions(of id: String, in block: BlockRow) throws -> [RevisionID] {
    if let records = known[block.sequence] { return records[Array(id.utf8)] ?? [] }
    var records: [[UInt8]: [RevisionID]] = [:]
    try OperationChanges(block, store).forEach { records[Array($0.id.utf8)] = $0.changes.map(\.revision) }
    known[block.sequence] = records
    return records[Array(id.utf8)] ?? []
  }
}

extension Value {
  fileprivate var setTags: [Digest] {
    switch self {
    case .set(let set):
      set.items.flatMap(\.tags).compactMap { if case .revision(let digest) = $0 { digest } else { nil } }
    case .dictionary(let members): members.entries.flatMap { $0.value.setTags }
    default: []
    }
  }
}
