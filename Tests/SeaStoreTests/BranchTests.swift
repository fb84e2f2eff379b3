import SeaCore
import SeaStore
import SeaTestSupport
import Testing

/// The table of branches: the trunk is one of them.
@Suite struct BranchTests {
  private let scratch: ScratchFolder
  private let store: Store
  private let vector: Vector

  init() throws {
    scratch = try ScratchFolder()
    try Store.create(folder: scratch.path, meta: [])
    store = try Store(folder: scratch.path, access: .write)
    // One that this program can read, and whose clocks follow from nothing else.
    vector = try #require(
      Vector.all("chain").first { vector in
        vector["expect"] == "ok" && vector.blocks.count > 2
          && vector.blocks.enumerated().allSatisfy { place, block in
            block.withUnsafeBytes { block in
              (try? BlockReader.payload(ofKept: block))?.heads.isEmpty == true
                && (try? BlockHeader(block).lamport) == UInt32(place + 1)
            }
          }
      })
  }

  /// The blocks of the vector, verified.
  private func blocks() throws -> [(bytes: [UInt8], header: BlockHeader, ref: BlockRef)] {
    var verifier = vector.verifier
    return try vector.blocks.map { bytes in
      let header = try bytes.withUnsafeBytes { try verifier.check($0) }
      return (bytes, header, verifier.head!)
    }
  }

  private func append(_ bytes: [UInt8], _ header: BlockHeader, _ ref: BlockRef, to row: inout BranchRow) throws {
    try bytes.withUnsafeBytes { bytes in
      let payload = try BlockReader.payload(ofKept: bytes)
      _ = try store.intake.append(
        VerifiedBlock(bytes: bytes, header: header, ref, payload: payload), to: &row, arrived: 7)
    }
  }

  /// Where an author goes on follows him through a transaction, and is the same when it is looked up again.
  @Test func appendPointAccountsForAllBranches() throws {
    let all = try blocks()
    let (author, other) = (all[0].ref.instance, UUID(high: 1, low: 2))
    let greatest = try #require(all.map(\.header.lamport).max())
    func append(_ one: (bytes: [UInt8], header: BlockHeader, ref: BlockRef), at point: inout AppendPoint) throws {
      try one.bytes.withUnsafeBytes { bytes in
        let block = VerifiedBlock(
          bytes: bytes, header: one.header, one.ref, payload: try BlockReader.payload(ofKept: bytes))
        _ = try store.intake.append(block, at: &point, arrived: 7)
      }
    }
    try store.write {
      var point = try store.branches.appendPoint(of: author)
      #expect(point.trunk == nil && point.lamport == 0 && point.unannounced.isEmpty && !point.isContested)
      for one in all {
        try append(one, at: &point)
        #expect(point.trunk?.head == one.ref && point.lamport == one.header.lamport)
        let again = try store.branches.appendPoint(of: author)
        #expect(again.trunk?.head == one.ref && again.lamport == one.header.lamport && again.unannounced.isEmpty)
      }
    }
    // For somebody else these are the heads of another, which his first block names.
    try store.write {
      var point = try store.branches.appendPoint(of: other)
      #expect(point.trunk == nil && point.lamport == greatest && point.unannounced == [all.last!.ref])
      try append(
        (all[0].bytes, all[0].header, BlockRef(instance: other, index: 0, digest: all[0].ref.digest)), at: &point)
      #expect(point.unannounced.isEmpty && point.lamport == all[0].header.lamport)
      try append(
        (all[1].bytes, all[1].header, BlockRef(instance: other, index: 1, digest: all[1].ref.digest)), at: &point)
      #expect(point.unannounced.isEmpty && point.trunk?.head.index == 1)
      #expect(try store.branches.appendPoint(of: other).unannounced.isEmpty)
    }
    // A sibling is no trunk to name, and ours forks us.
    try store.write {
      var sibling = all[1].ref
      sibling.digest = SHA256.hash([1])
      var row = try #require(try store.branches.position(for: all[1].header, sibling))
      try self.append(all[1].bytes, all[1].header, sibling, to: &row)
      #expect(
        try store.branches.appendPoint(of: author).isContested && !store.branches.appendPoint(of: other).isContested)
      #expect(try store.branches.appendPoint(of: other).unannounced.isEmpty)
    }
    store.close()
  }

  @Test func firstChainIsMainBranchAndSecondForks() throws {
    let all = try blocks()
    let instance = all[0].ref.instance
    try store.write {
      for one in all {
        var row = try #require(try store.branches.position(for: one.header, one.ref))
        #expect(row.isNew == (one.header.index == 0) && row.id == BranchID(instance) && row.next == one.header.index)
        try append(one.bytes, one.header, one.ref, to: &row)
        #expect(row.head == one.ref && !row.isNew)
      }
      // The same block as another one: only its digest differs.
      var other = all[1].ref
      other.digest = SHA256.hash([1])
      let place = try #require(try store.branches.position(for: all[1].header, other))
      #expect(place.isNew && place.id == BranchID(instance, forkedAt: other.digest) && place.first == 1)
      var row = place
      try append(all[1].bytes, all[1].header, other, to: &row)
      // What is behind nothing that is known has no place.
      var lost = all[2].header
      lost.previous = .zero
      #expect(try store.branches.position(for: lost, all[2].ref) == nil)
    }
    let branches = try store.branches.branches(of: instance)
    #expect(branches.map(\.id.isMainBranch) == [true, false] && branches.map(\.first) == [0, 1])
    #expect(try store.branches.siblings().map(\.id) == [branches[1].id] && store.branches.isContested(instance))
    #expect(try store.branches.branch(branches[1].id)?.head.index == 1)
    let sibling = try #require(try store.blocks.block(branches[1].id, 1))
    #expect(sibling.branch == branches[1].id)
    #expect(try store.branches.base(of: branches[1])?.ref == all[0].ref)
    #expect(try store.branches.ancestor(of: sibling, at: 0)?.ref == all[0].ref)
    #expect(try store.branches.ancestor(of: sibling, at: 2) == nil)
    #expect(try store.blocks.block(all[1].ref)?.branch == BranchID(instance))
    #expect(try store.branches.chains().map(\.head) == [all.last!.ref])
    // A head is written once for a run, and never forgotten.
    store.close()
    let again = try Store(folder: scratch.path, access: .read)
    defer { again.close() }
    #expect(try again.branches.branches().map(\.head) == branches.map(\.head))
    #expect(try again.branches.branches().map(\.lamport).max() == all.map(\.header.lamport).max())
  }

  @Test func containerStateIsStoredByContainerName() throws {
    defer { store.close() }
    let (one, two) = (UUID(high: 1, low: 1), UUID(high: 2, low: 2))
    let refs = [
      BlockRef(BranchID(one), index: 3, digest: SHA256.hash([1])),
      BlockRef(BranchID(one, fork: ForkID(high: 0, low: 0)), index: 9, digest: SHA256.hash([2])),
      BlockRef(BranchID(two, fork: ForkID(high: .max, low: .max)), index: .max, digest: SHA256.hash([3])),
    ]
    try store.write { for ref in refs { try store.peers.setSeen(ref, in: "a~00000000") } }
    #expect(try store.peers.seen(in: "a~00000000").values.map(\.branch).sorted() == refs.map(\.branch).sorted())
    #expect(try store.peers.seen(in: "a").isEmpty)
    #expect(try store.peers.seen(of: one, in: "a~00000000").count == 2)
    #expect(try store.peers.seen(refs[1].branch, in: "a~00000000") == refs[1])
    let times = try (0..<3).map { now in
      try store.write {
        try store.peers.recordQuarantined(refs[2].branch, in: "b", index: 4, reason: "gap", now: Int64(now), bytes: nil)
      }
    }
    #expect(times.map(\.syncs) == [1, 2, 3] && times.allSatisfy { $0.since == 0 })
    let apart = try #require(try store.peers.quarantine(of: refs[2].branch, in: "b"))
    #expect(apart.since == 0 && apart.index == 4 && apart.branch == refs[2].branch)
    #expect(try store.peers.quarantine(of: BranchID(two), in: "b") == nil)
    let other = try store.write {
      try store.peers.recordQuarantined(refs[2].branch, in: "b", index: 5, reason: "gap", now: 9, bytes: [1])
    }
    #expect(other.syncs == 1 && other.since == 9)
    try store.write {
      try store.peers.forgetSeen(refs[1].branch, in: "a~00000000")
      try store.peers.release(refs[2].branch, in: "b")
      try store.peers.forget("a")
    }
    #expect(try store.peers.seen(in: "a~00000000").count == 2 && store.peers.quarantine().isEmpty)
  }

  @Test func lockedHoldsLockOverSeveralTransactions() throws {
    defer { store.close() }
    let other = try Store(folder: scratch.path, access: .write, lockWait: 0)
    defer { other.close() }
    func isFree() -> Bool { (try? other.write { try other.setMeta("x", .int(1)) }) != nil }
    try store.write { try store.setMeta("n", .text("1")) }
    #expect(isFree())
    try store.locked {
      try store.write { try store.setMeta("n", .text("2")) }
      #expect(!isFree())
      try store.locked { try store.write { try store.setMeta("n", .text("3")) } }
      #expect(!isFree())
    }
    #expect(isFree())
    struct Fault: Error {}
    #expect(throws: Fault.self) {
      try store.write {
        try store.setMeta("n", .text("4"))
        // A part that fails fails the whole, whoever has caught it.
        _ = try? store.write { throw Fault() }
      }
    }
    #expect(try store.metaText("n") == "3" && isFree())
  }
}
