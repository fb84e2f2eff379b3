import SeaCore

// Copies of what was purged that did not verify, and so were kept apart.

extension PurgedBytes {
  /// What copies of removed blocks are known by: what the orders say that have allowed it.
  package func marks(of removed: [BlockRow]) throws -> PurgedMarks {
    var sources: [Digest: BlockRef] = [:]
    for row in removed { sources[row.digest] = try store.content.source(of: row) }
    var marks = PurgedMarks()
    guard !sources.isEmpty else { return marks }
    try store.control.forEachOrder { row in
      guard let source = sources[row.order.block.digest], source.isSame(row.author) else { return }
      marks.add(row.order.block, row.order.header)
    }
    return marks
  }

  /// The same of all that count.
  package func marks() throws -> PurgedMarks { try marks(of: store.blocks.removed().filter { $0.state != .unread }) }

  /// Whether bytes that do not verify have a copy of a purged block in them, and are not to be kept.
  package func isCopy(_ bytes: [UInt8]) throws -> Bool {
    guard try store.control.hasOrders() else { return false }
    return try marks().areIn(bytes)
  }

  /// Forgets the bytes of what was kept apart that has copies in it; `scrub` is owed from then on. That it was, and where, is still
  /// known.
  package func forgetCopies() throws {
    guard try store.peers.keepsBytes() else { return }
    let marks = try marks()
    guard !marks.isEmpty else { return }
    try store.write {
      try store.connection.execute("PRAGMA secure_delete=ON")
      if try store.peers.forgetBytes(where: marks.areIn) { try store.setMeta(PurgedBytes.scrubs, .int(1)) }
    }
  }
}

extension PeerTable {
  /// Forgets the bytes of what was kept apart of a chain: that it was, and where, is still known.
  func forgetBytes(of instance: UUID) throws(StoreError) {
    let forget = try connection.statement("UPDATE quarantine SET bytes = NULL WHERE instance = ?")
    try forget.bind(1, copy: instance.bytes).run()
  }

  /// Whether the bytes of anything are kept that was kept apart.
  func keepsBytes() throws(StoreError) -> Bool {
    let some = try connection.statement("SELECT EXISTS(SELECT 1 FROM quarantine WHERE bytes IS NOT NULL)")
    defer { some.reset() }
    return try some.step() && some.int(0) != 0
  }

  /// - Returns: whether there were any.
  func forgetBytes(where isGone: ([UInt8]) -> Bool) throws(StoreError) -> Bool {
    let scan = try connection.statement(
      "SELECT container, instance, fork, bytes FROM quarantine WHERE bytes IS NOT NULL")
    defer { scan.reset() }
    var gone: [(container: String, instance: [UInt8], fork: ForkID?)] = []
    while try scan.step() {
      if isGone(scan.array(3)) { gone.append((scan.text(0), scan.array(1), try scan.fork(2))) }
    }
    let forget = try connection.statement(
      "UPDATE quarantine SET bytes = NULL WHERE container = ? AND instance = ? AND fork = ?")
    for row in gone { try forget.bind(1, row.container).bind(2, copy: row.instance).bind(3, fork: row.fork).run() }
    return !gone.isEmpty
  }
}
