import SeaCore

extension BranchRow {
  package var run: BlockRun { BlockRun(id, first: first, last: head.index) }
}

extension BlockTable {
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
    if let row = try block(ref) { try extend(&frontier, to: row) }
  }

  /// A block as it was when it was taken in: what this disk has damaged does not go on to others.
  /// - Throws: `damaged`.
  package func intactBytes(of row: BlockRow) throws(StoreError) -> [UInt8] {
    let bytes = try bytes(of: row)
    let digest = bytes.withUnsafeBytes { bytes -> Digest? in
      guard let header = try? BlockHeader(bytes), header.blockSize == bytes.count else { return nil }
      return header.digest(of: bytes)
    }
    guard digest == row.digest else { throw .damaged("block \(row.ref)") }
    return bytes
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
    scan.bind(1, copy: run.branch.instance.bytes).bind(2, number(run.branch.fork))
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
}
