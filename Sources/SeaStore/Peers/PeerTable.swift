import SeaCore

/// Stores data about containers, and the heads that other instances have seen. Branches have the names that they have
/// in the container.
package final class PeerTable {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  package func state(of container: String) throws(StoreError) -> String? {
    let find = try connection.statement("SELECT state FROM container WHERE name = ?").bind(1, container)
    defer { find.reset() }
    return try find.step() ? find.text(0) : nil
  }

  package func containers() throws(StoreError) -> [String] {
    let scan = try connection.statement("SELECT name FROM container ORDER BY name")
    defer { scan.reset() }
    var names: [String] = []
    while try scan.step() { names.append(scan.text(0)) }
    return names
  }

  package func setState(_ state: String, of container: String) throws(StoreError) {
    let set = try connection.statement("INSERT OR REPLACE INTO container(name, state) VALUES(?, ?)")
    try set.bind(1, container).bind(2, state).run()
  }

  package func forget(_ container: String) throws(StoreError) {
    for sql: StaticString in [
      "DELETE FROM container WHERE name = ?", "DELETE FROM seen WHERE container = ?",
      "DELETE FROM quarantine WHERE container = ?",
    ] { try connection.statement(sql).bind(1, container).run() }
  }

  // MARK: - Known heads in a container

  private func refs(_ scan: Statement) throws(StoreError) -> [BranchID: BlockRef] {
    defer { scan.reset() }
    var refs: [BranchID: BlockRef] = [:]
    while try scan.step() {
      guard scan.bytes(0).count == 16, let digest = Digest(scan.array(3)) else { throw .damaged("seen") }
      let branch = BranchID(UUID(scan.bytes(0).baseAddress!), fork: try scan.fork(1))
      refs[branch] = BlockRef(branch, index: UInt32(truncatingIfNeeded: scan.int(2)), digest: digest)
    }
    return refs
  }

  package func seen(in container: String) throws(StoreError) -> [BranchID: BlockRef] {
    try refs(
      connection.statement("SELECT instance, fork, idx, digest FROM seen WHERE container = ?").bind(1, container))
  }

  package func seen(of instance: UUID, in container: String) throws(StoreError) -> [BranchID: BlockRef] {
    let scan = try connection.statement(
      "SELECT instance, fork, idx, digest FROM seen WHERE container = ? AND instance = ?")
    return try refs(scan.bind(1, container).bind(2, copy: instance.bytes))
  }

  package func seen(_ branch: BranchID, in container: String) throws(StoreError) -> BlockRef? {
    let find = try connection.statement(
      "SELECT instance, fork, idx, digest FROM seen WHERE container = ? AND instance = ? AND fork = ?")
    return try refs(find.bind(1, container).bind(2, copy: branch.instance.bytes).bind(3, fork: branch.fork))[branch]
  }

  package func setSeen(_ ref: BlockRef, in container: String) throws(StoreError) {
    let set = try connection.statement(
      "INSERT OR REPLACE INTO seen(container, instance, fork, idx, digest) VALUES(?, ?, ?, ?, ?)")
    set.bind(1, container).bind(2, copy: ref.instance.bytes).bind(3, fork: ref.branch.fork)
    try set.bind(4, Int(ref.index)).bind(5, copy: ref.digest.bytes).run()
  }

  package func forgetSeen(_ branch: BranchID, in container: String) throws(StoreError) {
    let forget = try connection.statement("DELETE FROM seen WHERE container = ? AND instance = ? AND fork = ?")
    try forget.bind(1, container).bind(2, copy: branch.instance.bytes).bind(3, fork: branch.fork).run()
  }

  // MARK: - Heads seen by others

  /// Stores the greatest head that any block has announced for each chain.
  func recordAnnounced(_ heads: [BlockRef]) throws(StoreError) {
    let set = try connection.statement(
      """
      INSERT INTO announced(instance, idx, digest) VALUES(?, ?, ?)
      ON CONFLICT(instance) DO UPDATE SET idx = excluded.idx, digest = excluded.digest WHERE excluded.idx > idx
      """)
    for head in heads {
      set.bind(1, copy: head.instance.bytes).bind(2, Int(head.index)).bind(3, copy: head.digest.bytes)
      try set.run()
    }
  }

  /// Returns the chains of which another instance has seen more blocks than this instance has. `announced` is the last
  /// index that the other instance has seen, and `have` is the last index on this device, or −1.
  package func chainsSeenElsewhere() throws(StoreError) -> [(instance: UUID, announced: UInt32, have: Int)] {
    let scan = try connection.statement(
      """
      SELECT t.instance, t.idx, ifnull((SELECT max(head) FROM branch s WHERE s.instance = t.instance), -1) AS have
      FROM announced t WHERE t.idx > have ORDER BY t.instance
      """)
    defer { scan.reset() }
    var found: [(instance: UUID, announced: UInt32, have: Int)] = []
    while try scan.step() {
      guard scan.bytes(0).count == 16 else { throw .damaged("announced") }
      found.append((UUID(scan.bytes(0).baseAddress!), UInt32(truncatingIfNeeded: scan.int(1)), scan.int(2)))
    }
    return found
  }

  // MARK: - Quarantine

  package func quarantine() throws(StoreError) -> [QuarantineRow] {
    try quarantine(
      connection.statement(
        """
        SELECT container, instance, fork, idx, reason, since, syncs, length(bytes) FROM quarantine
        ORDER BY container, fork, instance
        """))
  }

  package func quarantine(of branch: BranchID, in container: String) throws(StoreError) -> QuarantineRow? {
    let find = try connection.statement(
      """
      SELECT container, instance, fork, idx, reason, since, syncs, length(bytes) FROM quarantine
      WHERE container = ? AND instance = ? AND fork = ?
      """)
    find.bind(1, container).bind(2, copy: branch.instance.bytes).bind(3, fork: branch.fork)
    return try quarantine(find).first
  }

  private func quarantine(_ scan: Statement) throws(StoreError) -> [QuarantineRow] {
    defer { scan.reset() }
    var rows: [QuarantineRow] = []
    while try scan.step() {
      guard scan.bytes(1).count == 16 else { throw .damaged("quarantine") }
      rows.append(
        QuarantineRow(
          container: scan.text(0), branch: BranchID(UUID(scan.bytes(1).baseAddress!), fork: try scan.fork(2)),
          index: UInt32(truncatingIfNeeded: scan.int(3)), reason: scan.text(4), since: Int64(scan.int(5)),
          syncs: scan.int(6), size: scan.optionalInt(7).map { Int($0) }))
    }
    return rows
  }

  /// Records quarantined data; `bytes` is nil if the data is incomplete or too large.
  /// - Returns: the time at which this data was first found, and the number of consecutive syncs that have found it.
  package func recordQuarantined(
    _ branch: BranchID, in container: String, index: UInt32, reason: String, now: Int64, bytes: [UInt8]?
  ) throws(StoreError) -> (since: Int64, syncs: Int) {
    var old = try quarantine(of: branch, in: container)
    if old?.index != index || old?.reason != reason { old = nil }
    let set = try connection.statement(
      """
      INSERT OR REPLACE INTO quarantine(container, instance, fork, idx, reason, since, syncs, bytes)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?)
      """)
    let syncs = (old?.syncs ?? 0) + 1
    set.bind(1, container).bind(2, copy: branch.instance.bytes).bind(3, fork: branch.fork).bind(4, Int(index))
    set.bind(5, reason).bind(6, (old?.since ?? now) as Int64?).bind(7, syncs)
    try set.bind(8, copy: bytes).run()
    return (old?.since ?? now, syncs)
  }

  package func release(_ branch: BranchID, in container: String) throws(StoreError) {
    let remove = try connection.statement("DELETE FROM quarantine WHERE container = ? AND instance = ? AND fork = ?")
    try remove.bind(1, container).bind(2, copy: branch.instance.bytes).bind(3, fork: branch.fork).run()
  }
}
