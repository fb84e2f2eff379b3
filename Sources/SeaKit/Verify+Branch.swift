import SeaContainer
import SeaCore
import SeaStore

extension ChainRun {
  /// Goes on behind a block that was verified.
  init(_ verifier: ChainVerifier, _ chain: ChainName, name: String) {
    self.init(database: verifier.database, chain: chain, place: "", readsPayloads: true)
    resume(verifier, name: name)
  }
}

extension Database {
  /// A sibling branch in our own store, which leaves a branch that was verified.
  func verify(
    _ branch: BranchRow, of trunk: ChainRow, _ report: (ChainReport) throws -> Void, _ problem: (Problem) throws -> Void
  ) throws {
    var verifier = ChainVerifier(database: databaseID, instance: branch.instance)
    if branch.first > 0 {
      guard let before = try store.block(branch.instance, branch.first - 1, digest: branch.previous) else {
        return try problem(
          Problem(.gap, place: "", instance: branch.instance, index: branch.first - 1, fork: branch.fork))
      }
      verifier = ChainVerifier(
        database: databaseID,
        head: ChainHead(instance: branch.instance, index: before.index, digest: before.digest),
        lamport: before.lamport, key: trunk.publicKey)
    }
    var run = ChainRun(verifier, branch.chain, name: trunk.name)
    var next = branch.first
    var end: ReadEnd?
    do {
      try store.forEachBlock(of: branch, from: branch.first) { row, bytes in
        next = row.index + 1
        return bytes.withUnsafeBytes { run.add(row.index, $0) }
      }
    } catch StoreError.damaged {
      end = .damaged(index: next, .badData)
    }
    if end == nil, next <= branch.head.index { end = .gap(index: next, later: branch.head.index) }
    try report(run.finish(end ?? .end(next: next)))
    try problem(
      Problem(
        .fork, place: "", instance: branch.instance, fork: branch.fork, detail: branch.chain.description))
  }
}
