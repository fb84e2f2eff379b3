import SeaCore

/// A control entry that affects other blocks or instances, and its position.
package struct ControlRow: Sendable {
  package var entry: ControlEntry
  package var block: BlockRef
  /// The proven time of the block, by which entries are ordered.
  package var time: UInt32
  /// The Lamport time of the last block, up to this one, whose clock is earned, or 0. Any author can refer to it.
  package var earned: UInt32
  package var item: Int
  package var isApplied: Bool

  package init(entry: ControlEntry, block: BlockRef, time: UInt32, earned: UInt32? = nil, item: Int, isApplied: Bool) {
    self.entry = entry
    self.block = block
    self.time = time
    self.earned = earned ?? time
    self.item = item
    self.isApplied = isApplied
  }
}

extension ControlEntry {
  /// The key of an entry in the table; nil if the entry is never queried. A setting's key contains its name, because
  /// there can be many settings.
  var kind: String? {
    switch self {
    case .authorize: "authorize"
    case .revoke: "revoke"
    case .epoch: "epoch"
    case .shared(let name, _): SharedNames.kind(name)
    case .purge: "purge"
    case .instance: "instance"
    case .unknown: nil
    }
  }
}

package final class ControlTable {
  let connection: Connection
  let branches: BranchTable

  init(_ connection: Connection, _ branches: BranchTable) {
    self.connection = connection
    self.branches = branches
  }

  func keep(_ controls: [ControlEntry], sequence: Int64) throws(StoreError) {
    let overruled = SharedNames.overridden(in: controls)
    for (item, entry) in controls.enumerated() where !overruled.contains(item) {
      guard let kind = entry.kind else { continue }
      var writer = ByteWriter()
      entry.write(into: &writer)
      let insert = try connection.statement(
        """
        INSERT OR IGNORE INTO control(seq, item, kind, lamport, bytes)
        SELECT seq, ?, ?, lamport, ? FROM block WHERE seq = ?
        """)
      insert.bind(1, item).bind(2, kind).bind(3, copy: writer.array()).bind(4, sequence as Int64?)
      try insert.run()
    }
  }

  /// Returns the blocks with unreadable entries. Such an entry is damaged on this device, or was written by a program
  /// with weaker checks.
  func unreadable() throws(StoreError) -> [Int64] {
    let scan = try connection.statement("SELECT seq, bytes FROM control ORDER BY seq")
    defer { scan.reset() }
    var found: [Int64] = []
    while try scan.step() {
      let sequence = Int64(scan.int(0))
      if found.last != sequence, ControlEntry(stored: scan.array(1)) == nil { found.append(sequence) }
    }
    return found
  }

  func forget(sequence: Int64) throws(StoreError) {
    try connection.statement("DELETE FROM control WHERE seq = ?").bind(1, sequence as Int64?).run()
  }

  /// Returns the entries of the given kinds, in no particular order. From blocks with a wrong clock, only entries of
  /// kind `instance` are returned.
  /// - Parameter includesHeldBack: whether to include entries held back because of unreadable data.
  package func controls(_ kinds: [String], includesHeldBack: Bool = false) throws -> [ControlRow] {
    var rows: [ControlRow] = []
    var open: [(place: Int, sequence: Int64)] = []
    for kind in kinds {
      let scan = try connection.statement(
        """
        SELECT k.bytes, b.instance, b.idx, b.lamport, k.item, b.applied, b.digest, b.fork, b.earned, b.seq
        FROM control k JOIN block_row b ON b.seq = k.seq WHERE k.kind = ? AND (k.kind = 'instance' OR b.applied <> 3 AND b.applied <> ?)
        """)
      defer { scan.reset() }
      scan.bind(1, kind).bind(2, includesHeldBack ? -1 : BlockState.heldBack.rawValue)
      while try scan.step() { try rows.append(row(scan, at: rows.count, &open)) }
    }
    try time(&rows, open)
    return rows
  }

  /// - Parameter open: receives the position of each row whose time is not yet known.
  func row(
    _ scan: Statement, at place: Int, _ open: inout [(place: Int, sequence: Int64)]
  ) throws(StoreError) -> ControlRow {
    guard scan.bytes(1).count == 16, let entry = ControlEntry(stored: scan.array(0)), let digest = Digest(scan.array(6))
    else { throw .damaged("control") }
    let branch = BranchID(UUID(scan.bytes(1).baseAddress!), fork: try scan.fork(7))
    if scan.int(8) == 0 { open.append((place, Int64(scan.int(9)))) }
    return ControlRow(
      entry: entry, block: BlockRef(branch, index: UInt32(truncatingIfNeeded: scan.int(2)), digest: digest),
      time: UInt32(truncatingIfNeeded: scan.int(3)), item: scan.int(4), isApplied: scan.int(5) == 1)
  }

  func time(_ rows: inout [ControlRow], _ open: [(place: Int, sequence: Int64)]) throws {
    if open.isEmpty { return }
    let clocks = try StoredClockSource(branches)
    var times = ProvenTimes(clocks, clocks.branches)
    for (place, sequence) in open {
      guard let row = try branches.blocks.block(sequence: sequence), let spot = clocks.clockPlace(of: row) else {
        throw StoreError.damaged("control")
      }
      rows[place].time = try times.time(of: spot)
      rows[place].earned = try branches.earnedTime(upTo: row)
    }
  }

  package func chainCreations() throws -> [Membership.FirstBlock] {
    try controls(["instance"]).compactMap { Membership.FirstBlock($0.entry, block: $0.block) }
  }

  // MARK: - Purge orders

  package struct OrderRow {
    package var order: PurgeOrder
    package var author: BlockRef
    package var sequence: Int64
    package var item: Int
    package var state: BlockState
  }

  /// Visits the purge orders of all readable blocks, whether applied or not.
  package func forEachOrder(_ body: (OrderRow) throws -> Void) throws {
    let scan = try orders()
    while try scan.step() { try body(order(scan)) }
  }

  private func orders() throws(StoreError) -> Statement {
    try Statement(
      connection,
      """
      SELECT k.bytes, b.instance, b.idx, b.digest, b.fork, k.seq, k.item, b.applied
      FROM control k JOIN block_row b ON b.seq = k.seq WHERE k.kind = 'purge'
      """)
  }

  private func order(_ scan: Statement) throws(StoreError) -> OrderRow {
    guard scan.bytes(1).count == 16, let digest = Digest(scan.array(3)),
      case .purge(let order)? = ControlEntry(stored: scan.array(0))
    else { throw .damaged("control") }
    let branch = BranchID(UUID(scan.bytes(1).baseAddress!), fork: try scan.fork(4))
    return OrderRow(
      order: order, author: BlockRef(branch, index: UInt32(truncatingIfNeeded: scan.int(2)), digest: digest),
      sequence: Int64(scan.int(5)), item: scan.int(6), state: BlockState(rawValue: scan.int(7)) ?? .unread)
  }

  package func order(_ sequence: Int64, _ item: Int) throws(StoreError) -> PurgeOrder? {
    let find = try connection.statement("SELECT bytes FROM control WHERE seq = ? AND item = ? AND kind = 'purge'")
    defer { find.reset() }
    find.bind(1, sequence as Int64?).bind(2, item)
    guard try find.step(), case .purge(let order)? = ControlEntry(stored: find.array(0)) else { return nil }
    return order
  }

  // MARK: - Access requests

  package func requests() throws(StoreError) -> [[UInt8]] {
    let scan = try connection.statement("SELECT bytes FROM request ORDER BY instance")
    defer { scan.reset() }
    var found: [[UInt8]] = []
    while try scan.step() { found.append(scan.array(0)) }
    return found
  }

  package func keepRequest(_ bytes: [UInt8], of instance: UUID) throws(StoreError) {
    let insert = try connection.statement("INSERT OR REPLACE INTO request(instance, bytes) VALUES(?, ?)")
    try insert.bind(1, copy: instance.bytes).bind(2, copy: bytes).run()
  }

  package func removeRequest(of instance: UUID) throws(StoreError) {
    try connection.statement("DELETE FROM request WHERE instance = ?").bind(1, copy: instance.bytes).run()
  }

  // MARK: - Key slots

  package func slots() throws(StoreError) -> [Slot] {
    let scan = try connection.statement("SELECT bytes FROM slot ORDER BY digest")
    defer { scan.reset() }
    var slots: [Slot] = []
    while try scan.step() {
      guard let slot = try? Slot(scan.array(0)) else { throw .damaged("slot") }
      slots.append(slot)
    }
    return slots
  }

  package func keep(_ slot: Slot) throws(StoreError) {
    let insert = try connection.statement("INSERT OR IGNORE INTO slot(digest, bytes) VALUES(?, ?)")
    try insert.bind(1, copy: slot.digest.bytes).bind(2, copy: slot.bytes).run()
  }
}

/// Keys of shared settings in the table, sorted by name. The first and the last part of a name ignore case, so they are
/// stored in lower case; all spellings of a name have one key.
///
/// A *group* is the unit of a query: the settings of a section, or those of a record type. Any writer may share any
/// number of settings. In a group, only the first names that were ever shared count, with or without a value.
package enum SharedNames {
  package static let most = 1024
  /// The size of the stored entries after which no more names of a group are read.
  package static let mostBytes = 4 << 20

  static let all = "shared:"
  /// A key that sorts after all keys of shared settings.
  static let end = "shared;"

  static func kind(_ name: String) -> String {
    var bytes = Array(name.utf8)
    if let first = bytes.firstIndex(of: 0x2E), let last = bytes.lastIndex(of: 0x2E) {
      for k in bytes.indices where (k < first || k > last) && (0x41...0x5A).contains(bytes[k]) { bytes[k] |= 0x20 }
    }
    return all + String(decoding: bytes, as: UTF8.self)
  }

  static func name(_ kind: String) -> String { String(decoding: kind.utf8.dropFirst(all.utf8.count), as: UTF8.self) }

  /// Returns the positions of the settings that a later entry in the same block sets again.
  static func overridden(in controls: [ControlEntry]) -> Set<Int> {
    var last: [[UInt8]: Int] = [:]
    var overruled: Set<Int> = []
    for (item, entry) in controls.enumerated() {
      guard case .shared(let name, _) = entry else { continue }
      if let before = last.updateValue(item, forKey: Array(kind(name).utf8)) { overruled.insert(before) }
    }
    return overruled
  }
}

extension ControlTable {
  /// Returns the entries of settings with this prefix that no later entry overrides. The time does not depend on how
  /// often a value changed, except for later entries whose clocks are not earned.
  /// - Parameter isLimited: whether only the settings that count in a group are read.
  package func shared(_ beginning: String, isLimited: Bool = false) throws -> [ControlRow] {
    var rows: [ControlRow] = []
    var open: [(place: Int, sequence: Int64)] = []
    var (low, high) = SharedNames.range(beginning)
    var (names, bytes) = (0, 0)
    while !isLimited || names < SharedNames.most && bytes < SharedNames.mostBytes,
      let kind = try nextKind(behind: low, to: high)
    {
      let size = try addLatest(kind, to: &rows, &open)
      if size > 0 { names += 1 }
      bytes += size
      low = kind
    }
    try time(&rows, open)
    return rows
  }

  /// Returns the entries of one setting that no later entry overrides.
  package func shared(named name: String) throws -> [ControlRow] {
    var rows: [ControlRow] = []
    var open: [(place: Int, sequence: Int64)] = []
    _ = try addLatest(SharedNames.kind(name), to: &rows, &open)
    try time(&rows, open)
    return rows
  }

  private func nextKind(behind low: String, to high: String) throws(StoreError) -> String? {
    let find = try connection.statement("SELECT kind FROM control WHERE kind > ? AND kind < ? ORDER BY kind LIMIT 1")
    defer { find.reset() }
    find.bind(1, low).bind(2, high)
    return try find.step() ? find.text(0) : nil
  }

  /// - Returns: the size of the first entry; 0 if no entry with the name is applied.
  private func addLatest(
    _ kind: String, to rows: inout [ControlRow], _ open: inout [(place: Int, sequence: Int64)]
  ) throws(StoreError) -> Int {
    let scan = try connection.statement(
      """
      SELECT k.bytes, b.instance, b.idx, b.lamport, k.item, b.applied, b.digest, b.fork, b.earned, b.seq
      FROM control k CROSS JOIN block_row b ON b.seq = k.seq WHERE k.kind = ? AND b.applied = 1 ORDER BY k.lamport DESC
      """)
    defer { scan.reset() }
    scan.bind(1, kind)
    var size = 0
    var earned: Int?
    while try scan.step() {
      // An entry without an earned clock counts as written at the last earned clock before it, which is even earlier.
      if let earned, scan.int(3) < earned { break }
      if size == 0 { size = scan.bytes(0).count }
      if scan.int(8) != 0, earned == nil { earned = scan.int(3) }
      try rows.append(row(scan, at: rows.count, &open))
    }
    return size
  }

  /// Visits the names of shared settings with the sizes of their entries, sorted by name.
  package func forEachSharedName(_ body: (String, Int) -> Void) throws(StoreError) {
    let find = try Statement(
      connection,
      """
      WITH RECURSIVE each(kind) AS (
        SELECT min(kind) FROM control WHERE kind >= ?1 AND kind < ?2
        UNION ALL SELECT (SELECT min(kind) FROM control WHERE kind > each.kind AND kind < ?2) FROM each WHERE each.kind IS NOT NULL)
      SELECT kind, (SELECT length(k.bytes) FROM control k CROSS JOIN block b ON b.seq = k.seq
        WHERE k.kind = each.kind AND b.applied = 1 ORDER BY k.lamport DESC LIMIT 1) AS size
      FROM each WHERE size > 0
      """)
    find.bind(1, SharedNames.all).bind(2, SharedNames.end)
    while try find.step() { body(SharedNames.name(find.text(0)), find.int(1)) }
  }
}

extension SharedNames {
  fileprivate static func range(_ beginning: String) -> (low: String, high: String) {
    let low = all + beginning
    guard let last = low.utf8.last, last < 0x7F else { return (low, end) }
    return (low, String(decoding: Array(low.utf8.dropLast()) + [last + 1], as: UTF8.self))
  }
}
