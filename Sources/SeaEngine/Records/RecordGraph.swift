import SeaCore
import SeaStore

/// The revisions of one record as a graph. Revisions are read on demand and then kept in memory. Revisions that are
/// waiting for their parent are excluded.
final class RecordGraph {
  /// The conflicting leaf revisions, including deletions by users. The winner is first.
  private(set) lazy var contenders = ends.filter { $0.kind != .resolved }
  private let store: Store
  private let row: RecordRow
  /// The merge budget; nil if a user named the record to merge.
  private let budget: MergeBudget?
  private let packing: Bool
  private let ends: [Leaf]
  private var leaves: [RevisionID: Leaf?] = [:]
  private var origins: [RevisionID: [RevisionID]] = [:]
  private var contents: [RevisionID: Content] = [:]

  /// - Parameter packing: whether to keep large arrays packed; false if the caller reads their elements.
  init(
    _ store: Store, _ row: RecordRow, _ leaves: [Leaf]? = nil, _ budget: MergeBudget? = nil, packing: Bool = true
  ) throws {
    self.store = store
    self.row = row
    self.budget = budget
    self.packing = packing
    ends = try leaves ?? store.records.leaves(of: row)
    for leaf in ends { self.leaves[leaf.revision] = leaf }
  }

  convenience init(_ store: Store, _ past: PastRecord, _ budget: MergeBudget? = nil) throws {
    try self.init(store, past.row, past.leaves, budget)
    for leaf in past.revisions { leaves[leaf.revision] = .some(leaf.isAttached ? leaf : nil) }
    for revision in past.later { leaves[revision] = .some(nil) }
  }

  func leaf(_ revision: RevisionID) throws -> Leaf? {
    if let known = leaves[revision] { return known }
    let found = try store.records.revision(revision, of: row)
    let leaf = found?.isAttached == true ? found : nil
    leaves[revision] = .some(leaf)
    return leaf
  }

  /// Returns the parent of a revision, and the revisions that it merged.
  func origins(of revision: RevisionID) throws -> [RevisionID]? {
    if let known = origins[revision] { return known }
    guard let leaf = try leaf(revision) else { return nil }
    // A read from the store takes as long as several steps.
    try budget?.spend(10)
    let found = try [leaf.parentRevision].compactMap { $0 } + store.records.merged(by: leaf)
    origins[revision] = found
    return found
  }

  func content(of revision: RevisionID) throws -> Content? {
    if let known = contents[revision] { return known }
    let content = try leaf(revision).flatMap { leaf -> Content? in
      try budget?.spend(10 + leaf.length / 16)
      if leaf.isPurged { return nil }
      // Few bytes may encode many values, and a value takes up much more memory than its encoding.
      return try store.content(
        of: leaf, packing: packing, spend: budget.map { budget in { try budget.spend(2 * $0) } })
    }
    contents[revision] = content
    return content
  }

  var graph: RevisionGraph<any Error> {
    RevisionGraph<any Error>(
      origins: { [unowned self] in try origins(of: $0) }, content: { [unowned self] in try content(of: $0) },
      spend: { [unowned self] in try budget?.spend($0) })
  }

  // MARK: - Leaves and content

  /// The leaf revisions to merge, including deletions: as many as a revision can name and memory can hold.
  var leavesToMerge: [Leaf] {
    let (all, most) = (contenders, budget?.takesAll == true ? Change.mostMerged + 1 : mostHeld)
    guard all.count > most, let deletion = all[most...].first(where: { $0.kind != .put }) else {
      return Array(all.prefix(most))
    }
    return all[..<(most - 1)] + [deletion]
  }

  /// The number of leaf revisions that memory can hold, at least two. Automatic merges do not use this limit.
  private var mostHeld: Int {
    var (count, bytes) = (0, 0)
    for leaf in contenders.prefix(Change.mostMerged + 1) {
      bytes += leaf.length
      if count > 1, bytes > RecordGraph.mostBytes { break }
      count += 1
    }
    return count
  }

  private static let mostBytes = 128 << 20

  /// Returns the nearest common ancestor of leaf revisions, following parents and merged revisions; nil if they have
  /// none.
  ///
  /// If several ancestors are equally near, prefers revisions that are not deletions, and then the greatest. The result
  /// is the same on every instance.
  func base(of leaves: [Leaf]) throws -> Leaf? {
    guard leaves.count > 1 else { return nil }
    let graph = graph
    // Repeatedly replace two revisions with their common ancestors, until only one set is left.
    var common = [leaves[0].revision]
    for leaf in leaves.dropFirst() { common = try graph.nearestCommon(common, [leaf.revision]) }
    return try common.compactMap { try leaf($0) }.max { a, b in
      (a.kind == .put) != (b.kind == .put) ? b.kind == .put : a.revision < b.revision
    }
  }

  /// Joins the counters of the live leaf revisions, which are read one by one. Sets come from the winner.
  func joinedCounters(of leaves: [Leaf]) throws -> LiveJoin {
    let live = try leaves.filter { $0.kind == .put }.enumerated().map { k, leaf in
      let content = leaf.isPurged ? .deleted : try store.content(of: leaf, packing: packing)
      return (leaf.revision, k == 0 ? content : content.withoutSets)
    }
    return LiveJoin(all: live) { _ in [] }
  }

  /// Joins the content of the live leaf revisions, starting with the winner.
  func join(of leaves: [Leaf]) throws -> LiveJoin {
    let live = try leaves.filter { $0.kind == .put }.map { ($0.revision, try content(of: $0.revision) ?? .deleted) }
    // Read a long history only if it can change the result.
    guard LiveJoin.dependsOnHistory(live.map(\.1)) else { return LiveJoin(all: live) { _ in [] } }
    var left = RecordGraph.mostSeen
    let known = RevisionGraph<any Error>(
      origins: { [unowned self] in
        left -= 1
        return left < 0 ? nil : try origins(of: $0)
      }, content: { _ in nil })
    let join = try LiveJoin(all: live) { try known.ancestors(of: [$0]).keys.map(\.digest) }
    return left < 0 ? try joinedCounters(of: leaves) : join
  }

  /// The maximum number of revisions to read in order to join sets. If there are more, readers see the winner's sets.
  private static let mostSeen = 1_000_000

  /// Returns whether the leaf revisions have too many values for the memory. If so, readers see only the winner's
  /// values.
  private func hasTooMany() throws -> Bool {
    try !hold(ends.filter { $0.kind == .put }, atMost: RecordGraph.mostValues)
  }

  private static let mostValues = 5_000_000

  /// The maximum number of values for joining sets, because each element takes a lot of memory.
  private static let mostJoined = 500_000

  /// Returns whether the leaf revisions are small enough to join their sets.
  func joins(_ leaves: [Leaf]) throws -> Bool {
    try hold(leaves.filter { $0.kind == .put }, atMost: RecordGraph.mostJoined)
  }

  func hold(_ leaves: [Leaf], atMost most: Int) throws -> Bool {
    let said = leaves.filter { $0.kind != .delete && !$0.isPurged }
    // A value takes at least one byte, so the length is an upper bound.
    if said.reduce(0, { $0 + $1.length }) <= most { return true }
    var left = most
    for leaf in said {
      left -= try store.records.change(of: leaf).values(packing: packing)
      if left < 0 { return false }
    }
    return true
  }

  func shown(_ body: [UInt8]) throws -> [UInt8] {
    guard body.withUnsafeBufferPointer(StoredValue.mayHaveStates) else { return body }
    let joins = try joins(ends)
    guard try joins || !hasTooMany(), try Value.decode(packing: body).hasStates,
      let shown = try (joins ? join(of: ends) : joinedCounters(of: ends)).shown?.body
    else { return body }
    var writer = ByteWriter(capacity: body.count)
    _ = try shown.encodeBody(into: &writer)
    return writer.array()
  }

  func isMerge(_ revision: RevisionID) throws -> Bool {
    try leaf(revision).map { try !store.records.merged(by: $0).isEmpty } ?? false
  }

  /// Returns whether a revision was written by undoing a merge. Such a revision merges nothing, and repeats the content
  /// of its parent or of a branch that the parent ended.
  func repeatsParent(_ leaf: Leaf) throws -> Bool { try repeated(by: leaf, isSame) != nil }

  private func isSame(_ one: Leaf, _ other: Leaf) throws -> Bool {
    if min(one.length, other.length) > Store.fewBytes {
      let (a, b) = (try stored(one), try stored(other))
      if !a.mayHaveStates, !b.mayHaveStates { return a == b }
    }
    guard let content = try content(of: one.revision) else { return false }
    return try self.content(of: other.revision) == content
  }

  private func repeated(by leaf: Leaf, _ isSame: (Leaf, Leaf) throws -> Bool) throws -> Leaf? {
    guard try !isMerge(leaf.revision), var parent = leaf.parentRevision else { return nil }
    if let end = try self.leaf(parent), end.kind == .resolved, let before = end.parentRevision { parent = before }
    guard let before = try self.leaf(parent), try isSame(before, leaf) else { return nil }
    return before
  }

  func stored(_ leaf: Leaf) throws -> StoredContent {
    if leaf.isPurged { return .deleted }
    let change = try store.records.change(of: leaf)
    return StoredContent(type: change.type, body: change.body)
  }

  /// Does the same as `source`, but compares only bytes, for records with too many values.
  func storedSource(of leaf: Leaf) throws -> Leaf {
    try source(of: leaf) { try $0.length == $1.length && stored($0) == stored($1) }
  }

  /// Returns the revision whose author counts as the author of a leaf revision. If a merge was undone, it is an earlier
  /// revision.
  func source(of leaf: Leaf) throws -> Leaf { try source(of: leaf, isSame) }

  private func source(of leaf: Leaf, _ isSame: (Leaf, Leaf) throws -> Bool) throws -> Leaf {
    var source = leaf
    while let before = try repeated(by: source, isSame) {
      // Undoing a merge that was followed by changes writes both a change and its repetition in one block.
      var next = before
      while next.sequence == source.sequence, let parent = try next.parentRevision.flatMap({ try self.leaf($0) }) {
        next = parent
      }
      source = next
    }
    return source
  }
}

extension Store {
  /// A body of at most this length cannot have too many values.
  fileprivate static let fewBytes = 65_536

  /// Returns the content of a revision as its children inherit it, including which revision added each set element. A
  /// deleted or purged revision has no body.
  /// - Parameters:
  ///   - packing: whether to keep large arrays packed.
  ///   - spend: called with the number of values before a large body is decoded.
  package func content(
    of leaf: Leaf, packing: Bool = false, spend: ((Int) throws -> Void)? = nil
  ) throws -> Content {
    let change = try records.change(of: leaf)
    if let spend, leaf.length > Store.fewBytes { try spend(change.values(packing: packing)) }
    let body = try change.body.map { body in
      try packing ? Value.decode(packing: body) : body.withUnsafeBufferPointer { try Value.decode(body: $0) }
    }
    return Content(type: change.type, body: body).inherited(from: leaf.revision.digest)
  }
}

extension RevisionContent {
  fileprivate func values(packing: Bool) -> Int {
    body.map { $0.withUnsafeBufferPointer { StoredValue.count(in: $0, packing: packing) } } ?? 0
  }
}
