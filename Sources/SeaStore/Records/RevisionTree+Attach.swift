import SeaCore

extension RevisionTree {
  /// New revisions of one record, in the order of their block.
  func update(
    _ known: RecordRow?, _ order: ArraySlice<Int32>, _ changes: [Change], _ id: UnsafeBufferPointer<UInt8>,
    _ bytes: UnsafeBufferPointer<UInt8>, _ sequence: Int64, _ applied: inout ApplyResult, _ feed: inout FeedRun?
  ) throws(StoreError) {
    var row: RecordRow
    if let known {
      row = known
    } else {
      row = RecordRow(
        key: connection.state.nextRecord, id: "", type: nil, leaves: 0, live: 0, conflict: .none, refers: false)
      connection.state.nextRecord += 1
      try insertRecord(row.key, id, nil, leaves: 0, live: 0, refers: false, shape: nil)
      // What was not found is not there, unless the index is damaged.
      guard connection.changes == 1 else { throw .damaged("record") }
    }
    let before = known == nil ? nil : try records.winner(of: row)
    var growth = Growth(leaves: row.leaves, live: row.live)
    growth.isListed = row.leaves > 1 || before?.isListed == true || known != nil && before == nil
    for at in order {
      let change = changes[Int(at)]
      guard try records.flags(row.key, change.revision) == nil else {
        try keepFirst(change, of: row.key, sequence)
        continue
      }
      applied.revisions += 1
      try insert(change, into: row.key, sequence, &growth)
    }
    if !growth.isListed, growth.leaves > 1 || growth.waits { try list(row.key) }
    (row.leaves, row.live) = (growth.leaves, growth.live)
    let former = FormerRecord(winner: before, leaves: known?.leaves ?? 0, conflict: known?.conflict ?? .none)
    let winner = try summarize(&row, wasConflict: former.conflict, before: before, id: id, &applied)
    try tellFeed(
      &feed, id, first: changes[Int(order.first!)], last: changes[Int(order.last!)], from: former, to: row, winner,
      attached: growth.attached)
    if indexes.isNeeded { try RecordIndexes(records).follow(row, wasLive: known?.live ?? 0, before: before) }
  }

  /// What becomes of the leaves of a record while revisions come.
  private struct Growth {
    var leaves: Int
    var live: Int
    /// Whether the leaves are in the index.
    var isListed = false
    /// Whether one came that waits.
    var waits = false
    /// How many revisions became a part of the tree.
    var attached = 0
  }

  /// Puts the leaves of a record into the index. From then on they are kept there.
  private func list(_ record: Int64) throws(StoreError) {
    let list = try connection.statement("UPDATE revision SET flags = flags | 64 WHERE record = ? AND flags & 73 = 9")
    try list.bind(1, record as Int64?).run()
  }

  /// Inserts one revision; it and those that waited for it become part of the tree if its parent is.
  private func insert(
    _ change: Change, into record: Int64, _ sequence: Int64, _ growth: inout Growth
  ) throws(StoreError) {
    var parentFlags: RevisionFlags? = [.attached]
    if let parent = change.parent { parentFlags = try records.flags(record, parent) }
    guard parentFlags?.contains(.attached) == true else {
      try insertRevision(change, record: record, flags: [], sequence)
      let wait = try connection.statement(
        "INSERT OR IGNORE INTO waiting(parent, record, depth, digest) VALUES(?, ?, ?, ?)")
      wait.bind(1, copy: change.parent?.digest.bytes).bind(2, record as Int64?)
      try wait.bind(3, Int(change.revision.depth)).bind(4, copy: change.revision.digest.bytes).run()
      connection.state.someWait = true
      growth.waits = true
      return
    }
    try insertRevision(
      change, record: record, flags: growth.isListed ? .listedLeaf : [.leaf, .attached], sequence)
    growth.leaves += 1
    growth.attached += 1
    if change.kind == .put { growth.live += 1 }
    if let parent = change.parent, let flags = parentFlags, flags.contains(.leaf) {
      try clearLeaf(record, parent, flags, &growth)
    }
    guard connection.state.someWait else { return }
    var stack = [change.revision]
    while let parent = stack.popLast() {
      for child in try takeWaiting(record, for: parent) {
        let set = try connection.statement(
          "UPDATE revision SET flags = flags | ? WHERE record = ? AND depth = ? AND digest = ?")
        set.bind(1, (growth.isListed ? RevisionFlags.listedLeaf : [.leaf, .attached]).rawValue)
        set.bind(2, record as Int64?).bind(3, Int(child.depth))
        try set.bind(4, copy: child.digest.bytes).run()
        growth.leaves += 1
        growth.attached += 1
        if try records.flags(record, child)?.contains(.dead) == false { growth.live += 1 }
        if let flags = try records.flags(record, parent), flags.contains(.leaf) {
          try clearLeaf(record, parent, flags, &growth)
        }
        stack.append(child)
      }
    }
  }

  /// The revisions whose parent this is. One that names its parent's digest with another depth goes on waiting: it is
  /// `bad-depth`, wherever and in whatever order it arrives.
  private func takeWaiting(_ record: Int64, for parent: RevisionID) throws(StoreError) -> [RevisionID] {
    guard parent.depth < .max else { return [] }
    let find = try connection.statement(
      "SELECT digest FROM waiting WHERE parent = ? AND record = ? AND depth = ?")
    find.bind(1, copy: parent.digest.bytes).bind(2, record as Int64?).bind(3, Int(parent.depth) + 1)
    var found: [RevisionID] = []
    while try find.step() {
      guard let digest = Digest(find.array(0)) else { throw .damaged("waiting") }
      found.append(RevisionID(depth: parent.depth + 1, digest: digest))
    }
    find.reset()
    for one in found {
      let remove = try connection.statement(
        "DELETE FROM waiting WHERE parent = ? AND record = ? AND depth = ? AND digest = ?")
      remove.bind(1, copy: parent.digest.bytes).bind(2, record as Int64?).bind(3, Int(one.depth))
      try remove.bind(4, copy: one.digest.bytes).run()
    }
    return found
  }

  /// Several instances may have made the same revision, as by merging alike. It belongs to the first block that has it,
  /// by Lamport time, whichever arrived first: so it has the same author everywhere.
  ///
  /// What one says with the body is right: its digest says so. Of one that only orders know, the first one is believed.
  private func keepFirst(_ change: Change, of record: Int64, _ sequence: Int64) throws(StoreError) {
    let find = try connection.statement(
      "SELECT block, flags, parent FROM revision WHERE record = ? AND depth = ? AND digest = ?")
    find.bind(1, record as Int64?).bind(2, Int(change.revision.depth)).bind(3, copy: change.revision.digest.bytes)
    let known = try find.step() ? Int64(find.int(0)) : sequence
    var flags = RevisionFlags(rawValue: find.int(1))
    let parent = find.isNull(2) ? nil : Digest(find.array(2))
    find.reset()
    guard known != sequence, let old = try records.blocks.block(sequence: known),
      let new = try records.blocks.block(sequence: sequence)
    else { return }
    let isOrdered = flags.contains(.ordered)
    let isFirst = isOrdered == change.isOrdered ? new.isBefore(old) : isOrdered
    if isOrdered != change.isOrdered { flags.insert(.wasPurged) }
    if isFirst {
      if parent != change.parent?.digest || flags.kind != change.kind { connection.state.mustRebuild = true }
      if !change.isOrdered { flags.remove(.ordered) }
    }
    let note = try connection.statement(
      "INSERT OR IGNORE INTO repeated(record, depth, digest, block) VALUES(?, ?, ?, ?)")
    note.bind(1, record as Int64?).bind(2, Int(change.revision.depth)).bind(3, copy: change.revision.digest.bytes)
    try note.bind(4, (isFirst ? known : sequence) as Int64?).run()
    if isOrdered || change.isOrdered {
      let set = try connection.statement(
        "UPDATE revision SET flags = ? WHERE record = ? AND depth = ? AND digest = ?")
      set.bind(1, flags.rawValue).bind(2, record as Int64?).bind(3, Int(change.revision.depth))
      try set.bind(4, copy: change.revision.digest.bytes).run()
    }
    guard isFirst else { return }
    let move = try connection.statement(
      "UPDATE revision SET block = ?, offset = ?, length = ? WHERE record = ? AND depth = ? AND digest = ?")
    move.bind(1, sequence as Int64?).bind(2, change.items.lowerBound + BlockHeader.size).bind(3, change.items.count)
    move.bind(4, record as Int64?).bind(5, Int(change.revision.depth))
    try move.bind(6, copy: change.revision.digest.bytes).run()
  }

  private func clearLeaf(
    _ record: Int64, _ revision: RevisionID, _ flags: RevisionFlags, _ growth: inout Growth
  ) throws(StoreError) {
    growth.leaves -= 1
    if !flags.contains(.dead) { growth.live -= 1 }
    let clear = try connection.statement(
      "UPDATE revision SET flags = flags & ~65 WHERE record = ? AND depth = ? AND digest = ?")
    try clear.bind(1, record as Int64?).bind(2, Int(revision.depth)).bind(3, copy: revision.digest.bytes).run()
  }

  /// Brings the record's row, and what refers to whom, in step with its leaves.
  /// - Returns: the winner.
  @discardableResult
  func summarize(
    _ row: inout RecordRow, wasConflict: ConflictState, before: Leaf?, id: UnsafeBufferPointer<UInt8>,
    _ applied: inout ApplyResult
  ) throws(StoreError) -> Leaf? {
    row.conflict = row.live > 1 ? .live : .none
    if row.live == 1, row.leaves > 1, try records.greatestListed(of: row.key, .dead) != nil { row.conflict = .deletion }
    guard let winner = try records.winner(of: row) else {
      // Nothing but revisions that wait.
      return nil
    }
    let body: [UInt8]?
    if winner.revision != before?.revision || winner.place != before?.place {
      if winner.revision != before?.revision || !winner.isOrdered { applied.records += 1 }
      let change = try records.change(of: winner)
      row.type = change.type
      body = change.body
      try shapes.setShape(of: row, winner.kind == .put ? shapes.shape(change.type, body) : nil)
      if row.refers {
        try connection.statement("DELETE FROM reference WHERE record = ?").bind(1, row.key as Int64?).run()
      }
      row.refers = false
      if let body {
        row.refers = body.withUnsafeBufferPointer { !references(of: $0).isEmpty }
        if row.refers {
          let key = row.key
          try body.withUnsafeBufferPointer { bytes throws(StoreError) in try insertReferences(record: key, bytes) }
        }
      }
    }
    if row.conflict != .none, wasConflict == .none { applied.conflicts.append(String(decoding: id, as: UTF8.self)) }
    let set = try connection.statement(
      "UPDATE record SET type = ?, leaves = ?, live = ?, conflict = ?, refers = ? WHERE key = ?")
    set.bind(1, row.type).bind(2, row.leaves).bind(3, row.live).bind(4, row.conflict.rawValue)
    try set.bind(5, row.refers ? 1 : 0).bind(6, row.key as Int64?).run()
    return winner
  }
}
