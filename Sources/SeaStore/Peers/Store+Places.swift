import SeaCore

/// What does not verify, or is not whole yet: kept apart, shown, never applied and never passed on.
package struct QuarantineRow: Sendable {
  package var container: String
  package var instance: UUID
  /// Of a sibling branch: `~` and its digits.
  package var branch: String
  package var index: UInt32
  /// A code of sea-verify(1).
  package var reason: String
  package var since: Int64
  /// How many syncs in a row have met it.
  package var syncs: Int
  package var size: Int?
}

package struct ContainerRow: Sendable {
  package var name: String
  package var id: UUID
  /// When it was last synced, milliseconds since 1970; 0 for never.
  package var last: Int64
  package var state: String

  package init(name: String, id: UUID, last: Int64, state: String) {
    self.name = name
    self.id = id
    self.last = last
    self.state = state
  }
}

extension Store {
  package func container(_ name: String) throws(StoreError) -> ContainerRow? {
    let find = try connection.statement("SELECT name, id, last, state FROM container WHERE name = ?")
    defer { find.reset() }
    find.bind(1, name)
    guard try find.step() else { return nil }
    guard find.bytes(1).count == 16 else { throw .damaged("container") }
    return ContainerRow(
      name: find.text(0), id: UUID(find.bytes(1).baseAddress!), last: Int64(find.int(2)), state: find.text(3))
  }

  package func setContainer(_ row: ContainerRow) throws(StoreError) {
    let set = try connection.statement("INSERT OR REPLACE INTO container(name, id, last, state) VALUES(?, ?, ?, ?)")
    try set.bind(1, row.name).bind(2, copy: row.id.bytes).bind(3, row.last as Int64?).bind(4, row.state).run()
  }

  package func removeContainer(_ name: String) throws(StoreError) {
    for sql: StaticString in [
      "DELETE FROM container WHERE name = ?1", "DELETE FROM seen WHERE container = ?1 OR container GLOB ?1 || '~*'",
      "DELETE FROM quarantine WHERE container = ?1 OR container GLOB ?1 || '~*'",
      "DELETE FROM handed WHERE container = ?1",
    ] { try connection.statement(sql).bind(1, name).run() }
  }

  /// How far each chain is known to be in a container.
  package func seen(in container: String) throws(StoreError) -> [UUID: BlockRef] {
    let scan = try connection.statement("SELECT instance, idx, digest FROM seen WHERE container = ?")
    defer { scan.reset() }
    scan.bind(1, container)
    var heads: [UUID: BlockRef] = [:]
    while try scan.step() {
      guard scan.bytes(0).count == 16, let digest = Digest(scan.array(2)) else { throw .damaged("seen") }
      let instance = UUID(scan.bytes(0).baseAddress!)
      heads[instance] = BlockRef(instance: instance, index: UInt32(truncatingIfNeeded: scan.int(1)), digest: digest)
    }
    return heads
  }

  package func setSeen(_ head: BlockRef, in container: String) throws(StoreError) {
    let set = try connection.statement(
      "INSERT OR REPLACE INTO seen(container, instance, idx, digest) VALUES(?, ?, ?, ?)")
    set.bind(1, container).bind(2, copy: head.instance.bytes).bind(3, Int(head.index))
    try set.bind(4, copy: head.digest.bytes).run()
  }

  package func forgetSeen(_ instance: UUID, in container: String) throws(StoreError) {
    let forget = try connection.statement("DELETE FROM seen WHERE container = ? AND instance = ?")
    try forget.bind(1, container).bind(2, copy: instance.bytes).run()
  }

  // MARK: - What others have seen

  /// Keeps the greatest head of each chain that any block has named.
  func note(_ heads: [BlockRef]) throws(StoreError) {
    let set = try connection.statement(
      """
      INSERT INTO told(instance, idx, digest) VALUES(?, ?, ?)
      ON CONFLICT(instance) DO UPDATE SET idx = excluded.idx, digest = excluded.digest WHERE excluded.idx > idx
      """)
    for head in heads {
      set.bind(1, copy: head.instance.bytes).bind(2, Int(head.index)).bind(3, copy: head.digest.bytes)
      try set.run()
    }
  }

  /// Chains of which somebody has seen more than this instance has: up to which index, and where ours ends (−1 for
  /// nothing).
  package func withheld() throws(StoreError) -> [(instance: UUID, told: UInt32, have: Int)] {
    let scan = try connection.statement(
      """
      SELECT t.instance, t.idx, max(ifnull(c.head, -1), ifnull(
        (SELECT max(head) FROM branch s WHERE s.instance = t.instance), -1)) AS have
      FROM told t LEFT JOIN chain c ON c.instance = t.instance
      WHERE t.idx > have ORDER BY t.instance
      """)
    defer { scan.reset() }
    var found: [(instance: UUID, told: UInt32, have: Int)] = []
    while try scan.step() {
      guard scan.bytes(0).count == 16 else { throw .damaged("told") }
      found.append((UUID(scan.bytes(0).baseAddress!), UInt32(truncatingIfNeeded: scan.int(1)), scan.int(2)))
    }
    return found
  }

  // MARK: - Quarantine

  package func quarantine() throws(StoreError) -> [QuarantineRow] {
    let scan = try connection.statement(
      """
      SELECT container, instance, idx, reason, since, syncs, length(bytes) FROM quarantine
      ORDER BY container, instance
      """)
    defer { scan.reset() }
    var rows: [QuarantineRow] = []
    while try scan.step() {
      guard scan.bytes(1).count == 16 else { throw .damaged("quarantine") }
      let folder = scan.text(0)
      let container = folder.prefix { $0 != "~" }
      rows.append(
        QuarantineRow(
          container: String(container), instance: UUID(scan.bytes(1).baseAddress!),
          branch: String(folder.dropFirst(container.count)),
          index: UInt32(truncatingIfNeeded: scan.int(2)), reason: scan.text(3), since: Int64(scan.int(4)),
          syncs: scan.int(5), size: scan.optionalInt(6).map { Int($0) }))
    }
    return rows
  }

  /// Keeps what was met at a place; `bytes` is nil for what is not whole or too large to keep.
  /// - Returns: how many syncs in a row have met the same.
  package func keepApart(
    container: String, instance: UUID, index: UInt32, reason: String, now: Int64, bytes: [UInt8]?
  ) throws(StoreError) -> Int {
    let old = try quarantine().first {
      $0.container + $0.branch == container && $0.instance == instance && $0.index == index && $0.reason == reason
    }
    let set = try connection.statement(
      """
      INSERT OR REPLACE INTO quarantine(container, instance, idx, reason, since, syncs, bytes)
      VALUES(?, ?, ?, ?, ?, ?, ?)
      """)
    let syncs = (old?.syncs ?? 0) + 1
    set.bind(1, container).bind(2, copy: instance.bytes).bind(3, Int(index)).bind(4, reason)
    try set.bind(5, (old?.since ?? now) as Int64?).bind(6, syncs).bind(7, copy: bytes).run()
    return syncs
  }

  package func release(container: String, instance: UUID) throws(StoreError) {
    let remove = try connection.statement("DELETE FROM quarantine WHERE container = ? AND instance = ?")
    try remove.bind(1, container).bind(2, copy: instance.bytes).run()
  }
}
