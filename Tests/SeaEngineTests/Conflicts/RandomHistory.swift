import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Random changes of a few records by several instances, and the expected results.
final class RandomHistory {
  struct Pair: Hashable {
    var id: String
    var a: RevisionID
    var b: RevisionID
  }

  static let ids = ["r0", "r1", "r2"]
  static let counters = ["/n", "/d/n"]
  static let sets = ["/s", "/d/s"]

  let group: MergeGroup
  private var random: SeededRandom
  /// The number of different local settings.
  private(set) var ways = 1
  /// The revisions made by users, by record.
  private(set) var made: [String: Set<RevisionID>] = [:]
  /// The counted sums, by record and path.
  private(set) var counted: [String: Int64] = [:]
  /// Pairs of live leaf revisions that existed at the same time somewhere.
  private(set) var pairs: Set<Pair> = []
  /// Records with a branch that ended without a merge, and with it counts and elements.
  private(set) var deleted: Set<String> = []

  init(_ seed: UInt64) throws {
    random = SeededRandom(seed)
    group = try MergeGroup(sealed: seed % 8 == 7, seed: seed)
    let folders = ["north", "south", "west"].prefix(Int.random(in: 1...3, using: &random))
    var own: Set<String> = []
    for k in 0..<Int.random(in: 2...8, using: &random) {
      var config: [String: String] = [:]
      if chance(5) { config["merge.auto"] = "off" }
      if chance(4) { config["merge.policy"] = ["ours", "theirs", "max", "min"].randomElement(using: &random)! }
      own.insert(config["merge.policy"] ?? "-")
      // The first instance has every folder, so that everything reaches all instances.
      let some = k == 0 ? Array(folders) : folders.filter { _ in Bool.random(using: &random) }
      try group.add(some.isEmpty ? [folders[0]] : some, own: config)
    }
    ways = own.count
    for _ in 0..<Int.random(in: 20...60, using: &random) {
      try step(Int.random(in: 0..<group.all.count, using: &random))
    }
  }

  private func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  private func step(_ k: Int) throws {
    let id = RandomHistory.ids.randomElement(using: &random)!
    let one = group[k]
    let row = try one.store.records.record(id)
    let isDivided = row.map { $0.conflict != .none } ?? false
    switch Int.random(in: 0..<30, using: &random) {
    case 0 where row?.isDeleted == false && chance(2):
      try addRevision(id, one.delete(id))
      deleted.insert(id)
    case 1 where isDivided, 2 where isDivided: try resolve(id, one)
    case 3 where row?.conflict == .live: try edit(id, one, upon: one.live(id).randomElement(using: &random)!)
    case 4 where row?.isDeleted == false && chance(2):
      // Only an automatic merge is undone; otherwise a user's change would be lost.
      guard try made[id]?.contains(one.store.records.winner(of: row!)!.revision) != true else { return }
      for revision in try one.takeBack(id) { addRevision(id, revision) }
    case 5:
      let key = ["merge.policy", "merge.t.policy"].randomElement(using: &random)!
      let values = [
        nil, "newest", "winner", "max", "text", "/p=newest max", "/d/p=winner /p=", "newest /d=",
      ]
      try group.share(key, values.randomElement(using: &random)!, by: k)
    case 6..<16:
      let folder = group.folders[k].randomElement(using: &random)!
      let direction = [Direction.both, .both, .pull, .push].randomElement(using: &random)!
      let exchange = try one.exchange(folder, direction)
      #expect(exchange.problems == [])
    default: try edit(id, one)
    }
    try addPairs(in: one)
  }

  private func addRevision(_ id: String, _ revision: RevisionID?) {
    if let revision { made[id, default: []].insert(revision) }
  }

  private func resolve(_ id: String, _ one: Database) throws {
    let sides = try #require(try one.conflict(id)).sides
    let side = sides.randomElement(using: &random)!
    let all: [Resolution] = [
      .winner, .take(side.leaf.revision.description), .merge(MergeChoices(prefer: .revision("winner"))),
    ]
    let resolution = all.randomElement(using: &random)!
    let result = try one.conflicts.resolve([id], resolution, label: "resolve")[0]
    addRevision(id, result.revision)
    if result.isDeleted { deleted.insert(id) }
  }

  private func edit(_ id: String, _ one: Database, upon leaf: RevisionID? = nil) throws {
    let kind = Int.random(in: 0..<9, using: &random)
    let number = Int64.random(in: 0...3, using: &random)
    let at = Int.random(in: 0...1, using: &random)
    let isReset = chance(8)
    let batch = WriteBatch(label: "set")
    var counts: Int64 = 0
    try batch.addEdit(id, type: "t", leaf.map { .revision($0.description) } ?? .none, mustExist: false) { old in
      var value =
        try old ?? Value.json(
          #"{"r":{"d":{"n":{"$counter":0},"p":0,"s":{"$set":[]}},"n":{"$counter":0},"p":0,"q":"","s":{"$set":[]}}}"#
        ).members!["r"]!
      switch kind {
      case 0: try value.set(.integer(number), at: PropertyPath("/p"))
      case 1: try value.set(.string(String(repeating: "x", count: Int(number))), at: PropertyPath("/q"))
      case 2: try value.set(.array([.integer(number)]), at: PropertyPath("/d/p"))
      case 3, 4, 5:
        var now: Int64 = 0
        let path = try PropertyPath(RandomHistory.counters[at])
        if case .counter(let counter)? = value[path] { now = Int64(counter.value) }
        counts = isReset ? -now : number - 1
        try value.set(.counterDraft(Int128(now + counts)), at: path)
      default:
        let path = try PropertyPath(RandomHistory.sets[at])
        var elements: [Value] = []
        if case .set(let set)? = value[path] { elements = set.elements }
        let element = Value.integer(number)
        elements = elements.contains(element) ? elements.filter { $0 != element } : elements + [element]
        try value.set(.setDraft(elements), at: path)
      }
      return value
    }
    let written = try one.records.write(batch)
    if written.block != nil {
      addRevision(id, written.results[0].revision)
      if kind > 2, kind < 6 { counted[id + RandomHistory.counters[at], default: 0] += counts }
    }
  }

  /// Adds the current pairs of leaf revisions.
  private func addPairs(in one: Database) throws {
    for id in try one.conflicts.ids() { addPairs(among: try one.live(id), id) }
  }

  /// Adds the leaf revisions that an immediate merge combined.
  func addPairs(mergedBy merge: RevisionID, of row: RecordRow, _ one: Database) throws {
    let leaf = try #require(try one.store.records.revision(merge, of: row))
    addPairs(among: try [#require(leaf.parentRevision)] + one.store.records.change(of: leaf).merged, row.id)
  }

  private func addPairs(among live: [RevisionID], _ id: String) {
    let live = live.sorted(by: >)
    for (at, a) in live.enumerated() { for b in live.dropFirst(at + 1) { pairs.insert(Pair(id: id, a: a, b: b)) } }
  }

  /// All instances sync until nothing changes.
  /// - Returns: the number of rounds; nil if there is no end.
  func converge() throws -> Int? {
    for round in 1...20 {
      var moved = 0
      for k in group.all.indices.shuffled(using: &random) {
        for folder in group.folders[k].shuffled(using: &random) {
          let exchange = try group[k].exchange(folder)
          moved += exchange.pulled + exchange.pushed
          try addPairs(in: group[k])
        }
      }
      if moved == 0 { return round }
    }
    return nil
  }
}
