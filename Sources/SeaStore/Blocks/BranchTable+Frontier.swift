import SeaCore

extension BranchRow {
  package var run: BlockRun { BlockRun(id, first: first, last: head.index) }
}

extension BranchTable {
  /// Everything that is here.
  package func runs() throws(StoreError) -> [BlockRun] {
    var runs: [BlockRun] = []
    for branch in try branches() { runs.append(branch.run) }
    return runs
  }

  /// The heads of all branches, by branch.
  package func heads() throws(StoreError) -> [BlockRef] {
    try branches().map(\.head).sorted { $0.branch < $1.branch }
  }

  /// Adds a block and all that are before it to a frontier.
  package func extend(_ frontier: inout Frontier, to row: BlockRow) throws(StoreError) {
    var row = row
    while frontier.raise(row.branch, to: row.index) {
      guard let branch = try branch(row.branch), let before = try base(of: branch) else { return }
      row = before
    }
  }

  /// Adds what somebody says to have, as far as it is known here.
  package func extend(_ frontier: inout Frontier, to ref: BlockRef) throws(StoreError) {
    if let row = try blocks.block(ref) { try extend(&frontier, to: row) }
  }

  /// What the blocks of a run are, in order.
  package func outlines(_ run: BlockRun) throws(StoreError) -> [BlockOutline] {
    try writeHead()
    let scan = try connection.statement(
      """
      SELECT b.idx, b.size, b.digest FROM branch s JOIN block b ON b.branch = s.id
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
          index: UInt32(truncatingIfNeeded: scan.int(0)), size: scan.int(1), digest: Digest(scan.bytes(2).baseAddress!))
      )
    }
    return outlines
  }

  /// Blocks by falling Lamport time, read as they are asked for: of one chain along its index, unless it is forked.
  /// - Parameter moment: only those that were here then; nil for all.
  package func forEachTransaction(
    of instance: UUID?, until moment: Moment? = nil, _ body: (BlockRow) throws -> Bool
  ) throws {
    let scan: Statement
    // `+seq` keeps SQLite from going along the order of arrival and sorting.
    if let instance, try !isForked(instance) {
      scan = try connection.statement(
        "SELECT * FROM block_row WHERE +seq <= ?1 AND instance = ?2 AND fork = x'' ORDER BY idx DESC")
    } else if instance != nil {
      scan = try connection.statement(
        "SELECT * FROM block_row WHERE +seq <= ?1 AND instance = ?2 ORDER BY lamport DESC, fork DESC")
    } else {
      scan = try connection.statement(
        "SELECT * FROM block_row WHERE +seq <= ?1 ORDER BY lamport DESC, instance DESC, fork DESC")
    }
    scan.bind(1, moment?.sequence ?? .max)
    if let instance { scan.bind(2, copy: instance.bytes) }
    defer { scan.reset() }
    while try scan.step() { guard try body(try blocks.row(scan)) else { return } }
  }
}
