import CSQLite
import SeaCore

/// A chain as this instance knows it.
package struct ChainRow: Sendable {
  package var key: Int64
  package var head: BlockRef
  package var lamport: UInt32
  package var publicKey: [UInt8]
  package var name: String
  /// The author's clock in the newest block, milliseconds since 1970.
  package var time: Int64
  /// The newest index that a block of our own has named.
  package var announced: Int64
  /// The index of the next block.
  var next: UInt32

  package var instance: UUID { head.instance }
}

extension Store {
  private static let chainColumns: StaticString = """
    SELECT id, instance, head, digest, lamport, key, name, time, announced FROM chain ORDER BY instance
    """

  package func chains() throws(StoreError) -> [ChainRow] {
    try writeHead()
    let statement = try connection.statement(Store.chainColumns)
    defer { statement.reset() }
    var rows: [ChainRow] = []
    while try statement.step() { rows.append(try chainRow(statement)) }
    return rows
  }

  package func chain(_ instance: UUID) throws(StoreError) -> ChainRow? {
    if let open = projection.chain, open.instance == instance { return open }
    let statement = try connection.statement(
      "SELECT id, instance, head, digest, lamport, key, name, time, announced FROM chain WHERE instance = ?")
    defer { statement.reset() }
    statement.bind(1, copy: instance.bytes)
    return try statement.step() ? try chainRow(statement) : nil
  }

  private func chainRow(_ row: Statement) throws(StoreError) -> ChainRow {
    guard row.bytes(1).count == 16, let digest = Digest(row.array(3)) else { throw .damaged("chain") }
    let instance = UUID(row.bytes(1).baseAddress!)
    return ChainRow(
      key: Int64(row.int(0)),
      head: BlockRef(instance: instance, index: UInt32(truncatingIfNeeded: row.int(2)), digest: digest),
      lamport: UInt32(truncatingIfNeeded: row.int(4)), publicKey: row.array(5), name: row.text(6),
      time: Int64(row.int(7)), announced: Int64(row.int(8)), next: UInt32(truncatingIfNeeded: row.int(2) + 1))
  }

  /// The greatest Lamport time known; 0 in an empty store.
  package func greatestLamport() throws(StoreError) -> UInt32 {
    try writeHead()
    let statement = try connection.statement(
      "SELECT max((SELECT ifnull(max(lamport), 0) FROM chain), (SELECT ifnull(max(lamport), 0) FROM branch))")
    defer { statement.reset() }
    return try statement.step() ? UInt32(truncatingIfNeeded: statement.int(0)) : 0
  }

  /// Notes that our own blocks have named these heads.
  package func announce(_ heads: [BlockRef]) throws(StoreError) {
    try writeHead()
    projection.chain = nil
    let statement = try connection.statement("UPDATE chain SET announced = ? WHERE instance = ?")
    for head in heads { try statement.bind(1, Int(head.index)).bind(2, copy: head.instance.bytes).run() }
  }

  /// Keeps a block behind the head of its chain and applies what it says, in the current transaction.
  /// - Returns: what it changed.
  package func append(_ block: VerifiedBlock, arrived: Int64) throws(StoreError) -> Applied {
    precondition(inTransaction)
    if block.header.index == 0 {
      guard case .instance(let name, let key, let exchange)? = block.payload?.controls.first else {
        throw .defect("block 0 without its announcement")
      }
      let insert = try connection.statement(
        """
        INSERT INTO chain(instance, name, key, exchange, head, digest, lamport) VALUES(?, ?, ?, ?, -1, zeroblob(32), 0)
        """)
      insert.bind(1, copy: block.head.instance.bytes).bind(2, name).bind(3, copy: key).bind(4, copy: exchange)
      try insert.run()
    }
    guard var chain = try self.chain(block.head.instance), chain.next == block.header.index else {
      throw .defect("a block that does not follow")
    }
    let sequence = projection.nextSequence
    projection.nextSequence += 1
    try keep(block, chain: chain.key, sequence: sequence, arrived: arrived)
    if let open = projection.chain, open.instance != chain.instance { try writeHead() }
    chain.head = block.head
    chain.lamport = block.header.lamport
    chain.time = block.payload?.time ?? arrived
    chain.next = block.header.index + 1
    projection.chain = chain
    projection.chainIsNew = true
    return try take(
      block.payload, of: block.clear ?? block.bytes, sequence: sequence, isHeld: block.isHeld)
  }

  /// Takes in what a block says that is kept now, if it can be read.
  func take(
    _ payload: Payload?, of clear: UnsafeRawBufferPointer, sequence: Int64, isHeld: Bool
  ) throws(StoreError) -> Applied {
    guard let payload else { return Applied() }
    try keep(payload.controls, sequence: sequence)
    return isHeld ? Applied() : try count(payload, of: clear, sequence: sequence)
  }

  /// From now on counts what a block says.
  func count(
    _ payload: Payload, of clear: UnsafeRawBufferPointer, sequence: Int64
  ) throws(StoreError) -> Applied {
    for case .heads(let heads) in payload.controls { try note(heads) }
    return try apply(payload, of: clear, sequence: sequence)
  }

  func keep(_ block: VerifiedBlock, chain: Int64, sequence: Int64, arrived: Int64) throws(StoreError) {
    let insert = try connection.statement(
      """
      INSERT INTO block(seq, chain, idx, lamport, size, digest, changes, applied, time, arrived, label)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insert.bind(1, sequence as Int64?).bind(2, chain as Int64?).bind(3, Int(block.header.index))
    insert.bind(4, Int(block.header.lamport)).bind(5, block.bytes.count).bind(6, copy: block.head.digest.bytes)
    let state: BlockState = block.payload == nil ? .unread : block.isHeld ? .held : .applied
    insert.bind(7, block.payload?.changes.count ?? 0).bind(8, state.rawValue)
    insert.bind(9, (block.payload?.time ?? arrived) as Int64?).bind(10, arrived as Int64?)
    insert.bind(11, block.payload?.label)
    try insert.run()
    guard block.header.mode.contains(.sealed) else { return try copyPieces(block.bytes, sequence: sequence) }
    try copyPieces(block.bytes, sequence: sequence, "INSERT INTO sealed(key, bytes) VALUES(?, ?)")
    if let clear = block.clear { try copyPieces(clear, sequence: sequence) }
  }

  /// Writes down how far the chain is that blocks were appended to: once for all of them.
  func writeHead() throws(StoreError) {
    guard projection.chainIsNew, let chain = projection.chain else { return }
    projection.chainIsNew = false
    let head = try connection.statement("UPDATE chain SET head = ?, digest = ?, lamport = ?, time = ? WHERE id = ?")
    head.bind(1, Int(chain.head.index)).bind(2, copy: chain.head.digest.bytes).bind(3, Int(chain.lamport))
    try head.bind(4, chain.time as Int64?).bind(5, chain.key as Int64?).run()
  }

  func copyPieces(
    _ bytes: UnsafeRawBufferPointer, sequence: Int64, _ sql: StaticString = "INSERT INTO piece(key, bytes) VALUES(?, ?)"
  ) throws(StoreError) {
    let piece = try connection.statement(sql)
    var start = 0
    var number: Int64 = 0
    while start < bytes.count {
      let end = min(start + Schema.pieceSize, bytes.count)
      piece.bind(1, (sequence << 16 | number) as Int64?)
      piece.bind(2, blob: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      try piece.run()
      start = end
      number += 1
    }
  }

  /// Part of the clear form of a stored block.
  func read(sequence: Int64, offset: Int, length: Int) throws(StoreError) -> [UInt8] {
    try read("SELECT bytes FROM piece WHERE key = ?", sequence, offset, length)
  }

  private func read(
    _ sql: StaticString, _ sequence: Int64, _ offset: Int, _ length: Int
  ) throws(StoreError) -> [UInt8] {
    guard offset >= 0, length >= 0, offset + length <= BlockHeader.largestBlock else { throw .damaged("piece") }
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var result: [UInt8] = []
    result.reserveCapacity(length)
    var number = offset / Schema.pieceSize
    var from = offset % Schema.pieceSize
    while result.count < length {
      statement.reset()
      statement.bind(1, (sequence << 16 | Int64(number)) as Int64?)
      guard try statement.step() else { throw .damaged("piece \(sequence)/\(number)") }
      let piece = statement.bytes(0)
      let take = min(length - result.count, piece.count - from)
      guard take > 0 else { throw .damaged("piece \(sequence)/\(number)") }
      result.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[from..<from + take]))
      from = 0
      number += 1
    }
    return result
  }

  private static let blockColumns: StaticString = """
    SELECT b.seq, c.instance, b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time, b.arrived, b.label, NULL
    FROM block b JOIN chain c ON c.id = b.chain WHERE c.instance = ? AND b.idx = ?
    """

  func blockRow(_ row: Statement) throws(StoreError) -> BlockRow {
    guard row.bytes(1).count == 16, let digest = Digest(row.array(5)) else { throw .damaged("block") }
    return BlockRow(
      sequence: Int64(row.int(0)), instance: UUID(row.bytes(1).baseAddress!),
      index: UInt32(truncatingIfNeeded: row.int(2)), lamport: UInt32(truncatingIfNeeded: row.int(3)),
      size: row.int(4), digest: digest, changes: row.int(6), state: BlockState(rawValue: row.int(7)) ?? .unread,
      time: Int64(row.int(8)), arrived: Int64(row.int(9)), label: row.optionalText(10),
      fork: row.optionalInt(11).map { UInt32(truncatingIfNeeded: $0) })
  }

  package func block(_ instance: UUID, _ index: UInt32) throws(StoreError) -> BlockRow? {
    let statement = try connection.statement(Store.blockColumns)
    defer { statement.reset() }
    statement.bind(1, copy: instance.bytes).bind(2, Int(index))
    return try statement.step() ? try blockRow(statement) : nil
  }

  package func block(sequence: Int64) throws(StoreError) -> BlockRow? {
    let statement = try connection.statement(
      """
      SELECT b.seq, ifnull(c.instance, s.instance), b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time,
        b.arrived, b.label, s.fork
      FROM block b LEFT JOIN chain c ON c.id = b.chain LEFT JOIN branch s ON s.id = b.chain WHERE b.seq = ?
      """)
    defer { statement.reset() }
    statement.bind(1, sequence as Int64?)
    return try statement.step() ? try blockRow(statement) : nil
  }

  /// The complete bytes of a block, as others get it.
  package func bytes(of block: BlockRow) throws(StoreError) -> [UInt8] {
    guard try isSealed() else { return try read(sequence: block.sequence, offset: 0, length: block.size) }
    do throws(StoreError) {
      return try read("SELECT bytes FROM sealed WHERE key = ?", block.sequence, 0, block.size)
    } catch {
      // A removed block of a sealed chain is a plain one.
      guard block.size == BlockHeader.size + Digest.size else { throw error }
      return try read(sequence: block.sequence, offset: 0, length: block.size)
    }
  }

  /// What revisions point into: the block itself, or its header and clear map if it is sealed; nil if it was never
  /// read.
  package func clearBytes(of block: BlockRow) throws(StoreError) -> [UInt8]? {
    guard block.state != .unread else { return nil }
    guard try isSealed() else { return try read(sequence: block.sequence, offset: 0, length: block.size) }
    return try read(sequence: block.sequence, offset: 0, length: block.size - SealedBlock.overhead)
  }

  /// The bytes of the blocks of a chain from an index on, until `body` returns false.
  package func forEachBlock(
    of instance: UUID, from index: UInt32, _ body: (BlockRow, [UInt8]) throws -> Bool
  ) throws {
    var next = index
    while let row = try block(instance, next) {
      guard try body(row, try bytes(of: row)), next < .max else { return }
      next += 1
    }
  }

  /// Blocks by falling Lamport time, read as they are asked for: of one chain along its index, unless it is forked.
  package func forEachTransaction(of instance: UUID?, _ body: (BlockRow) throws -> Bool) throws {
    let statement: Statement
    if let instance {
      guard try branches(of: instance).isEmpty else { return try forEachTransaction(ofForked: instance, body) }
      statement = try connection.statement(
        """
        SELECT b.seq, c.instance, b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time, b.arrived, b.label,
          NULL
        FROM block b JOIN chain c ON c.id = b.chain WHERE c.instance = ? ORDER BY b.idx DESC
        """)
      statement.bind(1, copy: instance.bytes)
    } else {
      statement = try connection.statement(
        """
        SELECT b.seq, ifnull(c.instance, s.instance) AS author, b.idx, b.lamport, b.size, b.digest, b.changes, b.applied,
          b.time, b.arrived, b.label, s.fork
        FROM block b LEFT JOIN chain c ON c.id = b.chain LEFT JOIN branch s ON s.id = b.chain
        ORDER BY b.lamport DESC, author DESC, s.fork DESC
        """)
    }
    defer { statement.reset() }
    while try statement.step() { guard try body(try blockRow(statement)) else { return } }
  }
}
