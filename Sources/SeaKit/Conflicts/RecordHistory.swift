import SeaCore
import SeaStore

/// The revisions of one record as a graph, each read when it is asked for and then kept. What waits for its parent is
/// not known yet.
final class RecordHistory {
  private let store: Store
  private let row: RecordRow
  private var leaves: [RevisionID: Leaf?] = [:]
  private var origins: [RevisionID: [RevisionID]] = [:]
  private var contents: [RevisionID: Content] = [:]

  init(_ store: Store, _ row: RecordRow, _ leaves: [Leaf] = []) {
    self.store = store
    self.row = row
    for leaf in leaves { self.leaves[leaf.revision] = leaf }
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
    let found = try [leaf.parentRevision].compactMap { $0 } + store.records.merged(by: leaf)
    origins[revision] = found
    return found
  }

  /// Settled: sets name the revisions that added to them.
  func content(of revision: RevisionID) throws -> Content? {
    if let known = contents[revision] { return known }
    guard let leaf = try leaf(revision) else { return nil }
    let change = try store.records.change(of: leaf)
    let body = try change.body.map { try $0.withUnsafeBufferPointer { try Value.decode(body: $0) } }
    let content = Content(type: change.type, body: body).settled(revision.digest)
    contents[revision] = content
    return content
  }

  var graph: RevisionGraph<any Error> {
    RevisionGraph<any Error>(
      origins: { [unowned self] in try origins(of: $0) }, content: { [unowned self] in try content(of: $0) })
  }

  /// The digests of a revision and of all that it comes from.
  func ancestors(of revision: RevisionID) throws -> Set<Digest> {
    var found: Set<Digest> = []
    var stack = [revision]
    while let next = stack.popLast() {
      guard let from = try origins(of: next), found.insert(next.digest).inserted else { continue }
      stack += from
    }
    return found
  }

  /// Whether a revision has taken in others.
  func isMerge(_ revision: RevisionID) throws -> Bool {
    try leaf(revision).map { try !store.records.merged(by: $0).isEmpty } ?? false
  }

  /// Whether a revision says just what was said before it, by its parent or by the branch that ended there, and has
  /// taken nothing in: somebody has set it apart.
  func repeatsParent(_ leaf: Leaf) throws -> Bool {
    guard try !isMerge(leaf.revision), var parent = leaf.parentRevision else { return false }
    if let end = try self.leaf(parent), end.kind == .resolved, let before = end.parentRevision { parent = before }
    guard let before = try content(of: parent) else { return false }
    return try content(of: leaf.revision) == before
  }
}

extension Database {
  /// The leaves that disagree: the live ones, and a user's deletion beside them.
  package func contenders(of row: RecordRow) throws -> [Leaf] {
    try store.records.leaves(of: row).filter { $0.kind != .resolved }
  }

  /// The leaves that end together: as many as one revision can take in. A deletion is never among those that have to wait.
  func ending(_ row: RecordRow) throws -> [Leaf] {
    let all = try contenders(of: row)
    let most = Change.mostMerged + 1
    guard all.count > most else { return all }
    guard let deletion = all[most...].first(where: { $0.kind != .put }) else { return Array(all[..<most]) }
    return all[..<(most - 1)] + [deletion]
  }

  /// The nearest revision that all leaves that disagree come from, be it through parents or through what they have
  /// taken in; nil if they have none in common.
  ///
  /// Where several are equally near, as after two resolutions of one conflict, it is a live one before a deleted one
  /// and then the greatest: the same on every instance.
  package func base(of row: RecordRow) throws -> Leaf? {
    let leaves = try contenders(of: row)
    return try base(of: leaves.map(\.revision), RecordHistory(store, row, leaves))
  }

  func base(of leaves: [RevisionID], _ history: RecordHistory) throws -> Leaf? {
    guard leaves.count > 1 else { return nil }
    let graph = history.graph
    // What two have in common stands for both, until one is left.
    var common = [leaves[0]]
    for leaf in leaves.dropFirst() {
      var next: Set<RevisionID> = []
      for one in common { next.formUnion(try graph.nearestCommon([one], [leaf], isExact: false)) }
      common = Array(next)
    }
    return try common.compactMap { try history.leaf($0) }.max { a, b in
      (a.kind == .put) != (b.kind == .put) ? b.kind == .put : a.revision < b.revision
    }
  }
}
