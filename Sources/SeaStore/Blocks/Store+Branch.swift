import SeaCore

/// What left the trunk of a chain, or another branch of it: the second of two blocks at one place, and what follows it.
package struct BranchRow: Sendable {
  /// The id in the table; negative.
  var key: Int64
  package var instance: UUID
  /// The first 32 bits of the first block's digest.
  package var fork: UInt32
  package var first: UInt32
  /// The digest of the block before the first, which is in another branch; of block 0, what stands in its place.
  package var previous: Digest
  package var head: BlockRef
  package var lamport: UInt32
}

extension Store {
  private static let branchColumns: StaticString = """
    SELECT id, instance, fork, first, previous, head, digest, lamport FROM branch
    WHERE ?1 IS NULL OR instance = ?1 ORDER BY instance, first, fork
    """

  /// The sibling branches of an instance, or of all: what a branch left comes before it.
  package func branches(of instance: UUID? = nil) throws(StoreError) -> [BranchRow] {
    let scan = try connection.statement(Store.branchColumns)
    defer { scan.reset() }
    scan.bind(1, copy: instance?.bytes)
    var rows: [BranchRow] = []
    while try scan.step() {
      guard scan.bytes(1).count == 16, let previous = Digest(scan.array(4)), let digest = Digest(scan.array(6)) else {
        throw .damaged("branch")
      }
      let instance = UUID(scan.bytes(1).baseAddress!)
      rows.append(
        BranchRow(
          key: Int64(scan.int(0)), instance: instance, fork: UInt32(truncatingIfNeeded: scan.int(2)),
          first: UInt32(truncatingIfNeeded: scan.int(3)), previous: previous,
          head: BlockRef(instance: instance, index: UInt32(truncatingIfNeeded: scan.int(5)), digest: digest),
          lamport: UInt32(truncatingIfNeeded: scan.int(7))))
    }
    return rows
  }

  package func branch(_ instance: UUID, _ fork: UInt32) throws(StoreError) -> BranchRow? {
    try branches(of: instance).first { $0.fork == fork }
  }

  /// A block of a trunk (`fork` nil) or of a sibling branch, at the branch's own places.
  package func block(_ instance: UUID, fork: UInt32?, _ index: UInt32) throws(StoreError) -> BlockRow? {
    guard let fork else { return try block(instance, index) }
    let find = try connection.statement(
      """
      SELECT b.seq, s.instance, b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time, b.arrived, b.label,
        s.fork
      FROM branch s JOIN block b ON b.chain = s.id WHERE s.instance = ?1 AND s.fork = ?2 AND b.idx = ?3
      """)
    defer { find.reset() }
    find.bind(1, copy: instance.bytes).bind(2, Int(fork)).bind(3, Int(index))
    return try find.step() ? try blockRow(find) : nil
  }

  /// A block by what it is, in whichever branch it lies.
  package func block(_ instance: UUID, _ index: UInt32, digest: Digest) throws(StoreError) -> BlockRow? {
    if let row = try block(instance, index), row.digest == digest { return row }
    let find = try connection.statement(
      """
      SELECT b.seq, s.instance, b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time, b.arrived, b.label,
        s.fork
      FROM branch s JOIN block b ON b.chain = s.id WHERE s.instance = ?1 AND b.idx = ?2 AND b.digest = ?3
      """)
    defer { find.reset() }
    find.bind(1, copy: instance.bytes).bind(2, Int(index)).bind(3, copy: digest.bytes)
    return try find.step() ? try blockRow(find) : nil
  }

  /// The block at an index on the way to a block: of the same branch, or of those that lead to it.
  package func ancestor(of row: BlockRow, at index: UInt32) throws(StoreError) -> BlockRow? {
    var row = row
    while index <= row.index {
      guard let fork = row.fork else { return try block(row.instance, index) }
      guard let branch = try branch(row.instance, fork) else { return nil }
      if index >= branch.first { return try block(row.instance, fork: fork, index) }
      guard let before = try block(row.instance, branch.first - 1, digest: branch.previous) else { return nil }
      row = before
    }
    return nil
  }

  /// The bytes of the blocks of a branch from an index on, until `body` returns false.
  package func forEachBlock(
    of branch: BranchRow, from index: UInt32, _ body: (BlockRow, [UInt8]) throws -> Bool
  ) throws {
    var next = max(index, branch.first)
    while let row = try block(branch.instance, fork: branch.fork, next) {
      guard try body(row, try bytes(of: row)), next < .max else { return }
      next += 1
    }
  }

  func forEachTransaction(ofForked instance: UUID, _ body: (BlockRow) throws -> Bool) throws {
    let scan = try connection.statement(
      """
      SELECT b.seq, ifnull(c.instance, s.instance), b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time,
        b.arrived, b.label, s.fork
      FROM block b LEFT JOIN chain c ON c.id = b.chain LEFT JOIN branch s ON s.id = b.chain
      WHERE b.chain IN (SELECT id FROM chain WHERE instance = ?1 UNION ALL SELECT id FROM branch WHERE instance = ?1)
      ORDER BY b.lamport DESC, s.fork DESC
      """)
    defer { scan.reset() }
    scan.bind(1, copy: instance.bytes)
    while try scan.step() { guard try body(try blockRow(scan)) else { return } }
  }

  // MARK: - Writing

  /// Where a block goes that follows one that is known.
  package enum Growth {
    case trunk
    case branch(BranchRow)
    /// It is the first that differs.
    case newBranch(BranchRow)
  }

  /// Where a block belongs that is not known yet: behind the head of a branch, or at the beginning of a new one.
  /// - Returns: nil if what is before it is not known, or another branch has the name that it would have.
  package func growth(for header: BlockHeader, _ head: BlockRef) throws(StoreError) -> Growth? {
    let trunk = try chain(head.instance)
    if header.index == 0 {
      if trunk == nil { return .trunk }
    } else {
      guard try block(head.instance, header.index - 1, digest: header.previous) != nil else { return nil }
      if let trunk, trunk.next == header.index, trunk.head.digest == header.previous { return .trunk }
    }
    let siblings = try branches(of: head.instance)
    if header.index > 0, let branch = siblings.first(where: { $0.head.digest == header.previous }) {
      return .branch(branch)
    }
    let fork = head.digest.withBytes { UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) }
    guard !siblings.contains(where: { $0.fork == fork }) else { return nil }
    return .newBranch(
      BranchRow(
        key: 0, instance: head.instance, fork: fork, first: header.index, previous: header.previous, head: head,
        lamport: header.lamport))
  }

  /// Keeps a verified block where it belongs and applies what it says, in the current transaction.
  /// - Parameter growth: from `growth(for:_:)`; afterwards where the next block of the branch goes.
  package func append(_ block: VerifiedBlock, to growth: inout Growth, arrived: Int64) throws(StoreError) -> Applied {
    var row: BranchRow
    switch growth {
    case .trunk: return try append(block, arrived: arrived)
    case .branch(let known): row = known
    case .newBranch(let new):
      row = new
      let next = try connection.statement("SELECT min(ifnull(min(id), 0), 0) - 1 FROM branch")
      guard try next.step() else { throw .damaged("branch") }
      row.key = Int64(next.int(0))
      next.reset()
      let insert = try connection.statement(
        """
        INSERT INTO branch(id, instance, fork, first, previous, head, digest, lamport) VALUES(?, ?, ?, ?, ?, -1, ?, 0)
        """)
      insert.bind(1, row.key as Int64?).bind(2, copy: row.instance.bytes).bind(3, Int(row.fork))
      try insert.bind(4, Int(row.first)).bind(5, copy: row.previous.bytes).bind(6, copy: row.head.digest.bytes).run()
    }
    let sequence = projection.nextSequence
    projection.nextSequence += 1
    try keep(block, chain: row.key, sequence: sequence, arrived: arrived)
    row.head = block.head
    row.lamport = block.header.lamport
    let head = try connection.statement("UPDATE branch SET head = ?, digest = ?, lamport = ? WHERE id = ?")
    head.bind(1, Int(row.head.index)).bind(2, copy: row.head.digest.bytes).bind(3, Int(row.lamport))
    try head.bind(4, row.key as Int64?).run()
    growth = .branch(row)
    return try take(
      block.payload, of: block.clear ?? block.bytes, sequence: sequence, isHeld: block.isHeld)
  }

  // MARK: - What is known of containers

  /// How far the folder of a branch is known to be in a container.
  package func seen(_ instance: UUID, in folder: String) throws(StoreError) -> BlockRef? {
    let find = try connection.statement("SELECT idx, digest FROM seen WHERE container = ? AND instance = ?")
    defer { find.reset() }
    find.bind(1, folder).bind(2, copy: instance.bytes)
    guard try find.step() else { return nil }
    guard let digest = Digest(find.array(1)) else { throw .damaged("seen") }
    return BlockRef(instance: instance, index: UInt32(truncatingIfNeeded: find.int(0)), digest: digest)
  }

  /// The folders of an instance's branches in a container, and how far each is known to be there.
  package func seenFolders(_ instance: UUID, in container: String) throws(StoreError) -> [String: BlockRef] {
    let scan = try connection.statement(
      "SELECT container, idx, digest FROM seen WHERE instance = ?2 AND (container = ?1 OR container GLOB ?1 || '~*')")
    defer { scan.reset() }
    scan.bind(1, container).bind(2, copy: instance.bytes)
    var folders: [String: BlockRef] = [:]
    while try scan.step() {
      guard let digest = Digest(scan.array(2)) else { throw .damaged("seen") }
      folders[scan.text(0)] = BlockRef(
        instance: instance, index: UInt32(truncatingIfNeeded: scan.int(1)), digest: digest)
    }
    return folders
  }
}

extension Store {
  /// How many changes some blocks of a trunk or branch hold, as far as they could be read, and the bytes of the blocks.
  package func sums(
    _ instance: UUID, fork: UInt32?, _ range: ClosedRange<UInt32>
  ) throws(StoreError) -> (changes: Int, bytes: Int64) {
    let sum = try connection.statement(
      """
      SELECT ifnull(sum(changes), 0), ifnull(sum(size), 0) FROM block WHERE idx BETWEEN ?3 AND ?4 AND chain =
        (SELECT id FROM chain WHERE instance = ?1 AND ?2 IS NULL
          UNION ALL SELECT id FROM branch WHERE instance = ?1 AND fork = ?2)
      """)
    defer { sum.reset() }
    sum.bind(1, copy: instance.bytes).bind(2, fork.map { Int64($0) })
    sum.bind(3, Int(range.lowerBound)).bind(4, Int(range.upperBound))
    return try sum.step() ? (sum.int(0), Int64(sum.int(1))) : (0, 0)
  }
}
