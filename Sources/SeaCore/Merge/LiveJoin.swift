/// Joins the counters and sets of all live leaves of a record without writing a merge.
///
/// The join is commutative, associative and idempotent. Plain properties come from the winner. Each counter or set of
/// the winner is joined with those at the same path in the other leaves. Counters and sets that the winner lacks are
/// not shown.
package struct LiveJoin: Sendable {
  private var winner: (revision: RevisionID, content: Content)?
  /// The states, keyed by path. They include states that the winner lacks, because a leaf that is joined later could
  /// win.
  private var states: [[UInt8]: State] = [:]

  private struct State: Sendable {
    var counter: Counter?
    var set: SeenSet?
  }

  package init() {}

  /// - Parameters:
  ///   - content: the content of the leaf. A deleted leaf contributes nothing.
  /// - seen: the digests of all ancestors of the leaf. They make it possible to tell removed elements from elements
  /// that the leaf never had.
  package init(_ revision: RevisionID, _ content: Content, seen: Set<Digest>) {
    guard let body = content.body else { return }
    let carried = Content(type: content.type, body: body.inherited(from: revision.digest))
    winner = (revision, carried)
    for (path, value) in LiveJoin.states(of: carried.body, []) {
      switch value {
      case .counter(let counter): states[path] = State(counter: counter)
      case .set(let set): states[path] = State(set: SeenSet(set, seen: seen.union([revision.digest])))
      default: break
      }
    }
  }

  /// Joins all leaves in linear time, with the same result as `joined`.
  /// - Parameter seen: returns the digests of a leaf's ancestors. This closure is called only for leaves that contain a
  ///   set.
  package init<Failure>(
    all leaves: [(revision: RevisionID, content: Content)], seen: (RevisionID) throws(Failure) -> some Sequence<Digest>
  ) throws(Failure) {
    var counters: [[UInt8]: [Counter]] = [:]
    var sets: [[UInt8]: [(leaf: Int, set: ElementSet)]] = [:]
    for (k, leaf) in leaves.enumerated() {
      guard let body = leaf.content.body else { continue }
      let carried = Content(type: leaf.content.type, body: body.inherited(from: leaf.revision.digest))
      if winner.map({ $0.revision < leaf.revision }) ?? true { winner = (leaf.revision, carried) }
      for (path, value) in LiveJoin.states(of: carried.body, []) {
        switch value {
        case .counter(let counter): counters[path, default: []].append(counter)
        case .set(let set): sets[path, default: []].append((k, set))
        default: break
        }
      }
    }
    for (path, all) in counters { states[path, default: State()].counter = Counter.joined(all) }
    // For each revision that added an element, the leaves that descend from it.
    var known: [Digest: Set<Int>] = [:]
    for (_, set) in sets.values.joined() {
      for item in set.items { for case .revision(let tag) in item.tags { known[tag] = [] } }
    }
    for k in Set(sets.values.joined().lazy.map(\.leaf)) {
      known[leaves[k].revision.digest]?.insert(k)
      for digest in try seen(leaves[k].revision) { known[digest]?.insert(k) }
    }
    for (path, all) in sets { states[path, default: State()].set = SeenSet(LiveJoin.union(all, known), seen: []) }
  }

  /// Returns the union of all sets, leaving out additions that any leaf has seen but no longer contains.
  private static func union(_ all: [(leaf: Int, set: ElementSet)], _ seen: [Digest: Set<Int>]) -> ElementSet {
    let here = Set(all.lazy.map(\.leaf))
    var having: [[UInt8]: (item: ElementSet.Item, holders: [ElementSet.Tag: Set<Int>])] = [:]
    for (leaf, set) in all {
      for item in set.items {
        for tag in item.tags {
          having[item.encoding, default: (item, [:])].holders[tag, default: []].insert(leaf)
        }
      }
    }
    var items: [ElementSet.Item] = []
    for (known, holders) in having.values {
      var item = known
      item.tags = holders.filter { tag, holders in
        guard case .revision(let digest) = tag else { return true }
        return seen[digest]?.allSatisfy { !here.contains($0) || holders.contains($0) } ?? true
      }.keys.sorted()
      if !item.tags.isEmpty { items.append(item) }
    }
    return ElementSet(items: items.sorted { $0.encoding.lexicographicallyPrecedes($1.encoding) })
  }

  /// Whether the result depends on the history of the leaves. This is the case if their sets differ.
  /// - Parameter leaves: the inherited content of each leaf.
  package static func dependsOnHistory(_ leaves: [Content]) -> Bool {
    let sets = leaves.filter { $0.body != nil }.map { leaf in
      Dictionary(uniqueKeysWithValues: states(of: leaf.body, []).filter { if case .set = $0.1 { true } else { false } })
    }
    return sets.contains { $0 != sets[0] }
  }

  package func joined(_ other: LiveJoin) -> LiveJoin {
    var result = self
    if let theirs = other.winner, winner.map({ $0.revision < theirs.revision }) ?? true { result.winner = theirs }
    result.states.merge(other.states) { a, b in
      State(
        counter: a.counter.flatMap { x in b.counter.map { x.joined($0) } } ?? a.counter ?? b.counter,
        set: a.set.flatMap { x in b.set.map { x.joined($0) } } ?? a.set ?? b.set)
    }
    return result
  }

  package var shown: Content? {
    guard var content = winner?.content, let body = content.body else { return nil }
    content.body = shown(body, [])
    return content
  }

  /// Returns the joined set at a path, even if the winner lacks the set.
  package func set(at names: [String]) -> ElementSet? { states[PropertyPath(names: names).key]?.set?.set }

  /// Returns the body with every counter set to the joined value plus the amount by which the counter in the body
  /// exceeds the one in `old`.
  package func counting(on body: Value, from old: Value?, by instance: UUID) throws(CoreError) -> Value {
    try counting(on: body, from: old, by: instance, [])
  }

  private func counting(
    on value: Value, from old: Value?, by instance: UUID, _ names: [String]
  ) throws(CoreError) -> Value {
    switch value {
    case .dictionary(let members):
      var result = Members()
      for (name, value) in members.entries {
        result.append(name, try counting(on: value, from: old?.members?[name], by: instance, names + [name]))
      }
      return .dictionary(result)
    case .counter(let counter):
      guard var joined = states[PropertyPath(names: names).key]?.counter else { return value }
      var before: Int128 = 0
      if case .counter(let counter)? = old { before = counter.value }
      try joined.add(counter.value - before, by: instance, at: names)
      return .counter(joined)
    default: return value
    }
  }

  private func shown(_ value: Value, _ names: [String]) -> Value {
    switch value {
    case .dictionary(let members):
      var result = Members()
      for (name, value) in members.entries { result.append(name, shown(value, names + [name])) }
      return .dictionary(result)
    case .counter: return states[PropertyPath(names: names).key]?.counter.map { .counter($0) } ?? value
    case .set: return states[PropertyPath(names: names).key]?.set.map { .set($0.set) } ?? value
    default: return value
    }
  }

  private static func states(of value: Value?, _ names: [String]) -> [([UInt8], Value)] {
    switch value {
    case .dictionary(let members)?: members.entries.flatMap { states(of: $0.value, names + [$0.key]) }
    case .counter?, .set?: [(PropertyPath(names: names).key, value!)]
    default: []
    }
  }
}

/// A set, and the additions that it has seen. An addition that was seen but is absent was removed.
private struct SeenSet: Sendable {
  var set: ElementSet
  var seen: Set<ElementSet.Tag>

  init(_ set: ElementSet, seen: Set<Digest>) {
    self.set = set
    // Even if the history is incomplete, the additions in the set count as seen.
    self.seen = Set(seen.map { .revision($0) }).union(set.items.lazy.flatMap { $0.tags })
  }

  func joined(_ other: SeenSet) -> SeenSet {
    var result = self
    result.set = set.zipped(other.set) { a, b in
      let both = Set(a).union(b)
      return both.filter { tag in
        (a.contains(tag) || !seen.contains(tag)) && (b.contains(tag) || !other.seen.contains(tag))
      }.sorted()
    }
    result.seen.formUnion(other.seen)
    return result
  }
}
