import SeaCore
import Testing

/// Several instances that edit one record, exchange through places, and merge alone what they can, as a sync does: all
/// of it in memory.
struct MergeModel {
  struct Pair: Hashable {
    var a: RevisionID
    var b: RevisionID
  }

  /// What holds for one instance.
  struct Instance {
    var id: UUID
    var merges: Bool
    /// Its own policy for every path.
    var own: Policy?
    /// The shared policy that it knows, and when that was set.
    var shared: (lamport: UInt32, by: UUID, policy: Policy?)
    var history = MergeHistory()
    var clock: UInt32 = 0
    /// What was looked at last, to no end.
    var tried: [String] = []
  }

  var random: Seeded
  var instances: [Instance]
  /// What lies in the places, and the newest shared policy there.
  var places: [(history: MergeHistory, clock: UInt32, shared: (lamport: UInt32, by: UUID, policy: Policy?))]
  /// What was counted, by path.
  var counted: [Int128] = [0, 0]
  /// The revisions that people made.
  var edits: Set<RevisionID> = []
  /// What merging alone made.
  var merges: Set<RevisionID> = []
  /// Live leaves that were side by side somewhere.
  var pairs: Set<Pair> = []
  /// Whether a branch ended without anybody taking it in; then counts and elements went with it.
  var isDeleted = false

  static let counters = ["/n", "/d/n"]
  static let sets = ["/s", "/d/s"]
  private static let policies: [Policy?] = [nil, nil, .newest, .winner, .max, .text, .text]

  init(_ seed: UInt64, deletes: Bool = true) throws {
    var random = Seeded(seed)
    let none = (lamport: UInt32(0), by: UUID(high: 0, low: 0), policy: Policy?.none)
    instances = (1...Int.random(in: 2...6, using: &random)).map { k in
      Instance(
        id: UUID(high: UInt64(k), low: 7), merges: Int.random(in: 0..<5, using: &random) > 0,
        own: Int.random(in: 0..<4, using: &random) == 0
          ? [.ours, .theirs, .max, .min].randomElement(using: &random)! : nil, shared: none)
    }
    places = (1...Int.random(in: 1...3, using: &random)).map { _ in (MergeHistory(), 0, none) }
    self.random = random
    for _ in 0..<Int.random(in: 6...40, using: &self.random) {
      let k = Int.random(in: 0..<instances.count, using: &self.random)
      switch Int.random(in: 0..<40, using: &self.random) {
      case 0..<20: try edit(k)
      case 20 where deletes: try delete(k)
      case 21, 22: try resolve(k)
      case 23: try undo(k)
      case 24: setPolicy(k)
      default: try sync(k, Int.random(in: 0..<places.count, using: &self.random))
      }
    }
  }

  // MARK: What people do

  private mutating func tick(_ k: Int) -> UInt32 {
    instances[k].clock += 1
    return instances[k].clock
  }

  private mutating func edit(_ k: Int) throws {
    let history = instances[k].history
    let parent = history.live.first ?? history.leaves.first
    var body = parent.flatMap { history.nodes[$0]!.content.inherited(from: $0.digest).body } ?? MergeModel.blank
    let number = Value.integer(Int64.random(in: 0...2, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: try body.set(number, at: PropertyPath("/p"))
    case 1:
      let lines = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        ["x\n", "y\n", "z"].randomElement(using: &random)!
      }
      try body.set(.string(lines.joined()), at: "/q")
    case 2: try body.set(.array([number]), at: "/d/p")
    case 3, 4, 5:
      let at = Int.random(in: 0...1, using: &random)
      var counter = Counter()
      if case .counter(let known)? = try history.shown?.body?[PropertyPath(MergeModel.counters[at])] { counter = known }
      let isReset = Int.random(in: 0..<8, using: &random) == 0
      let step = isReset ? -counter.value : Int128([-2, -1, 1, 2, 3].randomElement(using: &random)!)
      try counter.add(step, by: instances[k].id)
      counted[at] += step
      try body.set(.counter(counter), at: MergeModel.counters[at])
    default:
      let path = MergeModel.sets.randomElement(using: &random)!
      guard case .set(var set)? = try body[PropertyPath(path)] else { return }
      let element = Value.integer(Int64.random(in: 0...3, using: &random))
      if set.contains(element) { set.remove(element) } else { set.add(element) }
      try body.set(.set(set), at: path)
    }
    let content = Content(type: nil, body: body)
    // What is so already is not written.
    if let parent, history.nodes[parent]!.content.inherited(from: parent.digest) == content { return }
    edits.insert(
      try instances[k].history.add(content, parent: parent, lamport: tick(k), author: instances[k].id))
    recordPairs(k)
  }

  private static let blank: Value = {
    let inner = Value.dictionary(
      Members([("n", .counter(Counter())), ("p", .array([])), ("s", .set(ElementSet()))]))
    return .dictionary(
      Members([("d", inner), ("n", .counter(Counter())), ("p", .integer(0)), ("s", .set(ElementSet()))]))
  }()

  private mutating func delete(_ k: Int) throws {
    let lamport = tick(k)
    for leaf in instances[k].history.live {
      edits.insert(
        try instances[k].history.add(.deleted, parent: leaf, lamport: lamport, author: instances[k].id))
      isDeleted = true
    }
  }

  private func contenders(_ k: Int) -> [RevisionID] {
    let nodes = instances[k].history.nodes
    let leaves = instances[k].history.leaves.filter { nodes[$0]!.kind != .resolved }
    return leaves.filter { nodes[$0]!.kind == .put } + leaves.filter { nodes[$0]!.kind == .delete }
  }

  /// Takes one side; no count is dropped, and an element that another side has removed is added anew.
  private mutating func resolve(_ k: Int) throws {
    let leaves = contenders(k)
    let history = instances[k].history
    guard leaves.count > 1, history.nodes[leaves[0]]!.kind == .put else { return }
    let taken = leaves.randomElement(using: &random)!
    var content = history.nodes[taken]!.content.inherited(from: taken.digest)
    if content.body == nil { isDeleted = true }
    let merged = history.merge().content
    for path in content.body == nil ? [] : MergeModel.counters + MergeModel.sets {
      switch try (content.body?[PropertyPath(path)], merged?.body?[PropertyPath(path)]) {
      case (.counter?, let counter?): try content.body?.set(counter, at: path)
      case (.set(let set)?, .set(let all)?): try content.body?.set(.set(all.changed(to: set.elements)), at: path)
      default: break
      }
    }
    edits.insert(try instances[k].history.resolve(leaves, content, lamport: tick(k), author: instances[k].id))
    recordPairs(k)
  }

  /// Takes a merge back: its leaves are there again and say what they said.
  private mutating func undo(_ k: Int) throws {
    let history = instances[k].history
    guard let merge = history.live.first(where: { !history.nodes[$0]!.merged.isEmpty }),
      let parent = history.nodes[merge]!.parent
    else { return }
    let others = history.nodes[merge]!.merged
    let ends = history.leaves.filter { leaf in history.nodes[leaf]!.kind == .resolved }
    guard others.allSatisfy({ other in ends.contains { history.nodes[$0]!.parent == other } }) else { return }
    // Of what merging alone made; else what was said with it would go.
    guard merges.contains(merge) else { return }
    let (lamport, author) = (tick(k), instances[k].id)
    try instances[k].history.add(.deleted, parent: merge, kind: .resolved, lamport: lamport, author: author)
    for (leaf, upon) in [(parent, parent)]
      + others.map({ other in
        (other, ends.first { history.nodes[$0]!.parent == other }!)
      })
    {
      edits.insert(
        try instances[k].history.add(
          history.nodes[leaf]!.content.inherited(from: leaf.digest), parent: upon, lamport: lamport, author: author))
    }
    recordPairs(k)
  }

  private mutating func setPolicy(_ k: Int) {
    let policy = MergeModel.policies.randomElement(using: &random)!
    instances[k].shared = (tick(k), instances[k].id, policy)
  }

  // MARK: What a sync does

  mutating func sync(_ k: Int, _ place: Int) throws {
    instances[k].history.receive(from: places[place].history)
    instances[k].clock = max(instances[k].clock, places[place].clock)
    let (mine, theirs) = (instances[k].shared, places[place].shared)
    if (mine.lamport, mine.by) < (theirs.lamport, theirs.by) { instances[k].shared = theirs }
    instances[k].clock = max(instances[k].clock, theirs.lamport)
    recordPairs(k)
    if instances[k].merges { try settle(k) }
    places[place].history.receive(from: instances[k].history)
    places[place].clock = max(places[place].clock, instances[k].clock)
    places[place].shared = instances[k].shared
  }

  /// Merges all live leaves, or leaves everything as it is.
  private mutating func settle(_ k: Int) throws {
    let history = instances[k].history
    let leaves = history.live
    guard leaves.count > 1, contenders(k).count == leaves.count, !leaves.contains(where: { isApart($0, history) })
    else { return }
    let ownCounts = leaves.count { !history.nodes[$0]!.merged.isEmpty } < 2
    let policy = (ownCounts ? instances[k].own : nil) ?? instances[k].shared.policy
    let standing = leaves.map { "\($0) \(history.nodes[$0]!.lamport)" } + ["\(policy?.rawValue ?? "-")"]
    guard instances[k].tried != standing else { return }
    instances[k].tried = standing
    let merge = LeafMerge(
      leaves.map { history.leaf($0, isOwn: history.nodes[$0]!.author == instances[k].id) }, history.graph,
      rules: MergeRules(policy: { _ in policy }))
    guard merge.isClean, let content = merge.content else { return }
    let made = try instances[k].history.resolve(leaves, content, lamport: tick(k), author: instances[k].id)
    if !edits.contains(made) { merges.insert(made) }
  }

  /// Whether somebody has set a leaf apart: it says what its parent says, or what was said before it ended.
  private func isApart(_ leaf: RevisionID, _ history: MergeHistory) -> Bool {
    let node = history.nodes[leaf]!
    guard node.merged.isEmpty, var before = node.parent else { return false }
    if history.nodes[before]!.kind == .resolved, let earlier = history.nodes[before]!.parent { before = earlier }
    return history.nodes[before]!.content.inherited(from: before.digest) == node.content.inherited(from: leaf.digest)
  }

  private mutating func recordPairs(_ k: Int) {
    let live = instances[k].history.live
    for (at, a) in live.enumerated() { for b in live.dropFirst(at + 1) { pairs.insert(Pair(a: a, b: b)) } }
  }

  // MARK: To the end

  /// Everybody meets everybody until nobody learns anything.
  /// - Returns: how often; nil if there is no end.
  mutating func exchange() throws -> Int? {
    for round in 1...30 {
      let before = instances.map { $0.history.nodes.count } + places.map { $0.history.nodes.count }
      for k in instances.indices.shuffled(using: &random) {
        for place in places.indices.shuffled(using: &random) { try sync(k, place) }
      }
      if before == instances.map({ $0.history.nodes.count }) + places.map({ $0.history.nodes.count }) { return round }
    }
    return nil
  }
}

extension Value {
  fileprivate mutating func set(_ value: Value, at path: String) throws { try set(value, at: PropertyPath(path)) }
}
