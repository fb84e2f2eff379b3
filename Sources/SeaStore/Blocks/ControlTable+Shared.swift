import SeaCore

/// How the settings that all share are kept apart: by their names, without regard to case.
///
/// A *group* is what is asked for at once: the settings of a section, or those of the records of a type. Whoever may write may share as many as
/// he likes; of a group those count whose names are the first `most` that were ever shared, whether or not they have a value.
package enum SharedNames {
  package static let most = 1024

  static let all = "shared:"
  /// Behind all of them.
  static let end = "shared;"

  static func kind(_ name: String) -> String { all + folded(name) }

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
  /// The entries of the settings whose names begin so.
  /// - Parameter most: how many names are looked at; nil for all.
  package func shared(_ beginning: String, most: Int? = nil) throws(StoreError) -> [ControlRow] {
    var rows: [ControlRow] = []
    var open: [(place: Int, sequence: Int64)] = []
    // Where an earlier program has kept them they have no names, and are few.
    for (low, high) in [("shared", "shared\u{1}"), SharedNames.range(beginning)] {
      let scan = try connection.statement(
        """
        SELECT k.bytes, b.instance, b.idx, b.lamport, k.item, b.applied, b.digest, b.fork, b.earned, b.seq, k.kind
        FROM control k JOIN block_row b ON b.seq = k.seq WHERE k.kind >= ? AND k.kind < ? AND b.applied = 1 ORDER BY k.kind
        """)
      defer { scan.reset() }
      scan.bind(1, low).bind(2, high)
      var (name, names): ([UInt8], Int) = ([], 0)
      while try scan.step() {
        if !scan.bytes(10).elementsEqual(name) {
          (name, names) = (Array(scan.bytes(10)), names + 1)
          if let most, names > most { break }
        }
        try rows.append(row(scan, at: rows.count, &open))
      }
    }
    try time(&rows, open)
    return rows
  }

  /// Visits the names of shared settings, without regard to case.
  package func forEachSharedName(_ body: (String) -> Void) throws(StoreError) {
    let scan = try connection.statement(
      """
      SELECT DISTINCT k.kind FROM control k JOIN block b ON b.seq = k.seq
      WHERE k.kind >= ? AND k.kind < ? AND b.applied = 1 ORDER BY k.kind
      """)
    defer { scan.reset() }
    scan.bind(1, SharedNames.all).bind(2, SharedNames.end)
    while try scan.step() { body(String(scan.text(0).dropFirst(SharedNames.all.count))) }
  }
}

extension SharedNames {
  /// Where the names lie that begin so.
  fileprivate static func range(_ beginning: String) -> (low: String, high: String) {
    let low = kind(beginning)
    // The last one is a sign of ASCII.
    guard let last = low.utf8.last, last < 0x7F else { return (low, end) }
    return (low, String(decoding: Array(low.utf8.dropLast()) + [last + 1], as: UTF8.self))
  }
}
