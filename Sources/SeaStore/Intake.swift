import SeaCore

/// How a block comes in: it is kept, what it says of others is noted, and if it counts, the projection is brought up to it.
package struct Intake {
  let store: Store
  var connection: Connection { store.connection }
  var blocks: BlockTable { store.blocks }
  var branches: BranchTable { store.branches }
  var content: StoredBytes { store.content }
  private var tree: RevisionTree { store.tree }

  /// Keeps a verified block where it belongs and applies what it says, in the current transaction.
  /// - Parameter branch: from `BranchTable.place`; afterwards as the next block finds it.
  /// - Returns: what it changed.
  package func append(_ block: VerifiedBlock, to branch: inout BranchRow, arrived: Int64) throws(StoreError)
    -> ApplyResult
  {
    precondition(store.isInTransaction)
    let sequence = connection.state.nextSequence
    connection.state.nextSequence += 1
    try blocks.note(arrived, of: sequence)
    let state = try keep(block, in: &branch, sequence: sequence, arrived: arrived)
    if state == .purged { return try count(block.kept, sequence: sequence) }
    return try take(
      block.payload, of: block.clear ?? block.bytes, sequence: sequence, as: state, isHidden: block.isHidden)
  }

  /// Keeps a block at the end of its trunk.
  package func append(_ block: VerifiedBlock, arrived: Int64) throws(StoreError) -> ApplyResult {
    var trunk =
      try branches.branch(block.ref.branch.trunk)
      ?? BranchRow(
        key: 0, id: block.ref.branch.trunk, first: 0, previous: block.header.previous, head: block.ref, lamport: 0,
        time: 0, earned: -1)
    return try append(block, to: &trunk, arrived: arrived)
  }

  /// Keeps a block of our own where the point says, which is then behind it. What was unannounced the block has named.
  package func append(_ block: VerifiedBlock, at point: inout AppendPoint, arrived: Int64) throws(StoreError)
    -> ApplyResult
  {
    guard var trunk = point.trunk else {
      let applied = try append(block, arrived: arrived)
      try branches.announce(point.unannounced)
      point.unannounced = []
      point.trunk = try branches.branch(block.ref.branch.trunk)
      point.lamport = block.header.lamport
      return applied
    }
    let applied = try append(block, to: &trunk, arrived: arrived)
    try branches.announce(point.unannounced)
    point.unannounced = []
    point.trunk = trunk
    point.lamport = trunk.lamport
    return applied
  }

  /// Applies a block that was held, in the current transaction.
  package func release(_ row: BlockRow) throws(StoreError) -> ApplyResult {
    precondition(store.isInTransaction && (row.state == .held || row.state == .heldBack))
    if row.isRemoved {
      try blocks.setState(.purged, of: row)
      return try count(content.remains(of: row), sequence: row.sequence)
    }
    guard let bytes = try content.clearBytes(of: row) else { throw .damaged("block") }
    try blocks.setState(.applied, of: row)
    return try bytes.withUnsafeBufferPointer { bytes throws(StoreError) -> ApplyResult in
      let bytes = UnsafeRawBufferPointer(bytes)
      guard let payload = try? BlockReader.payload(ofKept: bytes) else { throw .damaged("block \(row.ref)") }
      return try count(payload, of: bytes, sequence: row.sequence, isHidden: row.isHidden)
    }
  }

  /// Hides the changes of some blocks and shows those of others, in the current transaction.
  package func show(_ shown: [BlockRow], hide hidden: [BlockRow]) throws -> ApplyResult {
    precondition(store.isInTransaction)
    var applied = ApplyResult()
    for row in hidden { try blocks.setHidden(true, of: row) }
    for row in shown { try blocks.setHidden(false, of: row) }
    if hidden.contains(where: { $0.state == .applied }) {
      applied.records = try store.projection.rebuildInTransaction()
      return applied
    }
    for row in shown where row.state == .applied {
      guard let bytes = try content.clearBytes(of: row) else { throw StoreError.damaged("block") }
      try bytes.withUnsafeBytes { bytes in
        guard let payload = try? BlockReader.payload(ofKept: bytes) else {
          throw StoreError.damaged("block \(row.ref)")
        }
        applied.add(try apply(payload, of: bytes, sequence: row.sequence))
      }
    }
    return applied
  }

  /// Takes in what a block says that could not be read before, in the current transaction.
  package func read(
    _ row: BlockRow, clear: [UInt8], framed: [UInt8]?, _ payload: Payload, isHeld: Bool, isHidden: Bool
  ) throws(StoreError) -> ApplyResult {
    precondition(store.isInTransaction && row.state == .unread)
    try store.forgetJudgedRemovals()
    let branch = try branches.branch(row.branch)
    let isWrong = branch?.wrongFrom.map { $0 <= row.index } ?? false
    let state: BlockState = isWrong ? .badLamport : isHeld ? .held : .applied
    try keep(clear, framed: framed, payload, of: row, as: state, isHidden: isHidden)
    return try clear.withUnsafeBufferPointer { bytes throws(StoreError) -> ApplyResult in
      try take(payload, of: UnsafeRawBufferPointer(bytes), sequence: row.sequence, as: state, isHidden: isHidden)
    }
  }

  /// Puts a whole block in the place of a removed one, in the current transaction. It is held until somebody looks whether
  /// it counts.
  package func heal(_ row: BlockRow, with block: VerifiedBlock) throws(StoreError) {
    precondition(store.isInTransaction && row.state == .unread && row.digest == block.ref.digest)
    try replace(row, with: block)
    guard let payload = block.payload else { return try blocks.setUnread(block.unread, of: row) }
    _ = try read(
      row, clear: Array(block.clear ?? block.bytes), framed: block.framed, payload, isHeld: true,
      isHidden: block.isHidden)
  }

  /// Notes what an order says of a removed block, or that none allows it any more, in the current transaction. It is held until
  /// somebody looks whether it counts; the projection is for the caller to bring in step.
  package func setRemains(_ remains: [UInt8]?, of row: BlockRow) throws(StoreError) {
    precondition(store.isInTransaction && row.isRemoved)
    let isWrong = try branches.branch(row.branch)?.wrongFrom.map { $0 <= row.index } ?? false
    try setRemains(remains, of: row, as: remains == nil ? .unread : isWrong ? .badLamport : .held)
  }

  /// From now on counts what an order says of a removed block.
  /// - Parameter kept: the block and what is kept behind it.
  private func count(_ kept: [UInt8], sequence: Int64) throws(StoreError) -> ApplyResult {
    try kept.withUnsafeBufferPointer { kept throws(StoreError) in
      let bytes = UnsafeRawBufferPointer(kept)
      guard let remains = try? Remains(ofKept: bytes) else { throw .damaged("block \(sequence)") }
      if !remains.heads.isEmpty { try store.peers.note(remains.heads) }
      return try tree.apply(remains.changes, of: bytes, sequence: sequence)
    }
  }

  /// Takes in what a block says that is kept now, if it can be read.
  private func take(
    _ payload: Payload?, of clear: UnsafeRawBufferPointer, sequence: Int64, as state: BlockState, isHidden: Bool
  ) throws(StoreError) -> ApplyResult {
    guard let payload else { return ApplyResult() }
    try store.control.keep(payload.controls, sequence: sequence)
    guard state == .applied else { return ApplyResult() }
    return try count(payload, of: clear, sequence: sequence, isHidden: isHidden)
  }

  /// From now on counts what a block says.
  private func count(
    _ payload: Payload, of clear: UnsafeRawBufferPointer, sequence: Int64, isHidden: Bool
  ) throws(StoreError) -> ApplyResult {
    if !payload.heads.isEmpty { try store.peers.note(payload.heads) }
    return isHidden ? ApplyResult() : try apply(payload, of: clear, sequence: sequence)
  }

  /// Brings the changes of a block into the projection.
  func apply(_ payload: Payload, of clear: UnsafeRawBufferPointer, sequence: Int64) throws(StoreError) -> ApplyResult {
    let applied = try tree.apply(payload.changes, of: clear, sequence: sequence)
    try store.assets.note(payload, of: clear)
    return applied
  }
}
