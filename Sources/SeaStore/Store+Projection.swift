import SeaCore

// The projection as a whole: what it says in one digest, and how it is made anew.

extension Store {
  /// One digest over everything the projection says: equal content, equal digest, whatever arrived when.
  ///
  /// Every revision is read from its block on the way, and must be what its name says.
  package func projectionDigest() throws -> Digest {
    var hash = SHA256()
    var filter = RecordFilter()
    filter.withDeleted = true
    try records.forEachRecord(filter) { row in
      hash.update("\(row.id)\n\(row.type ?? "-")\n\(row.leaves) \(row.live) \(row.conflict.rawValue)\n")
      if let shape = try records.shape(of: row) { hash.update(shape) }
      for one in try records.revisions(of: row) {
        let items = try blocks.read(sequence: one.place, offset: one.offset, length: one.length)
        if one.isOrdered {
          hash.update(items)
        } else if items.withUnsafeBytes({ Change.digest(items: $0) }) != one.revision.digest {
          throw StoreError.damaged("revision \(one.revision) of \(row.id)")
        }
        let parent = one.parent.map { $0.description } ?? "-"
        hash.update("\(one.revision) \(one.kind.rawValue) \(one.isLeaf) \(one.isAttached) \(parent)\n")
      }
      return true
    }
    let targets = try connection.statement(
      "SELECT r.id, f.target FROM reference f JOIN record r ON r.key = f.record ORDER BY r.id, f.target")
    defer { targets.reset() }
    while try targets.step() { hash.update("\(targets.text(0))\n\(targets.text(1))\n") }
    try assets.hash(into: &hash)
    let waits = try connection.statement(
      """
      SELECT r.id, w.depth, hex(w.digest), hex(w.parent) FROM waiting w JOIN record r ON r.key = w.record
      ORDER BY 1, 2, 3, 4
      """)
    defer { waits.reset() }
    while try waits.step() {
      hash.update("\(waits.text(0))\n\(waits.int(1)) \(waits.text(2)) \(waits.text(3))\n")
    }
    return hash.digest()
  }

  /// Forgets the projection and builds it anew from the blocks, in one transaction.
  /// - Returns: how many blocks were read, and of those how many this program cannot apply.
  package func rebuildProjection() throws -> (blocks: Int, unread: Int) {
    try write {
      try renewControls()
      return try rebuild()
    }
  }

  /// Entries that are kept apart and cannot be read are made anew from their blocks. A block that says what this program does
  /// not read itself is one that was not read.
  private func renewControls() throws {
    for sequence in try control.unreadable() {
      try control.forget(sequence: sequence)
      guard let row = try blocks.block(sequence: sequence), row.state != .unread,
        let bytes = try blocks.clearBytes(of: row)
      else { continue }
      let read = bytes.withUnsafeBytes { bytes in
        Result { () throws(CoreError) in try BlockReader.payload(ofKept: bytes) }
      }
      switch read {
      case .success(let payload): try control.keep(payload.controls, sequence: sequence)
      case .failure(let fault):
        try blocks.setState(.unread, of: row)
        try blocks.setUnread(UnreadReason(fault), of: row)
      }
    }
  }

  /// The same in the current transaction.
  /// - Returns: how many records there are.
  package func rebuildInTransaction() throws -> Int {
    _ = try rebuild()
    return try records.countRecords(RecordFilter())
  }

  /// - Parameter tellingAll: whether the feed begins anew, so that it tells of all that is known. Else it tells of what is
  ///   different afterwards.
  func rebuild(tellingAll: Bool = false) throws -> (blocks: Int, unread: Int) {
    precondition(connection.isInTransaction)
    let feeds = feed.isOn
    let comparesAfter = try feeds && !tellingAll && records.noteFormer()
    if feeds, !comparesAfter { try feed.clear() }
    feed.isOn = feeds && !comparesAfter
    defer { feed.isOn = feeds }
    try connection.execute(Schema.dropProjection)
    try connection.execute(Schema.projection)
    connection.state.nextRecord = 1
    connection.state.someWait = false
    let counts = try records.indexes.paused { try replay(from: self) }
    for index in try records.indexes.all() { try records.fill(index) }
    if comparesAfter { try records.tellDifference() }
    connection.state.mustRebuild = false
    return counts
  }

  /// Brings the projection in step where what came together does not go together.
  func rebuildIfNeeded() throws {
    if connection.state.mustRebuild { _ = try rebuild() }
  }

  /// The digest that the projection should have: that of one built aside from the same blocks.
  package func expectedProjectionDigest() throws -> Digest { try aside { try $0.projectionDigest() } }

  /// Whether the projection, and every index, says what follows from the blocks.
  package func isProjectionRight() throws -> Bool {
    try aside { aside in
      try aside.projectionDigest() == projectionDigest() && aside.indexDigest(as: self) == indexDigest()
    }
  }

  /// Builds the projection aside from the same blocks.
  private func aside<Result>(_ body: (Store) throws -> Result) throws -> Result {
    let aside = try Store(temporary: ())
    return try aside.write {
      _ = try aside.replay(from: self)
      return try body(aside)
    }
  }

  /// Whole blocks first, then what orders say of removed ones, in the order of the clock: so whatever an order says that is not
  /// so comes too late.
  private func replay(from source: Store) throws -> (blocks: Int, unread: Int) {
    var counts = (blocks: 0, unread: 0)
    var last: Int64 = 0
    var purged: [BlockRow] = []
    while let row = try source.blocks.block(after: last) {
      last = row.sequence
      counts.blocks += 1
      guard !row.isRemoved else {
        if row.state == .purged { purged.append(row) }
        continue
      }
      guard row.state == .applied, !row.isHidden, let bytes = try source.blocks.clearBytes(of: row) else {
        if row.state == .unread { counts.unread += 1 }
        continue
      }
      try bytes.withUnsafeBytes { bytes in
        guard let payload = try? BlockReader.payload(ofKept: bytes) else {
          counts.unread += 1
          return
        }
        if self !== source { try blocks.copyPieces(bytes, sequence: row.sequence) }
        _ = try apply(payload, of: bytes, sequence: row.sequence)
      }
    }
    for row in purged.sorted(by: { $0.isBefore($1) }) {
      try source.blocks.remains(of: row).withUnsafeBytes { bytes in
        guard let remains = try? Remains(ofKept: bytes) else { throw StoreError.damaged("block \(row.ref)") }
        if self !== source { try blocks.copyPieces(bytes, sequence: row.sequence) }
        _ = try records.apply(remains.changes, of: bytes, sequence: row.sequence)
      }
    }
    return counts
  }
}
