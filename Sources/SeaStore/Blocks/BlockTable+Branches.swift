import SeaCore

extension BlockTable {
  // MARK: - Chains

  private func chainRow(_ row: Statement) throws(StoreError) -> ChainRow {
    ChainRow(trunk: try branchRow(row), publicKey: row.array(12), name: row.text(11))
  }

  /// All chains, by instance.
  package func chains() throws(StoreError) -> [ChainRow] {
    try writeHead()
    let scan = try connection.statement(
      """
      SELECT s.id, s.instance, s.fork, s.first, s.previous, s.head, s.digest, s.lamport, s.time, s.earned, s.wrong,
        c.name, c.key
      FROM chain c JOIN branch s ON s.instance = c.instance AND s.fork = -1 ORDER BY c.instance
      """)
    defer { scan.reset() }
    var rows: [ChainRow] = []
    while try scan.step() { rows.append(try chainRow(scan)) }
    return rows
  }

  package func chain(_ instance: UUID) throws(StoreError) -> ChainRow? {
    try writeHead()
    let find = try connection.statement(
      """
      SELECT s.id, s.instance, s.fork, s.first, s.previous, s.head, s.digest, s.lamport, s.time, s.earned, s.wrong,
        c.name, c.key
      FROM chain c JOIN branch s ON s.instance = c.instance AND s.fork = -1 WHERE c.instance = ?
      """)
    defer { find.reset() }
    find.bind(1, copy: instance.bytes)
    return try find.step() ? try chainRow(find) : nil
  }

  /// The X25519 key that an instance has announced.
  package func exchangeKey(of instance: UUID) throws(StoreError) -> [UInt8]? {
    let find = try connection.statement("SELECT exchange FROM chain WHERE instance = ?")
    defer { find.reset() }
    find.bind(1, copy: instance.bytes)
    return try find.step() ? find.array(0) : nil
  }

  /// The greatest Lamport time known; 0 in an empty store.
  package func greatestLamport() throws(StoreError) -> UInt32 {
    try writeHead()
    let find = try connection.statement("SELECT ifnull(max(lamport), 0) FROM branch")
    defer { find.reset() }
    return try find.step() ? UInt32(truncatingIfNeeded: find.int(0)) : 0
  }

  /// Where the next block of an author goes: all that he must know of all branches, in one look.
  package func appendPoint(of author: UUID) throws(StoreError) -> AppendPoint {
    try writeHead()
    let scan = try connection.statement(
      """
      SELECT s.id, s.instance, s.fork, s.first, s.previous, s.head, s.digest, s.lamport, s.time, s.earned, s.wrong,
        c.announced, c.key, (SELECT min(b.idx) FROM block b WHERE b.branch = s.id AND b.applied <> 1 AND b.applied IN (2, 4))
      FROM branch s JOIN chain c ON c.instance = s.instance ORDER BY s.instance
      """)
    defer { scan.reset() }
    var point = AppendPoint()
    while try scan.step() {
      let branch = try branchRow(scan)
      if branch.instance == author {
        if branch.id.isTrunk {
          (point.trunk, point.publicKey) = (branch, scan.array(12))
          point.lamport = max(point.lamport, branch.lamport)
        } else {
          point.isForked = true
        }
        continue
      }
      let last = min(branch.earned, (scan.optionalInt(13) ?? .max) - 1)
      guard branch.id.isTrunk, last > Int64(scan.int(11)), point.unannounced.count < Payload.mostHeads else { continue }
      if last == Int64(branch.head.index) {
        point.unannounced.append(branch.head)
        point.lamport = max(point.lamport, branch.lamport)
      } else if let row = try block(branch.id, UInt32(last)) {
        point.unannounced.append(row.ref)
        point.lamport = max(point.lamport, row.lamport)
      }
    }
    return point
  }

  /// Notes that our own blocks have named these heads.
  func announce(_ heads: [BlockRef]) throws(StoreError) {
    guard !heads.isEmpty else { return }
    let update = try connection.statement("UPDATE chain SET announced = ? WHERE instance = ?")
    for head in heads { try update.bind(1, Int(head.index)).bind(2, copy: head.instance.bytes).run() }
  }

  // MARK: - Branches

  private func branchRow(_ row: Statement) throws(StoreError) -> BranchRow {
    guard row.bytes(1).count == 16, let previous = Digest(row.array(4)), let digest = Digest(row.array(6)) else {
      throw .damaged("branch")
    }
    let id = BranchID(UUID(row.bytes(1).baseAddress!), fork: fork(row.int(2)))
    return BranchRow(
      key: Int64(row.int(0)), id: id, first: UInt32(truncatingIfNeeded: row.int(3)), previous: previous,
      head: BlockRef(id, index: UInt32(truncatingIfNeeded: row.int(5)), digest: digest),
      lamport: UInt32(truncatingIfNeeded: row.int(7)), time: Int64(row.int(8)), earned: Int64(row.int(9)),
      isWrong: row.int(10) != 0)
  }

  /// The branches of an instance's chain, or of all: the trunk first, and what a branch left before it.
  package func branches(of instance: UUID? = nil) throws(StoreError) -> [BranchRow] {
    try writeHead()
    let scan = try connection.statement(
      """
      SELECT id, instance, fork, first, previous, head, digest, lamport, time, earned, wrong FROM branch
      WHERE ?1 IS NULL OR instance = ?1 ORDER BY instance, fork >= 0, first, fork
      """)
    defer { scan.reset() }
    scan.bind(1, copy: instance?.bytes)
    var rows: [BranchRow] = []
    while try scan.step() { rows.append(try branchRow(scan)) }
    return rows
  }

  /// The branches that left the trunk of a chain, or of all chains, or another branch.
  package func siblings(of instance: UUID? = nil) throws(StoreError) -> [BranchRow] {
    try branches(of: instance).filter { !$0.id.isTrunk }
  }

  /// Whether a chain has more than its trunk.
  package func isForked(_ instance: UUID) throws(StoreError) -> Bool {
    let find = try connection.statement("SELECT EXISTS(SELECT 1 FROM branch WHERE instance = ? AND fork >= 0)")
    defer { find.reset() }
    find.bind(1, copy: instance.bytes)
    return try find.step() && find.int(0) != 0
  }

  package func branch(_ id: BranchID) throws(StoreError) -> BranchRow? {
    try writeHead()
    let find = try connection.statement(
      """
      SELECT id, instance, fork, first, previous, head, digest, lamport, time, earned, wrong FROM branch WHERE instance = ? AND fork = ?
      """)
    defer { find.reset() }
    find.bind(1, copy: id.instance.bytes).bind(2, number(id.fork))
    return try find.step() ? try branchRow(find) : nil
  }

  /// The block before the first of a branch, in the one that it left; nil if it begins with block 0.
  package func base(of branch: BranchRow) throws(StoreError) -> BlockRow? {
    guard branch.first > 0 else { return nil }
    return try block(BlockRef(branch.id, index: branch.first - 1, digest: branch.previous))
  }

  /// The block at an index on the way to a block: of the same branch, or of those that lead to it.
  package func ancestor(of row: BlockRow, at index: UInt32) throws(StoreError) -> BlockRow? {
    var row = row
    while index <= row.index, let branch = try branch(row.branch) {
      if index >= branch.first { return try block(branch.id, index) }
      guard let before = try base(of: branch) else { return nil }
      row = before
    }
    return nil
  }

  /// Where a block belongs that is not known yet: behind the head of a branch, or at the beginning of a new one, then the
  /// first that came of a chain is its trunk.
  /// - Returns: nil if what is before it is not known, or another branch has the name that it would have.
  package func place(for header: BlockHeader, _ ref: BlockRef) throws(StoreError) -> BranchRow? {
    let branches = try branches(of: ref.instance)
    if header.index > 0 {
      let before = BlockRef(instance: ref.instance, index: header.index - 1, digest: header.previous)
      if let grown = branches.first(where: { $0.head == before }) { return grown }
      guard try block(before) != nil else { return nil }
    }
    let id = branches.isEmpty ? BranchID(ref.instance) : BranchID(ref.instance, forkedAt: ref.digest)
    guard !branches.contains(where: { $0.id == id }) else { return nil }
    return BranchRow(
      key: 0, id: id, first: header.index, previous: header.previous,
      head: BlockRef(id, index: ref.index, digest: ref.digest), lamport: header.lamport, time: 0,
      earned: Int64(header.index) - 1)
  }

  // MARK: - Runs of blocks

  /// The bytes of the blocks of a branch from an index on, until `body` returns false.
  package func forEachBlock(
    of branch: BranchID, from index: UInt32, _ body: (BlockRow, [UInt8]) throws -> Bool
  ) throws {
    var next = index
    while let row = try block(branch, next) {
      guard try body(row, try bytes(of: row)), next < .max else { return }
      next += 1
    }
  }

  /// How many changes some blocks of a branch hold, as far as they could be read, and the bytes of the blocks.
  package func sums(
    of branch: BranchID, _ range: ClosedRange<UInt32>
  ) throws(StoreError) -> (changes: Int, bytes: Int64) {
    let sum = try connection.statement(
      """
      SELECT ifnull(sum(changes), 0), ifnull(sum(size), 0) FROM block_row
      WHERE instance = ? AND fork = ? AND idx BETWEEN ? AND ?
      """)
    defer { sum.reset() }
    sum.bind(1, copy: branch.instance.bytes).bind(2, number(branch.fork))
    sum.bind(3, Int(range.lowerBound)).bind(4, Int(range.upperBound))
    return try sum.step() ? (sum.int(0), Int64(sum.int(1))) : (0, 0)
  }

  /// Blocks by falling Lamport time, read as they are asked for: of one chain along its index, unless it is forked.
  package func forEachTransaction(of instance: UUID?, _ body: (BlockRow) throws -> Bool) throws {
    let scan: Statement
    if let instance, try !isForked(instance) {
      scan = try connection.statement("SELECT * FROM block_row WHERE instance = ? AND fork = -1 ORDER BY idx DESC")
      scan.bind(1, copy: instance.bytes)
    } else if let instance {
      scan = try connection.statement("SELECT * FROM block_row WHERE instance = ? ORDER BY lamport DESC, fork DESC")
      scan.bind(1, copy: instance.bytes)
    } else {
      scan = try connection.statement("SELECT * FROM block_row ORDER BY lamport DESC, instance DESC, fork DESC")
    }
    defer { scan.reset() }
    while try scan.step() { guard try body(try row(scan)) else { return } }
  }

  /// The newest blocks in the trunk of a chain that have changed records, from below an index on (nil: from the head).
  package func operations(of instance: UUID, below index: UInt32?, limit: Int) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      """
      SELECT * FROM block_row
      WHERE instance = ? AND fork = -1 AND idx < ? AND changes > 0 AND applied = 1 ORDER BY idx DESC LIMIT ?
      """)
    return try rows(scan.bind(1, copy: instance.bytes).bind(2, index.map { Int($0) } ?? .max).bind(3, limit))
  }

  /// Those of them whose digests lie between two, at most `limit`.
  package func operations(
    of instance: UUID, from first: Digest, through last: Digest, limit: Int
  ) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      """
      SELECT * FROM block_row
      WHERE instance = ? AND fork = -1 AND digest BETWEEN ? AND ? AND changes > 0 AND applied = 1 LIMIT ?
      """)
    scan.bind(1, copy: instance.bytes).bind(2, copy: first.bytes).bind(3, copy: last.bytes)
    return try rows(scan.bind(4, limit))
  }

  /// The applied blocks of an instance behind an index, in all branches.
  package func appliedBlocks(of instance: UUID, after index: Int64) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE instance = ? AND idx > ? AND applied = 1 ORDER BY seq")
    return try rows(scan.bind(1, copy: instance.bytes).bind(2, index as Int64?))
  }

  // MARK: - Blocks that are not applied

  /// Blocks in a state other than `applied`, oldest first.
  package func blocks(_ state: BlockState, of instance: UUID? = nil) throws(StoreError) -> [BlockRow] {
    precondition(state != .applied)
    let scan = try connection.statement(
      """
      SELECT * FROM block_row WHERE applied <> 1 AND applied = ?1 AND (?2 IS NULL OR instance = ?2) ORDER BY seq
      """)
    return try rows(scan.bind(1, state.rawValue).bind(2, copy: instance?.bytes))
  }

  /// Blocks of which only the hash is here.
  package func removed() throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE applied <> 1 AND applied = ? AND size = ? ORDER BY seq")
    return try rows(scan.bind(1, BlockState.unread.rawValue).bind(2, BlockHeader.size + Digest.size))
  }

  /// The first block of each branch that was not read for a reason, removed ones excepted.
  package func unreadBlocks() throws(StoreError) -> [(branch: BranchID, reason: UnreadReason, first: UInt32)] {
    let scan = try connection.statement(
      """
      SELECT instance, fork, unread, min(idx) FROM block_row
      WHERE applied <> 1 AND applied = 0 AND size > 112 GROUP BY instance, fork, unread ORDER BY instance, fork, unread
      """)
    defer { scan.reset() }
    var found: [(branch: BranchID, reason: UnreadReason, first: UInt32)] = []
    while try scan.step() {
      guard scan.bytes(0).count == 16 else { throw .damaged("block") }
      let branch = BranchID(UUID(scan.bytes(0).baseAddress!), fork: fork(scan.int(1)))
      let reason = UnreadReason(rawValue: scan.int(2)) ?? .notReadable
      found.append((branch, reason, UInt32(truncatingIfNeeded: scan.int(3))))
    }
    return found
  }

  /// How many blocks of each instance are held.
  package func heldBlocks() throws(StoreError) -> [(instance: UUID, blocks: Int, first: UInt32)] {
    let scan = try connection.statement(
      """
      SELECT instance, count(*), min(idx) FROM block_row WHERE applied <> 1 AND applied IN (2, 4)
      GROUP BY instance ORDER BY instance
      """)
    defer { scan.reset() }
    var found: [(instance: UUID, blocks: Int, first: UInt32)] = []
    while try scan.step() {
      guard scan.bytes(0).count == 16 else { throw .damaged("block") }
      found.append((UUID(scan.bytes(0).baseAddress!), scan.int(1), UInt32(truncatingIfNeeded: scan.int(2))))
    }
    return found
  }
}
