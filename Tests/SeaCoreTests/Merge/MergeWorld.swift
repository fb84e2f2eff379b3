import SeaCore
import Testing

/// A history by several instances that know parts of each other's revisions: edits, deletions, merges, and deliveries
/// in any order, some of them again.
struct MergeWorld {
  var random: Seeded
  var replicas: [MergeHistory]
  var all = MergeHistory()
  let instances: [UUID]

  init(_ seed: UInt64, _ count: Int, merging: Bool) throws {
    random = Seeded(seed)
    instances = (1...count).map { UUID(high: UInt64($0), low: 7) }
    replicas = instances.map { _ in MergeHistory() }
    for _ in 0..<Int.random(in: 4...24, using: &random) {
      let k = Int.random(in: 0..<instances.count, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6: try edit(k)
      case 6 where merging: try replicas[k].mergeAlone()
      case 7: try delete(k)
      default: deliver(k)
      }
    }
    for replica in replicas { for revision in replica.nodes.keys { all.receive(revision, from: replica) } }
  }

  private mutating func edit(_ k: Int) throws {
    let leaves = replicas[k].live
    let parent = leaves.first ?? replicas[k].leaves.first
    let before = parent.map { replicas[k].nodes[$0]!.content.inherited(from: $0.digest) }
    var body = before?.body ?? .empty
    // A counter goes on from what is shown, the rest from the winner.
    let path = try PropertyPath(["/n", "/d/n"].randomElement(using: &random)!)
    let setPath = try PropertyPath(["/s", "/d/s"].randomElement(using: &random)!)
    let kind = Int.random(in: 0..<7, using: &random)
    if kind == 0 {
      let value = Value.integer(Int64.random(in: 0...2, using: &random))
      try body.set(value, at: PropertyPath(["/p", "/d/p"].randomElement(using: &random)!))
    } else if kind < 4 {
      var counter = Counter()
      if case .counter(let known)? = replicas[k].shown?.body?[path] { counter = known }
      let step = Int128([-2, -1, 1, 2, 3].randomElement(using: &random)!)
      try counter.add(Int.random(in: 0..<8, using: &random) == 0 ? -counter.value : step, by: instances[k])
      try body.set(.counter(counter), at: path)
    } else {
      var set = ElementSet()
      if case .set(let known)? = body[setPath] { set = known }
      let element = Value.integer(Int64.random(in: 0...3, using: &random))
      if set.contains(element), Bool.random(using: &random) { set.remove(element) } else { set.add(element) }
      try body.set(.set(set), at: setPath)
    }
    try replicas[k].add(Content(type: nil, body: body), parent: parent)
  }

  private mutating func delete(_ k: Int) throws {
    guard let leaf = replicas[k].live.randomElement(using: &random) else { return }
    try replicas[k].add(.deleted, parent: leaf, kind: Bool.random(using: &random) ? .delete : .resolved)
  }

  /// Some revisions of another instance arrive, with all that they come from; some have been here before.
  private mutating func deliver(_ k: Int) {
    let other = replicas[Int.random(in: 0..<replicas.count, using: &random)]
    let some = other.nodes.keys.sorted().filter { _ in Bool.random(using: &random) }
    for revision in other.graph.ancestors(of: some).keys { replicas[k].receive(revision, from: other) }
  }
}
