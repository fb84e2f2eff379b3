import SeaCore
import SeaTestSupport
import Testing

/// Merging alone, whatever people do meanwhile: everybody ends with the same, and nothing is lost on the way.
@Suite struct MergeModelTests {
  private func check(_ model: MergeModel, _ rounds: Int?, _ note: Comment) throws {
    #expect(rounds != nil, note)
    let first = model.instances[0].history
    for one in model.instances.dropFirst() {
      #expect(Set(one.history.nodes.keys) == Set(first.nodes.keys), note)
      #expect(one.history.live == first.live, note)
      #expect(one.history.shown?.body?.encoding == first.shown?.body?.encoding, note)
      for (revision, node) in first.nodes {
        #expect(
          one.history.nodes[revision].map { $0.lamport == node.lamport && $0.author == node.author } ?? false, note)
      }
    }
    #expect(model.edits.isSubset(of: first.nodes.keys), note)
    guard !model.isDeleted, let shown = first.shown?.body else { return }
    for (path, sum) in zip(MergeModel.counters, model.counted) {
      guard case .counter(let counter)? = try shown[PropertyPath(path)] else {
        Issue.record("no counter: \(note)")
        continue
      }
      #expect(counter.value == sum, note)
    }
    for path in MergeModel.sets {
      let path = try PropertyPath(path)
      guard case .set(let set)? = shown[path] else {
        Issue.record("no set: \(note)")
        continue
      }
      #expect(set.elements == expected(path, model), note)
    }
  }

  /// One revision can add several elements, with one tag.
  private struct Addition: Hashable {
    var tag: ElementSet.Tag
    var number: Int64
  }

  /// A set by its definition: what anybody added, without what was there and somebody has taken away.
  private func expected(_ path: PropertyPath, _ model: MergeModel) -> [Value] {
    let history = model.instances[0].history
    func additions(_ revision: RevisionID) -> Set<Addition> {
      guard case .set(let set)? = history.nodes[revision]!.content.inherited(from: revision.digest).body?[path] else {
        return []
      }
      return Set(
        set.items.flatMap { item in
          guard case .integer(let number) = item.value else { return [] as [Addition] }
          return item.tags.map { Addition(tag: $0 == .thisRevision ? .revision(revision.digest) : $0, number: number) }
        })
    }
    var added: Set<Addition> = []
    var removed: Set<Addition> = []
    for revision in model.edits where history.nodes[revision]!.kind == .put {
      let (node, own) = (history.nodes[revision]!, additions(revision))
      added.formUnion(own.filter { $0.tag == .revision(revision.digest) })
      var origins = [node.parent].compactMap { $0 } + node.merged
      // A leaf that is there again goes on from what it said before it was taken in.
      origins = origins.map { history.nodes[$0]!.kind == .resolved ? history.nodes[$0]!.parent! : $0 }
      for origin in origins { removed.formUnion(additions(origin).subtracting(own)) }
    }
    var set = ElementSet()
    for one in added.subtracting(removed) { set.add(.integer(one.number), tag: one.tag) }
    return set.elements
  }

  @Test(arguments: 0..<20 * TestSeed.factor) func allInstancesConvergeWithoutLosingEdits(_ block: UInt64) throws {
    var (merges, pairs, edits, merging, most) = (0, 0, 0, 0, 0)
    for seed in TestSeed.numbered(block * 40..<block * 40 + 40) {
      var model = try MergeModel(seed, deletes: seed % 4 == 0)
      let rounds = try model.exchange()
      try check(model, rounds, "seed \(seed)")
      // Whoever goes by a policy of its own comes to another end than the others, once.
      let ways = Set(model.instances.map(\.own)).count
      #expect(
        model.merges.count <= model.pairs.count * ways, "seed \(seed): \(model.merges.count) \(model.pairs.count)")
      merges += model.merges.count
      pairs += model.pairs.count
      edits += model.edits.count
      merging += model.merges.isEmpty ? 0 : 1
      most = max(most, rounds ?? 0)
    }
    print("\(edits) edits, \(pairs) pairs of live leaves, \(merges) merges; at most \(most) rounds")
    #expect(merging > 10)
  }
}
