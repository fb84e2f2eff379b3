import SeaCore

/// Provides stored blocks to `ClockEvaluation`. The keys of the rows identify the branches.
final class StoredClockSource: ClockFacts {
  typealias Failure = any Error
  private let tables: BranchTable
  private let rows: [Int: BranchRow]
  private let numbers: [BranchID: Int]
  private var keys: [UUID: [Int]] = [:]
  private var leaving: [UUID: [Int: [Int]]] = [:]
  private var connection: Connection { tables.connection }
  private var blocks: BlockTable { tables.blocks }

  init(_ tables: BranchTable) throws(StoreError) {
    self.tables = tables
    let all = try tables.branches()
    rows = Dictionary(uniqueKeysWithValues: all.map { (Int($0.key), $0) })
    numbers = Dictionary(uniqueKeysWithValues: all.map { ($0.id, Int($0.key)) })
    for branch in all { keys[branch.instance, default: []].append(Int(branch.key)) }
  }

  var branches: [Int: ClockBranch] {
    rows.mapValues {
      ClockBranch(
        first: Int($0.first), end: Int($0.head.index) + 1, next: Int($0.lastProvenIndex) + 1, isWrong: $0.isWrong)
    }
  }

  func block(_ key: Int, _ index: Int) throws -> ClockBlock? {
    guard let branch = rows[key], let row = try blocks.block(branch.id, UInt32(index)) else { return nil }
    return ClockBlock(lamport: row.lamport, heads: try blocks.content.heads(of: row))
  }

  func lamport(_ key: Int, _ index: Int) throws -> UInt32 {
    try rows[key].flatMap { try blocks.block($0.id, UInt32(index)) }?.lamport ?? 0
  }

  func base(of key: Int) -> BlockRef? {
    guard let branch = rows[key], branch.first > 0 else { return nil }
    return BlockRef(branch.id, index: branch.first - 1, digest: branch.previous)
  }

  func siblings(leaving key: Int) throws -> [Int] {
    guard let instance = rows[key]?.instance else { return [] }
    if leaving[instance] == nil {
      var found: [Int: [Int]] = [:]
      for sibling in keys[instance] ?? [] {
        if let base = try base(of: sibling).flatMap(locate) { found[base.branch, default: []].append(sibling) }
      }
      leaving[instance] = found
    }
    return leaving[instance]?[key] ?? []
  }

  func locate(_ head: BlockRef) throws -> ClockPlace? {
    if let trunk = keys[head.instance]?.first {
      let find = try connection.statement("SELECT lamport, digest FROM block WHERE branch = ? AND idx = ?")
      defer { find.reset() }
      find.bind(1, trunk).bind(2, Int(head.index))
      if try find.step(), Digest(find.array(1)) == head.digest {
        return ClockPlace(branch: trunk, index: Int(head.index), lamport: UInt32(truncatingIfNeeded: find.int(0)))
      }
    }
    return try blocks.block(head).flatMap(clockPlace)
  }

  func clockPlace(of row: BlockRow) -> ClockPlace? {
    numbers[row.branch].map { ClockPlace(branch: $0, index: Int(row.index), lamport: row.lamport) }
  }

  // MARK: - Judging

  /// Decides which clocks are earned and which are wrong, and stores the result. Undoes blocks with a wrong clock.
  /// - Returns: the branches with wrong clocks, the number of their blocks that had been applied, and the first block
  ///   whose clock is newly earned.
  func judge() throws -> (wrong: [(branch: BranchID, index: UInt32)], takenBack: Int, firstEarned: Int64?) {
    let open = try connection.statement("SELECT id, awaits FROM branch WHERE earned < head AND wrong = 0 ORDER BY id")
    var awaited: [(key: Int, head: BlockRef?)] = []
    while try open.step() { awaited.append((open.int(0), BlockRef(awaited: open.bytes(1)))) }
    open.reset()
    var judge = ClockEvaluation(branches)
    // The head that a branch is waiting for may still be missing.
    try judge.run(awaited.filter { try $0.head.map { try locate($0) != nil } ?? true }.map(\.key), self)
    var earned: [Int64] = []
    for (key, missing) in judge.awaited {
      let (branch, row) = (judge.branches[key]!, rows[key]!)
      let update = try connection.statement("UPDATE branch SET earned = ?, wrong = ?, awaits = ? WHERE id = ?")
      update.bind(1, branch.next - 1).bind(2, branch.isWrong ? 1 : 0).bind(3, copy: missing?.awaited)
      try update.bind(4, key).run()
      let first = UInt32(row.lastProvenIndex + 1)
      if branch.isEarned(Int(first)), let block = try blocks.block(row.id, first) { earned.append(block.sequence) }
    }
    var takenBack = 0
    for key in judge.wrong {
      let from = judge.branches[key]!.next
      let applied = try connection.statement(
        "SELECT count(*) FROM block WHERE branch = ? AND idx >= ? AND applied IN (1, 5)")
      applied.bind(1, key).bind(2, from)
      if try applied.step() { takenBack += applied.int(0) }
      applied.reset()
      let update = try connection.statement(
        "UPDATE block SET applied = 3 WHERE branch = ? AND idx >= ? AND applied <> 0")
      try update.bind(1, key).bind(2, from).run()
    }
    return (judge.wrong.map { (rows[$0]!.id, UInt32(judge.branches[$0]!.next)) }, takenBack, earned.min())
  }
}

extension BlockRef {
  /// The encoding in the column `branch.awaits`.
  fileprivate var awaited: [UInt8] {
    instance.bytes + withUnsafeBytes(of: index.bigEndian) { Array($0) } + digest.bytes
  }

  fileprivate init?(awaited bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 + 4 + Digest.size, let base = bytes.baseAddress else { return nil }
    self.init(
      instance: UUID(base), index: UInt32(bigEndian: base.loadUnaligned(fromByteOffset: 16, as: UInt32.self)),
      digest: Digest(base + 20))
  }
}
