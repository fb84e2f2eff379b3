import SeaCore

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

  package func hasChain(_ instance: UUID) throws(StoreError) -> Bool {
    try writeHead()
    let find = try connection.statement("SELECT 1 FROM branch WHERE instance = ? AND fork = x''")
    defer { find.reset() }
    return try find.bind(1, copy: instance.bytes).step()
  }

  package func exchangeKey(of instance: UUID) throws(StoreError) -> [UInt8]? {
    let find = try connection.statement("SELECT exchange FROM chain WHERE instance = ?")
    defer { find.reset() }
    find.bind(1, copy: instance.bytes)
    return try find.step() ? find.array(0) : nil
  }

  /// Returns the position of an author's next block. The data about all other branches is read in a single query.
  package func appendPoint(of author: UUID) throws(StoreError) -> AppendPoint {
    try writeHead()
    let scan = try connection.statement(
      """
      SELECT s.id, s.instance, s.fork, s.first, s.previous, s.head, s.digest, s.lamport, s.time, s.earned, s.wrong,
        c.announced, c.key
      FROM branch s JOIN chain c ON c.instance = s.instance ORDER BY s.instance
      """)
    defer { scan.reset() }
    var point = AppendPoint()
    while try scan.step() {
      let branch = try branchRow(scan)
      if branch.instance == author {
        if branch.id.isMainBranch {
          (point.trunk, point.publicKey) = (branch, scan.array(12))
          point.lamport = max(point.lamport, branch.lamport)
        }
        point.isContested =
          point.isContested || !branch.id.isMainBranch || branch.lastProvenIndex < Int64(branch.head.index)
        continue
      }
      let announced = Int64(scan.int(11))
      guard branch.id.isMainBranch, branch.lastProvenIndex > announced,
        point.unannounced.count < BlockHeader.mostHeads
      else { continue }
      let last = min(branch.lastProvenIndex, (try firstPending(in: branch.key) ?? .max) - 1)
      guard last > announced else { continue }
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

  /// Returns the index of the first block of a branch that is not applied yet but may be later, or nil.
  private func firstPending(in branch: Int64) throws(StoreError) -> Int64? {
    let find = try connection.statement(
      "SELECT min(idx) FROM block WHERE branch = ? AND applied <> 1 AND applied IN (2, 4)")
    defer { find.reset() }
    return try find.bind(1, Int(branch)).step() ? find.optionalInt(0) : nil
  }

  /// Returns the greatest index of a chain that this instance's blocks have referred to, or −1.
  package func announced(_ instance: UUID) throws(StoreError) -> Int64 {
    let find = try connection.statement("SELECT announced FROM chain WHERE instance = ?")
    defer { find.reset() }
    return try find.bind(1, copy: instance.bytes).step() ? Int64(find.int(0)) : -1
  }

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
      lamport: UInt32(truncatingIfNeeded: row.int(7)), time: Int64(row.int(8)), lastProvenIndex: Int64(row.int(9)),
      isWrong: row.int(10) != 0)
  }

  /// Returns the branches of one chain or of all chains. The main branch comes first, and each branch precedes the
  /// branches that fork from it.
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

  package func siblings(of instance: UUID? = nil) throws(StoreError) -> [BranchRow] {
    try branches(of: instance).filter { !$0.id.isMainBranch }
  }

  package func isForked(_ instance: UUID) throws(StoreError) -> Bool {
    try has(instance, "SELECT EXISTS(SELECT 1 FROM branch WHERE instance = ? AND fork > x'')")
  }

  /// Whether another writer visibly uses a chain, because the chain has two branches or the clock of its last block is
  /// not earned. The true author's clocks are always earned.
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

  /// Returns the block that precedes the first block of a branch and is in another branch. Returns nil if the branch
  /// begins with block 0.
  package func base(of branch: BranchRow) throws(StoreError) -> BlockRow? {
    guard branch.first > 0 else { return nil }
    return try blocks.block(BlockRef(branch.id, index: branch.first - 1, digest: branch.previous))
  }

  /// Returns the ancestor of a block at an index, in the same branch or in a branch that it forks from.
  package func ancestor(of row: BlockRow, at index: UInt32) throws(StoreError) -> BlockRow? {
    var row = row
    while index <= row.index, let branch = try branch(row.branch) {
      if index >= branch.first { return try blocks.block(branch.id, index) }
      guard let before = try base(of: branch) else { return nil }
      row = before
    }
    return nil
  }

  /// Returns the position of a new block, which is either after the head of a branch or at the beginning of a new
  /// branch. The branch of a chain that arrives first is its main branch.
  /// - Returns: nil if the previous block is unknown, or if another branch already has the name.
  package func position(for header: BlockHeader, _ ref: BlockRef) throws(StoreError) -> BranchRow? {
    if header.index > 0 {
      let before = BlockRef(instance: ref.instance, index: header.index - 1, digest: header.previous)
      guard let row = try blocks.block(before) else { return nil }
      if let grown = try branch(row.branch), grown.head == before { return grown }
    }
    let hasTrunk = try branch(ref.branch.mainBranch) != nil
    let id = hasTrunk ? BranchID(ref.instance, forkedAt: ref.digest) : ref.branch.mainBranch
    guard try branch(id) == nil else { return nil }
    return BranchRow(
      key: 0, id: id, first: header.index, previous: header.previous,
      head: BlockRef(id, index: ref.index, digest: ref.digest), lamport: header.lamport, time: 0,
      lastProvenIndex: Int64(header.index) - 1)
  }

  /// Writes the head of the branch that blocks were appended to. A single write is enough for all of these blocks.
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

extension BranchTable {
  /// Returns, for each branch, the last index with an earned clock, and the first index with a wrong clock or −1.
  package func earnedClocks() throws(StoreError) -> [BranchID: [Int64]] {
    var clocks: [BranchID: [Int64]] = [:]
    for row in try branches() { clocks[row.id] = [row.lastProvenIndex, row.wrongFrom.map { Int64($0) } ?? -1] }
    return clocks
  }

  /// Whether some branches have clocks that new blocks could still decide.
  package func hasOpenClocks() throws(StoreError) -> Bool {
    try writeHead()
    let some = try connection.statement("SELECT EXISTS(SELECT 1 FROM branch WHERE earned < head AND wrong = 0)")
    defer { some.reset() }
    return try some.step() && some.int(0) != 0
  }

  /// Returns the Lamport time of the last block up to `row` whose clock is earned, including blocks of parent branches,
  /// or 0.
  func earnedTime(upTo row: BlockRow) throws(StoreError) -> UInt32 {
    if row.isEarned { return row.lamport }
    var next = try branch(row.branch)
    var index = Int64(row.index)
    while let branch = next {
      let last = min(branch.lastProvenIndex, index)
      if last >= Int64(branch.first) { return try blocks.block(branch.id, UInt32(last))?.lamport ?? 0 }
      guard branch.first > 0, let base = try base(of: branch) else { return 0 }
      (next, index) = (try self.branch(base.branch), Int64(base.index))
    }
    return 0
  }

  package func wrongClocks() throws(StoreError) -> [(branch: BranchID, index: UInt32)] {
    try branches().compactMap { row in row.wrongFrom.map { (row.id, $0) } }
  }
}

extension BranchRow {
  package var run: BlockRun { BlockRun(id, first: first, last: head.index) }
}

extension BranchTable {
  package func runs() throws(StoreError) -> [BlockRun] {
    var runs: [BlockRun] = []
    for branch in try branches() { runs.append(branch.run) }
    return runs
  }

  package func heads() throws(StoreError) -> [BlockRef] {
    try branches().map(\.head).sorted { $0.branch < $1.branch }
  }

  package func extend(_ frontier: inout VersionVector, to row: BlockRow) throws(StoreError) {
    var row = row
    while frontier.raise(row.branch, to: row.index) {
      guard let branch = try branch(row.branch), let before = try base(of: branch) else { return }
      row = before
    }
  }

  /// Adds the head that another instance reports to a version vector, if the block is stored here.
  package func extend(_ frontier: inout VersionVector, to ref: BlockRef) throws(StoreError) {
    if let row = try blocks.block(ref) { try extend(&frontier, to: row) }
  }

  package func outlines(_ run: BlockRun) throws(StoreError) -> [BlockOutline] {
    try writeHead()
    let scan = try connection.statement(
      """
      SELECT b.idx, b.size, b.digest, b.whole FROM branch s JOIN block b ON b.branch = s.id
      WHERE s.instance = ? AND s.fork = ? AND b.idx BETWEEN ? AND ? ORDER BY b.idx
      """)
    defer { scan.reset() }
    scan.bind(1, copy: run.branch.instance.bytes).bind(2, fork: run.branch.fork)
    scan.bind(3, Int(run.first)).bind(4, Int(run.last))
    var outlines: [BlockOutline] = []
    while try scan.step() {
      guard scan.bytes(2).count == Digest.size else { throw .damaged("block") }
      outlines.append(
        BlockOutline(
          index: UInt32(truncatingIfNeeded: scan.int(0)), size: scan.int(1), digest: Digest(scan.bytes(2).baseAddress!),
          isRemoved: scan.int(3) != 0)
      )
    }
    return outlines
  }

  /// Visits blocks in order of decreasing Lamport time, reading them on demand. In a chain without forks, this is the
  /// order of decreasing index.
  /// - Parameter moment: if given, only blocks that had arrived by then are visited.
  package func forEachTransaction(
    of instance: UUID?, until moment: Moment? = nil, _ body: (BlockRow) throws -> Bool
  ) throws {
    try writeHead()
    // Lamport times increase within each branch. The query begins with the last block of each branch, and replaces each
    // block that it returns with the previous block of the same branch.
    let scan = try connection.statement(
      """
      WITH RECURSIVE newest AS (
        SELECT r.* FROM branch s JOIN block_row r ON r.instance = s.instance AND r.fork = s.fork AND r.idx = s.head
        WHERE ?2 IS NULL OR s.instance = ?2
        UNION ALL
        SELECT r.* FROM newest n JOIN block_row r ON r.instance = n.instance AND r.fork = n.fork AND r.idx = n.idx - 1
        ORDER BY lamport DESC, instance DESC, fork DESC)
      SELECT * FROM newest WHERE seq <= ?1
      """)
    scan.bind(1, moment?.sequence ?? .max).bind(2, copy: instance?.bytes)
    defer { scan.reset() }
    while try scan.step() { guard try body(try blocks.row(scan)) else { return } }
  }
}
