import SeaCore
import SeaStore

/// The revisions of one record as a graph, each read when it is asked for and then kept. What waits for its parent is
/// not known yet.
final class RecordGraph {
  /// The leaves that disagree: the live ones, and a user's deletion beside them; the winner first.
  private(set) lazy var contenders = ends.filter { $0.kind != .resolved }
  private let store: Store
  private let row: RecordRow
  /// What may be spent on it; nil if somebody has named the record.
  private let budget: MergeBudget?
  /// Whether large arrays stay as they lie.
  private let packing: Bool
  /// Best first.
  private let ends: [Leaf]
  private var leaves: [RevisionID: Leaf?] = [:]
  private var origins: [RevisionID: [RevisionID]] = [:]
  private var contents: [RevisionID: Content] = [:]

  /// - Parameters:
  ///   - leaves: those of the record, if they are known.
  ///   - packing: false for who looks into arrays.
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

  /// The graph as it was at a moment.
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

  /// The parent, and what the revision has taken in.
  func origins(of revision: RevisionID) throws -> [RevisionID]? {
    if let known = origins[revision] { return known }
    guard let leaf = try leaf(revision) else { return nil }
    // A look into the store takes as long as some steps.
    try budget?.spend(10)
    let found = try [leaf.parentRevision].compactMap { $0 } + store.records.merged(by: leaf)
    origins[revision] = found
    return found
  }

  func content(of revision: RevisionID) throws -> Content? {
    if let known = contents[revision] { return known }
    // Of what was purged nobody knows what it said.
    let content = try leaf(revision).flatMap { leaf -> Content? in
      try budget?.spend(10 + leaf.length / 16)
      if leaf.isPurged { return nil }
      // Few bytes may be many values, each of which takes as much memory as a record has bytes otherwise.
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

  // MARK: - What follows from it

  /// The leaves that end together: as many as one revision can take in, and as can be held. A deletion is never among those that have
  /// to wait.
  var ending: [Leaf] {
    let (all, most) = (contenders, budget?.takesAll == true ? Change.mostMerged + 1 : mostHeld)
    guard all.count > most, let deletion = all[most...].first(where: { $0.kind != .put }) else {
      return Array(all.prefix(most))
    }
    return all[..<(most - 1)] + [deletion]
  }

  /// At least two; a sync has its budget, and merges the same leaves everywhere.
  private var mostHeld: Int {
    var (count, bytes) = (0, 0)
    for leaf in contenders.prefix(Change.mostMerged + 1) {
      bytes += leaf.length
      if count > 1, bytes > RecordGraph.mostBytes { break }
      count += 1
    }
    return count
  }

  /// What the leaves that end together have as bytes.
  private static let mostBytes = 128 << 20

  /// The nearest revision that all of these leaves come from, be it through parents or through what they have taken in;
  /// nil if they have none in common.
  ///
  /// Where several are equally near, as after two resolutions of one conflict, it is a live one before a deleted one
  /// and then the greatest: the same on every instance.
  func base(of leaves: [Leaf]) throws -> Leaf? {
    guard leaves.count > 1 else { return nil }
    let graph = graph
    // What two have in common stands for both, until one is left.
    var common = [leaves[0].revision]
    for leaf in leaves.dropFirst() { common = try graph.nearestCommon(common, [leaf.revision], isExact: false) }
    return try common.compactMap { try leaf($0) }.max { a, b in
      (a.kind == .put) != (b.kind == .put) ? b.kind == .put : a.revision < b.revision
    }
  }

  /// What the live ones of some revisions, the winner first, say of counters together; sets as the winner has them. They are read one
  /// after another.
  func joinedCounters(of leaves: [Leaf]) throws -> LiveJoin {
    let live = try leaves.filter { $0.kind == .put }.enumerated().map { k, leaf in
      let content = leaf.isPurged ? .deleted : try store.content(of: leaf, packing: packing)
      return (leaf.revision, k == 0 ? content : content.withoutSets)
    }
    return LiveJoin(all: live) { _ in [] }
  }

  /// What the live ones of some revisions say together, the winner first.
  func join(of leaves: [Leaf]) throws -> LiveJoin {
    let live = try leaves.filter { $0.kind == .put }.map { ($0.revision, try content(of: $0.revision) ?? .deleted) }
    // A long history is walked only where that can change anything.
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

  /// To find out what live leaves have seen of each other's sets so many revisions are looked at, those of each leaf counted. Beyond
  /// that a set is shown as the winner has it.
  private static let mostSeen = 1_000_000

  /// Whether its live leaves say too much to be held side by side: then it is shown as the winner has it.
  private func hasTooMany() throws -> Bool {
    try !hold(ends.filter { $0.kind == .put }, atMost: RecordGraph.mostValues)
  }

  private static let mostValues = 5_000_000

  /// Beyond so many values sets are not brought together: each element takes as much memory as a record has bytes.
  private static let mostJoined = 500_000

  /// Whether what the live ones of some revisions say can be brought together, sets too.
  func joins(_ leaves: [Leaf]) throws -> Bool {
    try hold(leaves.filter { $0.kind == .put }, atMost: RecordGraph.mostJoined)
  }

  /// Whether these revisions together say no more values than so many.
  func hold(_ leaves: [Leaf], atMost most: Int) throws -> Bool {
    let said = leaves.filter { $0.kind != .delete && !$0.isPurged }
    // Each is a byte at least.
    if said.reduce(0, { $0 + $1.length }) <= most { return true }
    var left = most
    for leaf in said {
      left -= try store.records.change(of: leaf).values(packing: packing)
      if left < 0 { return false }
    }
    return true
  }

  /// The body of the winner as it is shown: counters and sets as all live leaves together say.
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

  /// Whether a revision has taken in others.
  func isMerge(_ revision: RevisionID) throws -> Bool {
    try leaf(revision).map { try !store.records.merged(by: $0).isEmpty } ?? false
  }

  /// Whether a revision says just what was said before it, by its parent or by the branch that ended there, and has
  /// taken nothing in: somebody has set it apart.
  func repeatsParent(_ leaf: Leaf) throws -> Bool { try repeated(by: leaf, isSame) != nil }

  private func isSame(_ one: Leaf, _ other: Leaf) throws -> Bool {
    if min(one.length, other.length) > Store.fewBytes {
      let (a, b) = (try stored(one), try stored(other))
      if !a.mayHaveStates, !b.mayHaveStates { return a == b }
    }
    guard let content = try content(of: one.revision) else { return false }
    return try self.content(of: other.revision) == content
  }

  /// What a revision that somebody has set apart says again.
  private func repeated(by leaf: Leaf, _ isSame: (Leaf, Leaf) throws -> Bool) throws -> Leaf? {
    guard try !isMerge(leaf.revision), var parent = leaf.parentRevision else { return nil }
    if let end = try self.leaf(parent), end.kind == .resolved, let before = end.parentRevision { parent = before }
    guard let before = try self.leaf(parent), try isSame(before, leaf) else { return nil }
    return before
  }

  /// What a revision says, where it lies.
  func stored(_ leaf: Leaf) throws -> StoredContent {
    if leaf.isPurged { return .deleted }
    let change = try store.records.change(of: leaf)
    return StoredContent(type: change.type, body: change.body)
  }

  /// The same as `source`, of a record that says too much: one is repeated only by the same bytes.
  func storedSource(of leaf: Leaf) throws -> Leaf {
    try source(of: leaf) { try $0.length == $1.length && stored($0) == stored($1) }
  }

  /// Whose a leaf is, by the revision that says who: one that was set apart is that of who said it first.
  func source(of leaf: Leaf) throws -> Leaf { try source(of: leaf, isSame) }

  private func source(of leaf: Leaf, _ isSame: (Leaf, Leaf) throws -> Bool) throws -> Leaf {
    var source = leaf
    while let before = try repeated(by: source, isSame) {
      // What was set apart with changes since is a change and what repeats it, in one block.
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
  /// What is no longer has no more values than can be held.
  fileprivate static let fewBytes = 65_536

  /// What a revision says, as its children carry it on: sets name the revisions that added to them. Without a body of a
  /// deleted one, and of one that was purged.
  /// - Parameters:
  ///   - packing: whether large arrays stay as they lie.
  ///   - spend: told how many values it has, if they may be many, before they are made.
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
  /// How many values it says.
  fileprivate func values(packing: Bool) -> Int {
    body.map { $0.withUnsafeBufferPointer { StoredValue.count(in: $0, packing: packing) } } ?? 0
  }
}
