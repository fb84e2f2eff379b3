import SeaCore

extension RecordTable {
  /// A record as it was at a moment; nil if nothing of it was in its tree by then. It costs what its revisions cost, however large the
  /// database is.
  package func past(_ row: RecordRow, at moment: Moment) throws(StoreError) -> PastRecord? {
    let others = try firstOthers(of: row)
    var past = PastRecord(row, try revisions(of: row), at: moment) { leaf in
      min(leaf.place, others[leaf.revision] ?? .max)
    }
    guard let winner = past.winner else { return nil }
    past.row.type = try change(of: winner).type
    return past
  }

  /// Visits records by rising id as they were at a moment, until `body` returns false.
  package func forEachRecord(_ filter: RecordFilter, at moment: Moment, _ body: (PastRecord) throws -> Bool) throws {
    var all = RecordFilter()
    all.after = filter.after
    all.withDeleted = true
    try forEachRecord(all) { row in
      guard let past = try past(row, at: moment) else { return true }
      if !filter.withDeleted, past.row.live == 0 { return true }
      if filter.onlyConflicts, past.row.conflict == .none { return true }
      if let type = filter.type, !UTF8Text.equal(type, past.row.type ?? "") || past.row.type == nil { return true }
      if let target = filter.refersTo, try !refers(past, to: target) { return true }
      if filter.isDangling, try !dangles(past, at: moment) { return true }
      return try body(past)
    }
  }

  private func dangles(_ past: PastRecord, at moment: Moment) throws(StoreError) -> Bool {
    guard let winner = past.winner, let body = try body(of: winner) else { return false }
    for target in body.withUnsafeBufferPointer({ references(of: $0).map { String(decoding: $0, as: UTF8.self) } }) {
      guard let row = try record(target), let found = try self.past(row, at: moment), found.row.live > 0 else {
        return true
      }
    }
    return false
  }

  private func refers(_ past: PastRecord, to target: String) throws(StoreError) -> Bool {
    guard let winner = past.winner, let body = try body(of: winner) else { return false }
    return body.withUnsafeBufferPointer { body in
      references(of: body).contains { $0.elementsEqual(target.utf8) }
    }
  }

  /// Of revisions that stand in several blocks, the first of the others to arrive.
  func firstOthers(of row: RecordRow) throws(StoreError) -> [RevisionID: Int64] {
    let find = try connection.statement(
      "SELECT depth, digest, min(block) FROM repeated WHERE record = ? GROUP BY depth, digest")
    defer { find.reset() }
    find.bind(1, row.key as Int64?)
    var found: [RevisionID: Int64] = [:]
    while try find.step() {
      guard let digest = Digest(find.array(1)) else { throw .damaged("repeated") }
      found[RevisionID(depth: UInt32(truncatingIfNeeded: find.int(0)), digest: digest)] = Int64(find.int(2))
    }
    return found
  }
}

extension BlockTable {
  /// The last block that was here at a time by this device's clock; 0 if there was none. Where that clock was set back, blocks are taken
  /// to have come in the order in which they did.
  package func sequence(arrivedBy time: Int64) throws(StoreError) -> Int64 {
    // Below `low` all had arrived, and from `high` on none.
    var (low, high) = (Int64(0), try lastSequence() + 1)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      let find = try connection.statement("SELECT seq, arrived FROM block WHERE seq <= ? ORDER BY seq DESC LIMIT 1")
      defer { find.reset() }
      find.bind(1, middle as Int64?)
      guard try find.step(), Int64(find.int(0)) > low else {
        low = middle
        continue
      }
      if Int64(find.int(1)) <= time { low = middle } else { high = Int64(find.int(0)) }
    }
    return low
  }

  /// The blocks that count and arrived behind one moment and up to another, in that order, until `body` returns false.
  package func forEachBlock(
    after first: Moment, through last: Moment, _ body: (BlockRow) throws -> Bool
  ) throws {
    // A page at a time: what `body` does may be long.
    var next = first.sequence
    while next < last.sequence {
      let scan = try connection.statement(
        "SELECT * FROM block_row WHERE seq > ? AND seq <= ? AND applied IN (1, 5) ORDER BY seq LIMIT 256")
      let page = try rows(scan.bind(1, next as Int64?).bind(2, last.sequence as Int64?))
      for row in page { guard try body(row) else { return } }
      guard let end = page.last else { return }
      next = end.sequence
    }
  }
}
