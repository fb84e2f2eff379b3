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
