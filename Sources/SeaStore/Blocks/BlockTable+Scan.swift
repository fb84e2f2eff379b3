import SeaCore

extension BlockTable {
  /// The bytes of the blocks of a branch from an index on, until `body` returns false.
  package func forEachBlock(
    of branch: BranchID, from index: UInt32, _ body: (BlockRow, [UInt8]) throws -> Bool
  ) throws {
    var next = index
    while let row = try block(branch, next) {
      guard try body(row, try content.bytes(of: row)), next < .max else { return }
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
    sum.bind(1, copy: branch.instance.bytes).bind(2, fork: branch.fork)
    sum.bind(3, Int(range.lowerBound)).bind(4, Int(range.upperBound))
    return try sum.step() ? (sum.int(0), Int64(sum.int(1))) : (0, 0)
  }

  /// The label of a block that only repeats what blocks said that are purged: nobody has done anything in it.
  package static let againLabel = "kept by purge"

  /// The bytes of a run of blocks of a branch; nil if its first or its last is not here.
  package func bytes(of branch: BranchID, all range: ClosedRange<UInt32>) throws(StoreError) -> Int64? {
    guard try block(branch, range.lowerBound) != nil, try block(branch, range.upperBound) != nil else { return nil }
    return try sums(of: branch, range).bytes
  }

  /// The newest blocks in the trunk of a chain that have changed records, from below an index on (nil: from the head).
  package func operations(of instance: UUID, below index: UInt32?, limit: Int) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      """
      SELECT * FROM block_row
      WHERE instance = ? AND fork = x'' AND idx < ? AND changes > 0 AND applied = 1 AND unread IS NULL
        AND label IS NOT 'kept by purge'
      ORDER BY idx DESC LIMIT ?
      """)
    return try rows(scan.bind(1, copy: instance.bytes).bind(2, index.map { Int($0) } ?? .max).bind(3, limit))
  }

  /// One of them by its number, the newest being 0.
  package func operation(of instance: UUID, number: Int) throws(StoreError) -> BlockRow? {
    let scan = try connection.statement(
      """
      SELECT * FROM block_row
      WHERE instance = ? AND fork = x'' AND changes > 0 AND applied = 1 AND unread IS NULL
        AND label IS NOT 'kept by purge'
      ORDER BY idx DESC LIMIT 1 OFFSET ?
      """)
    return try rows(scan.bind(1, copy: instance.bytes).bind(2, number)).first
  }

  /// How many of them are newer than one at an index, and those of these whose labels begin with a text, newest first.
  package func operations(
    of instance: UUID, above index: UInt32, labelled start: String
  ) throws(StoreError) -> (count: Int, labelled: [BlockRow]) {
    let count = try connection.statement(
      """
      SELECT count(*) FROM block_row
      WHERE instance = ? AND fork = x'' AND idx > ? AND changes > 0 AND applied = 1 AND unread IS NULL
        AND label IS NOT 'kept by purge'
      """)
    count.bind(1, copy: instance.bytes).bind(2, Int(index))
    defer { count.reset() }
    let newer = try count.step() ? count.int(0) : 0
    if newer == 0 { return (0, []) }
    let scan = try connection.statement(
      """
      SELECT * FROM block_row
      WHERE instance = ? AND fork = x'' AND idx > ? AND changes > 0 AND applied = 1 AND unread IS NULL
        AND substr(label, 1, length(?3)) = ?3
      ORDER BY idx DESC
      """)
    return (newer, try rows(scan.bind(1, copy: instance.bytes).bind(2, Int(index)).bind(3, start)))
  }

  /// Those of them whose digests lie between two, at most `limit`, newest first.
  package func operations(
    of instance: UUID, from first: Digest, through last: Digest, limit: Int
  ) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      """
      SELECT * FROM block_row
      WHERE instance = ? AND fork = x'' AND digest BETWEEN ? AND ? AND changes > 0 AND applied = 1 AND unread IS NULL
        AND label IS NOT 'kept by purge'
      ORDER BY idx DESC LIMIT ?
      """)
    scan.bind(1, copy: instance.bytes).bind(2, copy: first.bytes).bind(3, copy: last.bytes)
    return try rows(scan.bind(4, limit))
  }

  /// The applied blocks of an instance behind an index, in all branches.
  package func appliedBlocks(of instance: UUID, after index: Int64) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE instance = ? AND idx > ? AND applied IN (1, 5) ORDER BY seq")
    return try rows(scan.bind(1, copy: instance.bytes).bind(2, index as Int64?))
  }

  // MARK: - Blocks whose changes are hidden

  /// Blocks that were read with a key that nothing vouches for, oldest first.
  package func hiddenBlocks() throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement("SELECT * FROM block_row WHERE unread = ? AND applied <> 0 ORDER BY seq")
    return try rows(scan.bind(1, UnreadReason.noKey.rawValue))
  }

  /// The other blocks of a sealed database that were read and lie under one of some keys, oldest first.
  package func shownBlocks(under keys: Set<Digest>) throws -> [BlockRow] {
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE unread IS NULL AND applied <> 0 AND size > 112 ORDER BY seq")
    defer { scan.reset() }
    var found: [BlockRow] = []
    while try scan.step() {
      let row = try row(scan)
      if try keys.contains(content.key(of: row)) { found.append(row) }
    }
    return found
  }

  // MARK: - Blocks that are not applied

  // `+seq` has SQLite look into the index of the few that are not applied instead of going through all blocks in order.

  /// Blocks in a state other than `applied`, oldest first.
  package func blocks(_ state: BlockState, of instance: UUID? = nil) throws(StoreError) -> [BlockRow] {
    precondition(state != .applied)
    let scan = try connection.statement(
      """
      SELECT * FROM block_row WHERE applied <> 1 AND applied = ?1 AND (?2 IS NULL OR instance = ?2) ORDER BY +seq
      """)
    return try rows(scan.bind(1, state.rawValue).bind(2, copy: instance?.bytes))
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
      let branch = BranchID(UUID(scan.bytes(0).baseAddress!), fork: try scan.fork(1))
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
