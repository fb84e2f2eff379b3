import SeaCore

package struct ApplyResult: Sendable {
  package var revisions = 0
  package var records = 0
  /// The ids of the records that are in conflict because of these blocks.
  package var conflicts: [String] = []

  package init() {}

  package mutating func add(_ other: ApplyResult) {
    revisions += other.revisions
    records += other.records
    conflicts += other.conflicts
  }
}

/// Adds revisions to the trees of their records, and updates rows, shapes, references, indexes and the feed.
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

  /// Adds the changes of a block.
  ///
  /// Records are visited in order of their ids, so that index neighbors are written together. This costs a third less
  /// than visiting the records in order of arrival.
  func apply(_ changes: [Change], of block: UnsafeRawBufferPointer, sequence: Int64) throws(StoreError) -> ApplyResult {
    var applied = ApplyResult()
    guard !changes.isEmpty else { return applied }
    if sequence <= connection.state.mergedUpTo {
      // The changes in an older block start to count only now.
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

  /// Returns the changes sorted by id. Changes to the same record stay in the order that they have in the block.
  private static func ordered(_ changes: [Change], _ bytes: UnsafeBufferPointer<UInt8>) -> [Int32] {
    guard changes.count > 1 else { return [0] }
    var order = IDOrder(capacity: changes.count)
    for change in changes { order.add(UnsafeBufferPointer(rebasing: bytes[change.id])) }
    return order.sorted()
  }

  /// Inserts a new record with its first revision. When many records are loaded, most of them are new, so the insert
  /// itself detects known ids. This saves a lookup for each record.
  /// - Returns: false if the record already exists.
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

/// Returns the ids that a body refers to. The caller has verified the body.
func references(of body: UnsafeBufferPointer<UInt8>) -> [[UInt8]] {
  var targets: [[UInt8]] = []
  BodyReferences.forEach(in: body) { targets.append(Array($0)) }
  return targets
}

struct FeedRun {
  var next: Int64
  var changed = 0
}

struct FormerRecord {
  var winner: Leaf?
  var leaves = 0
  var conflict = ConflictState.none
}

extension FeedState {
  init(from old: Leaf?, _ before: ConflictState, to new: Leaf?, _ after: ConflictState) {
    self = []
    if before != .none { insert(.wasConflict) }
    if after != .none { insert(.isConflict) }
    if let old { insert(old.kind != .put ? .wasDead : old.isOrdered ? [] : .hadContent) }
    if let new { insert(new.kind != .put ? .isDead : new.isOrdered ? [] : .hasContent) }
  }

  /// Whether the availability of the content is the same as before.
  var isSameContent: Bool { contains(.hadContent) == contains(.hasContent) }
}

extension RevisionTree {
  func beginFeed() throws(StoreError) -> FeedRun? { feed.isOn ? FeedRun(next: try feed.next()) : nil }

  func endFeed(_ run: FeedRun?, block: Int64) throws(StoreError) {
    guard let run else { return }
    let count = run.next - (try feed.next())
    if run.changed > 0 { try feed.add(count: count, block: block) } else if count > 0 { try feed.drop() }
  }

  /// Writes a feed note for a record, unless the block alone determines the entry.
  /// - Parameter attached: the number of revisions that became part of the record's tree.
  func addFeedNote(
    _ run: inout FeedRun?, _ id: UnsafeBufferPointer<UInt8>, first: Change, last: Change, from old: FormerRecord,
    to row: RecordRow, _ winner: Leaf?, attached: Int
  ) throws(StoreError) {
    guard run != nil else { return }
    let state = FeedState(from: old.winner, old.conflict, to: winner, row.conflict)
    let isPlain =
      winner?.revision == last.revision && old.winner?.revision == first.parent && row.leaves == 1
      && old.leaves == (old.winner == nil ? 0 : 1)
    let isSame = old.winner?.revision == winner?.revision && attached == 0 && state.isSameContent
    if isSame {
      try feed.insert(run!.next, UnsafeBufferPointer(start: nil, count: 0), old: nil, new: nil, .nothing)
    } else {
      run!.changed += 1
      if !isPlain {
        try feed.insert(run!.next, id, old: old.winner?.revision, new: winner?.revision, state)
      }
    }
    run!.next += 1
  }

  // MARK: - Feed entries after a rebuild

  /// Saves the current state of every record in a temporary table.
  /// - Returns: false if the state cannot be read.
  func saveFormerState() throws(StoreError) -> Bool {
    do throws(StoreError) {
      try feed.checkReadable()
      try connection.execute(
        """
        DROP TABLE IF EXISTS temp.former;
        CREATE TABLE temp.former(
          id TEXT PRIMARY KEY, depth INTEGER NOT NULL, digest BLOB NOT NULL, flags INTEGER NOT NULL, conflict INTEGER NOT NULL,
          leaves BLOB, type TEXT) WITHOUT ROWID;
        INSERT INTO temp.former SELECT r.id, v.depth, v.digest, v.flags & 22, r.conflict, NULL, r.type
          FROM main.record r JOIN main.revision v ON v.record = r.key AND v.flags & 9 = 9 WHERE r.leaves = 1 ORDER BY r.id;
        """)
      let damaged = try Statement(
        connection, "SELECT 1 FROM temp.former WHERE length(digest) <> \(Digest.size) LIMIT 1")
      if try damaged.step() { return false }
      let several = try Statement(
        connection, "SELECT key, id, type, leaves, live, conflict, refers FROM main.record WHERE leaves > 1")
      while try several.step() {
        let row = records.recordRow(several)
        let leaves = try records.leaves(of: row)
        guard let winner = leaves.first else { return false }
        let keep = try connection.statement(
          "INSERT INTO temp.former(id, depth, digest, flags, conflict, leaves, type) VALUES(?, ?, ?, ?, ?, ?, ?)")
        keep.bind(1, row.id).bind(2, Int(winner.revision.depth)).bind(3, copy: winner.revision.digest.bytes)
        keep.bind(4, RevisionTree.flags(winner).rawValue).bind(5, row.conflict.rawValue)
        try keep.bind(6, copy: RevisionTree.name(leaves)).bind(7, row.type).run()
      }
      return true
    } catch {
      guard case .damaged = error else { throw error }
      return false
    }
  }

  func addDifferencesToFeed() throws {
    let first = try feed.next()
    var next = first
    // The query itself leaves out unchanged records.
    let changed = try Statement(
      connection,
      """
      SELECT r.key, r.id, r.type, r.leaves, r.live, r.conflict, r.refers,
        f.depth, f.digest, f.flags, f.conflict, f.leaves, f.type
      FROM main.record r LEFT JOIN temp.former f ON f.id = r.id
      WHERE r.leaves > 0 AND NOT (r.leaves = 1 AND f.id IS NOT NULL AND f.leaves IS NULL AND EXISTS(
        SELECT 1 FROM main.revision v WHERE v.record = r.key AND v.depth = f.depth AND v.digest = f.digest
          AND v.flags & 9 = 9 AND v.flags & 22 = f.flags))
      ORDER BY r.id
      """)
    while try changed.step() {
      let row = records.recordRow(changed)
      let leaves = try records.leaves(of: row)
      let old = try former(changed, from: 7)
      let state = FeedState(from: old?.winner, old?.conflict ?? .none, to: leaves.first, row.conflict)
      let name = leaves.count > 1 ? RevisionTree.name(leaves) : nil
      if let old, old.winner?.revision == leaves.first?.revision, state.isSameContent, old.leaves == name { continue }
      try feed.insert(
        next, changed.text(at: 1), old: old?.winner?.revision, new: leaves.first?.revision, state)
      next += 1
    }
    let gone = try Statement(
      connection,
      """
      SELECT f.id, f.depth, f.digest, f.flags, f.conflict, f.leaves, f.type FROM temp.former f
      WHERE NOT EXISTS(SELECT 1 FROM main.record r WHERE r.id = f.id AND r.leaves > 0) ORDER BY f.id
      """)
    while try gone.step() {
      guard let old = try former(gone, from: 1) else { continue }
      let state = FeedState(from: old.winner, old.conflict, to: nil, .none)
      try feed.insert(next, gone.text(at: 0), type: old.type, old: old.winner?.revision, new: nil, state)
      next += 1
    }
    if next > first { try feed.add(count: next - first, block: nil) }
    changed.reset()
    gone.reset()
    try connection.execute("DROP TABLE temp.former")
  }

  private func former(
    _ row: Statement, from column: Int32
  ) throws(StoreError) -> (winner: Leaf?, conflict: ConflictState, leaves: [UInt8]?, type: String?)? {
    if row.isNull(column) { return nil }
    guard let digest = Digest(row.array(column + 1)) else { throw .damaged("former") }
    let flags = RevisionFlags(rawValue: row.int(column + 2))
    let leaf = Leaf(
      revision: RevisionID(depth: UInt32(truncatingIfNeeded: row.int(column)), digest: digest), kind: flags.kind,
      isLeaf: true, isAttached: true, isListed: false, isOrdered: flags.contains(.ordered), parent: nil, sequence: 0,
      place: 0, offset: 0, length: 0)
    return (
      leaf, ConflictState(rawValue: row.int(column + 3)) ?? .none,
      row.isNull(column + 4) ? nil : row.array(column + 4), row.optionalText(column + 5)
    )
  }

  private static func flags(_ leaf: Leaf) -> RevisionFlags {
    var flags: RevisionFlags = leaf.kind == .put ? [] : leaf.kind == .resolved ? [.dead, .resolved] : .dead
    if leaf.isOrdered { flags.insert(.ordered) }
    return flags
  }

  /// Returns a short digest that identifies a list of leaves.
  private static func name(_ leaves: [Leaf]) -> [UInt8] {
    var hash = SHA256()
    for leaf in leaves { hash.update("\(leaf.revision)\n") }
    return Array(hash.digest().bytes.prefix(16))
  }
}

extension RevisionTree {
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
      // The record was not found before, so a failed insert means a damaged index.
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
    if !growth.isListed, growth.leaves > 1 || growth.waits { try markListed(row.key) }
    (row.leaves, row.live) = (growth.leaves, growth.live)
    let former = FormerRecord(winner: before, leaves: known?.leaves ?? 0, conflict: known?.conflict ?? .none)
    let winner = try summarize(&row, wasConflict: former.conflict, before: before, id: id, &applied)
    try addFeedNote(
      &feed, id, first: changes[Int(order.first!)], last: changes[Int(order.last!)], from: former, to: row, winner,
      attached: growth.attached)
    if indexes.isNeeded { try RecordIndexes(records).follow(row, wasLive: known?.live ?? 0, before: before) }
  }

  private struct Growth {
    var leaves: Int
    var live: Int
    var isListed = false
    var waits = false
    var attached = 0
  }

  /// Adds the leaves of a record to the index `revision_listed`, where later updates leave them.
  private func markListed(_ record: Int64) throws(StoreError) {
    let list = try connection.statement("UPDATE revision SET flags = flags | 64 WHERE record = ? AND flags & 73 = 9")
    try list.bind(1, record as Int64?).run()
  }

  /// Inserts a revision. If its parent is attached, the revision and all revisions that are waiting for it become part
  /// of the tree.
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
      for child in try removeWaiting(record, for: parent) {
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

  /// Removes and returns the revisions that are waiting for this parent. A revision that refers to the parent's digest
  /// but with a different depth keeps waiting. Its status is `bad-depth`, regardless of the order of arrival.
  private func removeWaiting(_ record: Int64, for parent: RevisionID) throws(StoreError) -> [RevisionID] {
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

  /// Several instances can create the same revision, for example by making the same merge. The revision is assigned to
  /// the block with the earliest Lamport time, not to the block that arrived first, so its author is the same on every
  /// instance.
  ///
  /// The digest of a body proves that the body is valid. If the revision is known only from purge orders, the first
  /// description is used.
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

  /// Updates the row of a record and its references after its leaves have changed.
  @discardableResult
  func summarize(
    _ row: inout RecordRow, wasConflict: ConflictState, before: Leaf?, id: UnsafeBufferPointer<UInt8>,
    _ applied: inout ApplyResult
  ) throws(StoreError) -> Leaf? {
    row.conflict = row.live > 1 ? .live : .none
    if row.live == 1, row.leaves > 1, try records.greatestListed(of: row.key, .dead) != nil { row.conflict = .deletion }
    guard let winner = try records.winner(of: row) else {
      // The record has only waiting revisions.
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
