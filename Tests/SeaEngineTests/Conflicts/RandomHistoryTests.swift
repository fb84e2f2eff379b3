import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Databases that are edited, synced and merged at random: all end with the same state, and nothing is lost.
@Suite struct RandomHistoryTests {
  @Test(arguments: 0..<4 as Range<UInt64>) func allInstancesConvergeWithoutLoss(_ quarter: UInt64) throws {
    var (merges, pairs, revisions, rounds) = (0, 0, 0, 0)
    let seeds = TestSeed.some(60).filter { $0 % 4 == quarter }
    for seed in seeds {
      let note: Comment = "seed \(seed)"
      let history: RandomHistory
      do { history = try RandomHistory(seed) } catch {
        Issue.record(error, note)
        continue
      }
      let needed = try history.converge()
      #expect(needed != nil, note)
      let alone = try check(history, note)
      // Each different local setting may lead to one other result per pair.
      #expect(alone <= history.pairs.count * history.ways, note)
      merges += alone
      pairs += history.pairs.count
      revisions += history.made.values.reduce(0) { $0 + $1.count }
      rounds = max(rounds, needed ?? 0)
    }
    print(
      "\(seeds.count) histories: \(revisions) revisions by people, \(pairs) pairs of live leaves,",
      "\(merges) merges; quiet after at most \(rounds) rounds")
    #expect(merges > 0 || seeds.count < 8)
  }

  /// - Returns: the number of revisions made by automatic merges.
  private func check(_ history: RandomHistory, _ note: Comment) throws -> Int {
    let all = history.group.all
    let digest = try all[0].store.projection.digest()
    let authors = try all[0].authorText()
    for one in all {
      #expect(try one.store.projection.digest() == digest, note)
      #expect(try one.authorText() == authors, note)
      #expect(try one.containers.heads() == all[0].containers.heads(), note)
    }
    #expect(try all.last!.store.projection.expectedDigest() == digest, note)
    var merges = 0
    for (id, made) in history.made.sorted(by: { $0.key < $1.key }) {
      #expect(try history.group.texts(id).count == 1, note)
      let row = try all[0].records.find(id)
      let known = try all[0].store.records.revisions(of: row)
      #expect(made.isSubset(of: Set(known.map(\.revision))), note)
      for merge in try Set(all[0].merges(id)).subtracting(made) {
        merges += 1
        try history.addPairs(mergedBy: merge, of: row, all[0])
      }
      guard !history.deleted.contains(id), let body = try all[0].records.view(row).body else { continue }
      let shown = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }
      for path in RandomHistory.counters {
        guard case .counter(let counter)? = try shown[PropertyPath(path)] else {
          Issue.record("\(id)\(path) is no counter: \(note)")
          continue
        }
        #expect(Int64(counter.value) == history.counted[id + path] ?? 0, "\(id)\(path) \(note)")
      }
      for path in RandomHistory.sets {
        guard case .set(let set)? = try shown[PropertyPath(path)] else {
          Issue.record("\(id)\(path) is no set: \(note)")
          continue
        }
        #expect(try set.elements == expected(PropertyPath(path), row, made, all[0]), "\(id)\(path) \(note)")
      }
    }
    return merges
  }

  /// The expected set by definition: all added elements except those that an instance had and removed.
  private func expected(
    _ path: PropertyPath, _ row: RecordRow, _ made: Set<RevisionID>, _ one: Database
  ) throws -> [Value] {
    func tags(_ revision: RevisionID) throws -> [ElementSet.Tag: Value] {
      guard let leaf = try one.store.records.revision(revision, of: row), leaf.kind == .put,
        case .set(let set)? = try one.store.content(of: leaf).body?.inherited(from: revision.digest)[path]
      else { return [:] }
      return Dictionary(set.items.flatMap { item in item.tags.map { ($0, item.value) } }) { a, _ in a }
    }
    var added: [ElementSet.Tag: Value] = [:]
    var removed: Set<ElementSet.Tag> = []
    for revision in made {
      let leaf = try #require(try one.store.records.revision(revision, of: row))
      guard leaf.kind == .put else { continue }
      let own = try tags(revision)
      for (tag, value) in own where tag == .revision(revision.digest) { added[tag] = value }
      for origin in try [leaf.parentRevision].compactMap({ $0 }) + one.store.records.change(of: leaf).merged {
        removed.formUnion(Set(try tags(origin).keys).subtracting(own.keys))
      }
    }
    var set = ElementSet()
    for (tag, value) in added where !removed.contains(tag) { set.add(value, tag: tag) }
    return set.elements
  }
}
