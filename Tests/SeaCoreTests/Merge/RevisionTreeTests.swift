import SeaCore
import SeaTestSupport
import Testing

@Suite struct RevisionTreeTests {
  private typealias Node = (revision: RevisionID, parent: RevisionID?, isDeleted: Bool)

  /// Trees of all shapes: lines, stars, several roots, parents that never arrive, and digests that are near each other.
  private func tree(_ random: inout Seeded) -> [Node] {
    var nodes: [Node] = []
    for k in 0..<Int.random(in: 1...24, using: &random) {
      let parent = Int.random(in: 0..<8, using: &random) == 0 ? nil : nodes.randomElement(using: &random)?.revision
      var digest = [UInt8](repeating: 0, count: 32)
      digest[0] = UInt8.random(in: 0...3, using: &random)
      digest[31] = UInt8(k)
      nodes.append(
        (
          RevisionID(depth: (parent?.depth ?? 0) + 1, digest: Digest(digest)!), parent,
          Int.random(in: 0..<4, using: &random) == 0
        ))
    }
    if Int.random(in: 0..<4, using: &random) == 0 { nodes.removeFirst() }
    return nodes
  }

  private func expect(_ tree: RevisionTree<RevisionID>, is other: RevisionTree<RevisionID>, _ note: Comment) {
    #expect(tree.winner == other.winner, note)
    #expect(tree.isDeleted == other.isDeleted, note)
    #expect(tree.conflicts == other.conflicts, note)
    #expect(tree.deletedLeaves == other.deletedLeaves, note)
  }

  @Test(arguments: TestSeed.some(40)) func revisionOrderAndRepetitionChangeNothing(_ seed: UInt64) throws {
    var random = Seeded(seed)
    for _ in 0..<25 {
      let nodes = tree(&random)
      let straight = RevisionTree(nodes)
      let again = (nodes + nodes.filter { _ in Bool.random(using: &random) }).shuffled(using: &random)
      expect(RevisionTree(again), is: straight, "seed \(seed)")
    }
  }

  @Test(arguments: TestSeed.some(40)) func winnerAndConflictsMatchDefinition(_ seed: UInt64) throws {
    var random = Seeded(seed &+ 1000)
    for _ in 0..<25 {
      let nodes = tree(&random)
      let tree = RevisionTree(nodes)
      let leaves = nodes.filter { node in !nodes.contains { $0.parent == node.revision } }
      let ranked = leaves.sorted { a, b in
        if a.isDeleted != b.isDeleted { return b.isDeleted }
        if a.revision.depth != b.revision.depth { return a.revision.depth > b.revision.depth }
        return a.revision.digest.description > b.revision.digest.description
      }
      #expect(tree.winner == ranked.first?.revision, "seed \(seed)")
      #expect(tree.isDeleted == (ranked.first?.isDeleted ?? false))
      #expect(tree.conflicts == ranked.filter { !$0.isDeleted }.dropFirst().map(\.revision))
      // No leaf is lost.
      #expect(
        (tree.isDeleted ? 0 : 1) + tree.conflicts.count + tree.deletedLeaves.count == leaves.count || nodes.isEmpty)
    }
  }

  @Test(arguments: TestSeed.some(40)) func replicasThatExchangeInPartsAgree(_ seed: UInt64) throws {
    var random = Seeded(seed &+ 2000)
    let nodes = tree(&random)
    var replicas = (0..<3).map { _ in nodes.filter { _ in Bool.random(using: &random) } }
    replicas[Int.random(in: 0..<3, using: &random)] = nodes
    // Pairs meet at random; then everybody has met everybody.
    for _ in 0..<6 {
      let a = Int.random(in: 0..<3, using: &random)
      replicas[a] += replicas[Int.random(in: 0..<3, using: &random)]
    }
    let all = replicas.flatMap { $0 }
    for replica in replicas {
      expect(RevisionTree((replica + all).shuffled(using: &random)), is: RevisionTree(nodes), "seed \(seed)")
    }
  }
}
