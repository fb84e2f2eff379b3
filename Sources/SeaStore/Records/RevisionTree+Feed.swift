import SeaCore

// What the feed says of records: while a block is applied, and after the projection was made anew.

/// The changes of one block on their way into the feed.
struct FeedRun {
  /// Where the record that comes next stands.
  var next: Int64
  /// How many have changed.
  var changed = 0
}

/// What a record was before revisions of it came.
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

  /// Whether what is known of the same revision is as it was.
  var isSameContent: Bool { contains(.hadContent) == contains(.hasContent) }
}

extension RevisionTree {
  func beginFeed() throws(StoreError) -> FeedRun? { feed.isOn ? FeedRun(next: try feed.next()) : nil }

  /// - Parameter first: where the changes of the block begin.
  func endFeed(_ run: FeedRun?, block: Int64) throws(StoreError) {
    guard let run else { return }
    let count = run.next - (try feed.next())
    if run.changed > 0 { try feed.add(count: count, block: block) } else if count > 0 { try feed.drop() }
  }

  /// Notes what the changes of a record have come to, unless it follows from them.
  /// - Parameter attached: how many revisions became a part of its tree.
  func tellFeed(
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
      try feed.note(run!.next, UnsafeBufferPointer(start: nil, count: 0), old: nil, new: nil, .nothing)
    } else {
      run!.changed += 1
      if !isPlain {
        try feed.note(run!.next, id, old: old.winner?.revision, new: winner?.revision, state)
      }
    }
    run!.next += 1
  }

  // MARK: - What was worked out anew

  /// Notes aside what every record is now.
  /// - Returns: false if that cannot be told.
  func noteFormer() throws(StoreError) -> Bool {
    do throws(StoreError) {
      try feed.look()
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

  /// Writes into the feed what is different from what was noted aside.
  func tellDifference() throws {
    let first = try feed.next()
    var next = first
    // What is as it was is passed over by SQLite.
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
      try feed.note(
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
      try feed.note(next, gone.text(at: 0), type: old.type, old: old.winner?.revision, new: nil, state)
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

  /// What says of a leaf in the table what the feed tells of it.
  private static func flags(_ leaf: Leaf) -> RevisionFlags {
    var flags: RevisionFlags = leaf.kind == .put ? [] : leaf.kind == .resolved ? [.dead, .resolved] : .dead
    if leaf.isOrdered { flags.insert(.ordered) }
    return flags
  }

  /// One text of some bytes for these leaves and no others.
  private static func name(_ leaves: [Leaf]) -> [UInt8] {
    var hash = SHA256()
    for leaf in leaves { hash.update("\(leaf.revision)\n") }
    return Array(hash.digest().bytes.prefix(16))
  }
}
