import SeaCore

/// What a block changed.
package struct ApplyResult: Sendable {
  /// Revisions that were not known before.
  package var revisions = 0
  /// Records that have a new winner, or are new.
  package var records = 0
  /// Ids of records that were not in conflict before and are now.
  package var conflicts: [String] = []

  package init() {}

  package mutating func add(_ other: ApplyResult) {
    revisions += other.revisions
    records += other.records
    conflicts += other.conflicts
  }
}

/// Hangs revisions into the trees of their records, and brings the rows, shapes, references, indexes and the feed in step.
final class RevisionTree {
  let connection: Connection
  let records: RecordTable
  let feed: FeedTable
  let indexes: IndexTable
  let shapes: ShapeTable

  init(_ records: RecordTable, _ feed: FeedTable) {
    connection = records.connection
    self.records = records
    self.feed = feed
    indexes = records.indexes
    shapes = records.shapes
  }

  /// Brings the changes of a block into the connection.state.
  ///
  /// Records are visited in the order of their ids: neighbours in the index are written one after another, which costs
  /// a third less than the order of arrival.
  func apply(_ changes: [Change], of block: UnsafeRawBufferPointer, sequence: Int64) throws(StoreError) -> ApplyResult {
    var applied = ApplyResult()
    guard !changes.isEmpty else { return applied }
    if sequence <= connection.state.mergedUpTo {
      // An older block counts only now.
      connection.state.mergedUpTo = sequence - 1
      try connection.setMeta(RecordTable.mergedUpTo, .int(sequence - 1))
    }
    let bytes = UnsafeBufferPointer(rebasing: block.assumingMemoryBound(to: UInt8.self)[BlockHeader.size...])
    let order = RevisionTree.ordered(changes, bytes)
    let isFirst = connection.state.nextRecord == 1
    var feed = try beginFeed()
    var k = 0
    while k < order.count {
      let change = changes[Int(order[k])]
      let id = UnsafeBufferPointer(rebasing: bytes[change.id])
      var end = k + 1
      while end < order.count {
        let next = changes[Int(order[end])]
        guard UTF8Text.compare(id, UnsafeBufferPointer(rebasing: bytes[next.id])) == 0 else { break }
        end += 1
      }
      if end == k + 1, change.parent == nil, try insertFirst(change, id, bytes, sequence) {
        applied.revisions += 1
        applied.records += 1
        feed?.next += 1
        feed?.changed += 1
      } else {
        let known = isFirst ? nil : try records.record(id: id)
        try update(known, order[k..<end], changes, id, bytes, sequence, &applied, &feed)
      }
      k = end
    }
    try endFeed(feed, block: sequence)
    return applied
  }

  /// The changes by id, and those of one record in the order of the block.
  private static func ordered(_ changes: [Change], _ bytes: UnsafeBufferPointer<UInt8>) -> [Int32] {
    guard changes.count > 1 else { return [0] }
    var order = IDOrder(capacity: changes.count)
    for change in changes { order.add(UnsafeBufferPointer(rebasing: bytes[change.id])) }
    return order.sorted()
  }

  /// A record nobody has heard of, with its first revision: most of what a load is. Whether it is one shows when it is written, which
  /// saves a look at each.
  /// - Returns: false if it is known.
  private func insertFirst(
    _ change: Change, _ id: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>, _ sequence: Int64
  ) throws(StoreError) -> Bool {
    let key = connection.state.nextRecord
    let type = change.type.map { UnsafeBufferPointer(rebasing: bytes[$0]) }
    let body = change.body.map { UnsafeBufferPointer(rebasing: bytes[$0]) }
    let shape = try change.kind == .put ? shapes.shape(type, change.isOrdered ? nil : body) : nil
    try insertRecord(
      key, id, type, leaves: 1, live: change.kind == .put ? 1 : 0, refers: change.hasReferences, shape: shape)
    guard connection.changes == 1 else {
      if let shape { try shapes.removeUnless(used: shape) }
      return false
    }
    connection.state.nextRecord += 1
    try insertRevision(change, record: key, flags: [.leaf, .attached], sequence)
    if change.hasReferences, let body { try insertReferences(record: key, body) }
    if indexes.isNeeded, change.kind == .put, !change.isOrdered, let body {
      try indexes.insert(
        key, type: type.map { String(decoding: $0, as: UTF8.self) }, [Array(body)], isMerged: false)
    }
    return true
  }

  /// Adds the row of a record, unless there is one of that id.
  func insertRecord(
    _ key: Int64, _ id: UnsafeBufferPointer<UInt8>, _ type: UnsafeBufferPointer<UInt8>?, leaves: Int, live: Int,
    refers: Bool, shape: Int64?
  ) throws(StoreError) {
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO record(key, id, type, leaves, live, conflict, refers, shape) VALUES(?, ?, ?, ?, ?, 0, ?, ?)"
    )
    insert.bind(1, key as Int64?).bind(2, text: id).bind(4, leaves).bind(5, live).bind(6, refers ? 1 : 0)
    insert.bind(7, shape)
    if let type { insert.bind(3, text: type) } else { insert.bind(3, nil as String?) }
    try insert.run()
  }

  func insertRevision(
    _ change: Change, record: Int64, flags: RevisionFlags, _ sequence: Int64
  ) throws(StoreError) {
    let flags = flags.union(RevisionFlags(change))
    let insert = try connection.statement(
      """
      INSERT INTO revision(record, depth, digest, flags, parent, block, offset, length) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insert.bind(1, record as Int64?).bind(2, Int(change.revision.depth)).bind(4, flags.rawValue)
    insert.bind(6, sequence as Int64?).bind(7, change.items.lowerBound + BlockHeader.size).bind(8, change.items.count)
    let parent = change.parent?.digest
    if parent == nil { insert.bind(5, nil as Int64?) }
    func run(_ parent: UnsafeRawBufferPointer?) -> StoreError? {
      if let parent { insert.bind(5, blob: parent) }
      return change.revision.digest.withBytes { digest in
        insert.bind(3, blob: digest)
        do throws(StoreError) { try insert.run() } catch { return error }
        return nil
      }
    }
    if let failure = parent.map({ $0.withBytes { run($0) } }) ?? run(nil) { throw failure }
  }

  func insertReferences(record: Int64, _ body: UnsafeBufferPointer<UInt8>) throws(StoreError) {
    let insert = try connection.statement("INSERT OR IGNORE INTO reference(record, target) VALUES(?, ?)")
    for target in references(of: body) {
      try target.withUnsafeBufferPointer { bytes throws(StoreError) in
        try insert.bind(1, record as Int64?).bind(2, text: bytes).run()
      }
    }
  }
}

/// The ids that a body refers to. Bodies are verified before they come here.
func references(of body: UnsafeBufferPointer<UInt8>) -> [[UInt8]] {
  var targets: [[UInt8]] = []
  BodyReferences.forEach(in: body) { targets.append(Array($0)) }
  return targets
}
