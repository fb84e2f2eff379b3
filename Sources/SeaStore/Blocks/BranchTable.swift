import SeaCore

/// The branches that the blocks lie in, and the chains that these belong to.
package final class BranchTable {
  let connection: Connection
  let blocks: BlockTable

  init(_ connection: Connection, _ blocks: BlockTable) {
    self.connection = connection
    self.blocks = blocks
  }

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
      FROM chain c JOIN branch s ON s.instance = c.instance AND s.fork = x'' ORDER BY c.instance
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
      FROM chain c JOIN branch s ON s.instance = c.instance AND s.fork = x'' WHERE c.instance = ?
      """)
    defer { find.reset() }
    find.bind(1, copy: instance.bytes)
    return try find.step() ? try chainRow(find) : nil
  }

  /// Whether an instance has begun its chain.
  package func hasChain(_ instance: UUID) throws(StoreError) -> Bool {
    try writeHead()
    let find = try connection.statement("SELECT 1 FROM branch WHERE instance = ? AND fork = x''")
    defer { find.reset() }
    return try find.bind(1, copy: instance.bytes).step()
  }

  /// The X25519 key that an instance has announced.
  package func exchangeKey(of instance: UUID) throws(StoreError) -> [UInt8]? {
    let find = try connection.statement("SELECT exchange FROM chain WHERE instance = ?")
    defer { find.reset() }
    find.bind(1, copy: instance.bytes)
    return try find.step() ? find.array(0) : nil
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
        }
        point.isContested = point.isContested || !branch.id.isTrunk || branch.earned < Int64(branch.head.index)
        continue
      }
      let last = min(branch.earned, (scan.optionalInt(13) ?? .max) - 1)
      guard branch.id.isTrunk, last > Int64(scan.int(11)), point.unannounced.count < Payload.mostHeads else { continue }
      if last == Int64(branch.head.index) {
        point.unannounced.append(branch.head)
        point.lamport = max(point.lamport, branch.lamport)
      } else if let row = try blocks.block(branch.id, UInt32(last)) {
        point.unannounced.append(row.ref)
        point.lamport = max(point.lamport, row.lamport)
      }
    }
    return point
  }

  /// Up to which index of a chain our own blocks have named it; −1 for nothing.
  package func announced(_ instance: UUID) throws(StoreError) -> Int64 {
    let find = try connection.statement("SELECT announced FROM chain WHERE instance = ?")
    defer { find.reset() }
    return try find.bind(1, copy: instance.bytes).step() ? Int64(find.int(0)) : -1
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
    let id = BranchID(UUID(row.bytes(1).baseAddress!), fork: try row.fork(2))
    return BranchRow(
      key: Int64(row.int(0)), id: id, first: UInt32(truncatingIfNeeded: row.int(3)), previous: previous,
      head: BlockRef(id, index: UInt32(truncatingIfNeeded: row.int(5)), digest: digest),
      lamport: UInt32(truncatingIfNeeded: row.int(7)), time: Int64(row.int(8)), earned: Int64(row.int(9)),
      isWrong: row.int(10) != 0)
  }

  /// The branches of an instance's chain, or of all: the trunk first, and what a branch left before it.
  package func branches(of instance: UUID? = nil) throws(StoreError) -> [BranchRow] {
    try writeHead()
    let scan: Statement
    if let instance {
      scan = try connection.statement(
        """
        SELECT id, instance, fork, first, previous, head, digest, lamport, time, earned, wrong FROM branch
        WHERE instance = ? ORDER BY fork > x'', first, fork
        """)
      scan.bind(1, copy: instance.bytes)
    } else {
      scan = try connection.statement(
        """
        SELECT id, instance, fork, first, previous, head, digest, lamport, time, earned, wrong FROM branch
        ORDER BY instance, fork > x'', first, fork
        """)
    }
    defer { scan.reset() }
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
    try has(instance, "SELECT EXISTS(SELECT 1 FROM branch WHERE instance = ? AND fork > x'')")
  }

  /// Whether somebody else writes to a chain, as far as it shows: it has two branches, or its last block is not earned, as what an
  /// author writes always is.
  package func isContested(_ instance: UUID) throws(StoreError) -> Bool {
    try writeHead()
    return try has(
      instance, "SELECT EXISTS(SELECT 1 FROM branch WHERE instance = ? AND (fork > x'' OR earned < head))")
  }

  private func has(_ instance: UUID, _ sql: StaticString) throws(StoreError) -> Bool {
    let find = try connection.statement(sql)
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
    find.bind(1, copy: id.instance.bytes).bind(2, fork: id.fork)
    return try find.step() ? try branchRow(find) : nil
  }

  /// The block before the first of a branch, in the one that it left; nil if it begins with block 0.
  package func base(of branch: BranchRow) throws(StoreError) -> BlockRow? {
    guard branch.first > 0 else { return nil }
    return try blocks.block(BlockRef(branch.id, index: branch.first - 1, digest: branch.previous))
  }

  /// The block at an index on the way to a block: of the same branch, or of those that lead to it.
  package func ancestor(of row: BlockRow, at index: UInt32) throws(StoreError) -> BlockRow? {
    var row = row
    while index <= row.index, let branch = try branch(row.branch) {
      if index >= branch.first { return try blocks.block(branch.id, index) }
      guard let before = try base(of: branch) else { return nil }
      row = before
    }
    return nil
  }

  /// Where a block belongs that is not known yet: behind the head of a branch, or at the beginning of a new one, then the
  /// first that came of a chain is its trunk.
  /// - Returns: nil if what is before it is not known, or another branch has the name that it would have.
  package func place(for header: BlockHeader, _ ref: BlockRef) throws(StoreError) -> BranchRow? {
    if header.index > 0 {
      let before = BlockRef(instance: ref.instance, index: header.index - 1, digest: header.previous)
      guard let row = try blocks.block(before) else { return nil }
      if let grown = try branch(row.branch), grown.head == before { return grown }
    }
    let hasTrunk = try branch(ref.branch.trunk) != nil
    let id = hasTrunk ? BranchID(ref.instance, forkedAt: ref.digest) : ref.branch.trunk
    guard try branch(id) == nil else { return nil }
    return BranchRow(
      key: 0, id: id, first: header.index, previous: header.previous,
      head: BlockRef(id, index: ref.index, digest: ref.digest), lamport: header.lamport, time: 0,
      earned: Int64(header.index) - 1)
  }

  /// Writes down how far the branch is that blocks were appended to: once for all of them.
  func writeHead() throws(StoreError) {
    guard let open = connection.state.head else { return }
    connection.state.head = nil
    let head = try connection.statement(
      "UPDATE branch SET head = ?, digest = ?, lamport = ?, time = ?, earned = ?, wrong = ? WHERE id = ?")
    head.bind(1, Int(open.index)).bind(2, copy: open.digest.bytes).bind(3, Int(open.lamport))
    head.bind(4, open.time as Int64?).bind(5, open.earned as Int64?).bind(6, open.isWrong ? 1 : 0)
    try head.bind(7, open.key as Int64?).run()
  }
}
