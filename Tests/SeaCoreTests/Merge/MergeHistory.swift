import SeaCore
import Testing

/// The revisions of one record in memory, with their true digests, and what several instances do to them.
struct MergeHistory {
  struct Node {
    var parent: RevisionID?
    var merged: [RevisionID]
    var kind: RevisionKind
    var content: Content
    var lamport: UInt32 = 0
    var author: UUID?
    /// The bytes of the change.
    var bytes: [UInt8]
  }

  private(set) var nodes: [RevisionID: Node] = [:]
  private var followed: Set<RevisionID> = []

  /// A revision from its body, or a deletion.
  @discardableResult
  mutating func add(
    _ content: Content, parent: RevisionID? = nil, merged: [RevisionID] = [], kind: RevisionKind? = nil,
    lamport: UInt32 = 0, author: UUID? = nil
  ) throws -> RevisionID {
    var body = ByteWriter()
    let hasReferences = try content.body?.encodeBody(into: &body) ?? false
    let kind = kind ?? (content.body == nil ? .delete : .put)
    var writer = ByteWriter()
    let merged = Set(merged).sorted()
    let change = Array("r".utf8).withUnsafeBufferPointer { id in
      Array((content.type ?? "").utf8).withUnsafeBufferPointer { type in
        Change.write(
          into: &writer, id: id, type: content.type == nil ? nil : type, parent: parent, merged: merged, kind: kind,
          body: kind == .put ? body.bytes : nil, hasReferences: hasReferences)
      }
    }
    keep(
      change.revision,
      Node(
        parent: parent, merged: merged, kind: kind, content: content, lamport: lamport, author: author,
        bytes: writer.array()))
    return change.revision
  }

  /// The same from JSON without counters and sets.
  @discardableResult
  mutating func put(
    _ json: String, _ parent: RevisionID? = nil, merged: [RevisionID] = [], type: String? = nil, lamport: UInt32 = 0
  ) throws -> RevisionID {
    let body = try #require(try Value.json("{\"record\":\(json)}").members?["record"])
    return try add(Content(type: type, body: body), parent: parent, merged: merged, lamport: lamport)
  }

  mutating func receive(_ revision: RevisionID, from other: MergeHistory) { keep(revision, other.nodes[revision]!) }

  mutating func receive(from other: MergeHistory) { for (revision, node) in other.nodes { keep(revision, node) } }

  /// It belongs to whoever made it first.
  private mutating func keep(_ revision: RevisionID, _ node: Node) {
    if let known = nodes[revision] {
      if known.lamport < node.lamport { return }
      let zero = UUID(high: 0, low: 0)
      if known.lamport == node.lamport, known.author ?? zero <= node.author ?? zero { return }
    }
    nodes[revision] = node
    if let parent = node.parent { followed.insert(parent) }
  }

  /// Revisions that nobody follows.
  var leaves: [RevisionID] {
    nodes.keys.filter { !followed.contains($0) }.sorted(by: >)
  }

  var live: [RevisionID] { leaves.filter { nodes[$0]!.kind == .put } }

  func leaf(_ revision: RevisionID, isOwn: Bool = false) -> MergeLeaf {
    let node = nodes[revision]!
    return MergeLeaf(revision, node.content, lamport: node.lamport, isOwn: isOwn)
  }

  var graph: RevisionGraph<Never> {
    let nodes = nodes
    return RevisionGraph(
      origins: { revision in nodes[revision].map { [$0.parent].compactMap { $0 } + $0.merged } },
      content: { revision in nodes[revision]?.content })
  }

  func merge(_ leaves: [RevisionID]? = nil, rules: MergeRules = MergeRules()) -> LeafMerge {
    LeafMerge((leaves ?? live).map { leaf($0) }, graph, rules: rules)
  }

  func join(_ revision: RevisionID) -> LiveJoin {
    LiveJoin(revision, nodes[revision]!.content, seen: seen(revision))
  }

  /// What a revision comes from, and itself.
  func seen(_ revision: RevisionID) -> Set<Digest> { Set(graph.ancestors(of: [revision]).keys.map(\.digest)) }

  /// All live leaves together.
  var shown: Content? { leaves.reduce(LiveJoin()) { $0.joined(join($1)) }.shown }

  /// Writes what merging alone makes of the live leaves: a child of the winner, and the end of every other branch.
  /// Nil, and nothing is written, if there is one leaf or a clash.
  @discardableResult
  mutating func mergeAlone(rules: MergeRules = MergeRules()) throws -> RevisionID? {
    let leaves = live
    let merge = merge(leaves, rules: rules)
    guard leaves.count > 1, merge.isClean, let content = merge.content else { return nil }
    return try resolve(leaves, content)
  }

  @discardableResult
  mutating func resolve(
    _ leaves: [RevisionID], _ content: Content, lamport: UInt32 = 0, author: UUID? = nil
  ) throws -> RevisionID {
    let revision = try add(
      content, parent: leaves[0], merged: Array(leaves.dropFirst()), lamport: lamport, author: author)
    for leaf in leaves.dropFirst() {
      try add(
        Content(type: nodes[leaf]!.content.type, body: nil), parent: leaf, kind: .resolved, lamport: lamport,
        author: author)
    }
    return revision
  }

  func json(_ content: Content?) throws -> String { try content?.body?.json() ?? "-" }
}
