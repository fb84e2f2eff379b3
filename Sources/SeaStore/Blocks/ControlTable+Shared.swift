import SeaCore

/// How the settings that all share are kept apart: by their names, in an order that knows no case.
///
/// A *group* is what is asked for at once: the settings of a section, or those of the records of a type. Whoever may write may share as many as
/// he likes; of a group those count whose names are the first `most` that were ever shared, whether or not they have a value.
package enum SharedNames {
  package static let most = 1024

  static let all = "shared:"
  /// Behind all of them.
  static let end = "shared;"

  /// First what it is without regard to case: what is asked for without one lies together. Each spelling is a name of its own.
  static func kind(_ name: String) -> String { beginning(name) + " " + name }

  /// The name that such a kind has.
  static func name(_ kind: String) -> String {
    let both = kind.utf8.dropFirst(all.utf8.count)
    return String(decoding: both.suffix(both.count / 2), as: UTF8.self)
  }

  fileprivate static func beginning(_ name: String) -> String { all + folded(name) }

  static func folded(_ name: String) -> String {
    String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// What a block says of a setting and says otherwise further on.
  static func overruled(in controls: [ControlEntry]) -> Set<Int> {
    var last: [[UInt8]: Int] = [:]
    var overruled: Set<Int> = []
    for (item, entry) in controls.enumerated() {
      guard case .shared(let name, _) = entry else { continue }
      if let before = last.updateValue(item, forKey: Array(name.utf8)) { overruled.insert(before) }
    }
    return overruled
  }
}

extension ControlTable {
  /// The entries of the settings whose names begin so: of each name those that nothing later overrules. However often a name got another
  /// value, it is read in the same time, but for entries that claim to be later and whose clocks are not earned.
  /// - Parameter most: how many names are looked at; nil for all.
  package func shared(_ beginning: String, most: Int? = nil) throws(StoreError) -> [ControlRow] {
    var rows: [ControlRow] = []
    var open: [(place: Int, sequence: Int64)] = []
    var (low, high) = SharedNames.range(beginning)
    var names = 0
    while names < most ?? .max, let kind = try nextKind(behind: low, to: high) {
      if try addLatest(kind, to: &rows, &open) { names += 1 }
      low = kind
    }
    try time(&rows, open)
    return rows
  }

  private func nextKind(behind low: String, to high: String) throws(StoreError) -> String? {
    let find = try connection.statement("SELECT kind FROM control WHERE kind > ? AND kind < ? ORDER BY kind LIMIT 1")
    defer { find.reset() }
    find.bind(1, low).bind(2, high)
    return try find.step() ? find.text(0) : nil
  }

  /// - Returns: whether any entry of the name is applied.
  private func addLatest(
    _ kind: String, to rows: inout [ControlRow], _ open: inout [(place: Int, sequence: Int64)]
  ) throws(StoreError) -> Bool {
    let scan = try connection.statement(
      """
      SELECT k.bytes, b.instance, b.idx, b.lamport, k.item, b.applied, b.digest, b.fork, b.earned, b.seq
      FROM control k CROSS JOIN block_row b ON b.seq = k.seq WHERE k.kind = ? AND b.applied = 1 ORDER BY k.lamport DESC
      """)
    defer { scan.reset() }
    scan.bind(1, kind)
    let before = rows.count
    var earned: Int?
    while try scan.step() {
      // What is not earned goes by what is earned before it, and that is earlier still.
      if let earned, scan.int(3) < earned { break }
      if scan.int(8) != 0, earned == nil { earned = scan.int(3) }
      try rows.append(row(scan, at: rows.count, &open))
    }
    return rows.count > before
  }

  /// Visits the names of shared settings, without regard to case; one of several spellings as often as it has those.
  package func forEachSharedName(_ body: (String) -> Void) throws(StoreError) {
    let find = try Statement(
      connection,
      """
      WITH RECURSIVE each(kind) AS (
        SELECT min(kind) FROM control WHERE kind >= ?1 AND kind < ?2
        UNION ALL SELECT (SELECT min(kind) FROM control WHERE kind > each.kind AND kind < ?2) FROM each WHERE each.kind IS NOT NULL)
      SELECT kind FROM each WHERE kind IS NOT NULL
        AND EXISTS(SELECT 1 FROM control k JOIN block b ON b.seq = k.seq WHERE k.kind = each.kind AND b.applied = 1)
      """)
    find.bind(1, SharedNames.all).bind(2, SharedNames.end)
    while try find.step() { body(SharedNames.folded(SharedNames.name(find.text(0)))) }
  }
}

extension SharedNames {
  /// Where the names lie that begin so.
  fileprivate static func range(_ beginning: String) -> (low: String, high: String) {
    let low = self.beginning(beginning)
    // The last one is a sign of ASCII.
    guard let last = low.utf8.last, last < 0x7F else { return (low, end) }
    return (low, String(decoding: Array(low.utf8.dropLast()) + [last + 1], as: UTF8.self))
  }
}
