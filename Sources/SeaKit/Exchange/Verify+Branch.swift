import SeaContainer
import SeaCore
import SeaStore

extension ChainRun {
  /// Goes on behind a block that was verified.
  init(_ verifier: ChainVerifier, _ chain: BranchID, name: String, keys: KeyRing?) {
    self.init(database: verifier.database, chain: chain, place: "", readsPayloads: true, keys: keys)
    resume(verifier, name: name)
  }
}

extension Database {
  /// A sibling branch in our own store, which leaves a branch that was verified.
  func verify(
    _ branch: BranchRow, of trunk: ChainRow, _ report: (ChainReport) throws -> Void, _ problem: (Problem) throws -> Void
  ) throws {
    let ring = try keysAtHand()
    var verifier = ChainVerifier(database: databaseID, instance: branch.instance, knownKey: trunk.publicKey)
    if branch.first > 0 {
      guard let before = try store.blocks.base(of: branch) else {
        return try problem(
          Problem(.gap, place: "", instance: branch.instance, index: branch.first - 1, fork: branch.id.fork))
      }
      verifier = try ChainVerifier(
        database: databaseID,
        head: BlockRef(instance: branch.instance, index: before.index, digest: before.digest),
        lamport: before.lamport, key: trunk.publicKey, isSealed: isSealed())
    }
    var run = ChainRun(verifier, branch.id, name: trunk.name, keys: ring)
    var next = branch.first
    var end: ReadEnd?
    do {
      try store.blocks.forEachBlock(of: branch.id, from: branch.first) { row, bytes in
        next = row.index + 1
        let clear = ring == nil ? nil : try store.blocks.clearBytes(of: row)
        return bytes.withUnsafeBytes { run.add(row.index, $0, clear: clear) }
      }
    } catch StoreError.damaged {
      end = .damaged(index: next, .badData)
    }
    if end == nil, next <= branch.head.index { end = .gap(index: next, later: branch.head.index) }
    try report(run.finish(end ?? .end(next: next)))
    try problem(
      Problem(
        .fork, place: "", instance: branch.instance, fork: branch.id.fork, detail: branch.id.description))
  }
}
