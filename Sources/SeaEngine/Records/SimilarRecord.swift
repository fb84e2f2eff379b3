import SeaCore
import SeaStore

/// Suggests an existing record for a misspelled name.
package struct SimilarRecord {
  private let records: Records
  private var store: Store { records.store }

  package init(_ records: Records) { self.records = records }

  private static let mostLooked = 1000

  /// - Returns: nil if no record is similar enough.
  package func find(_ text: String) throws -> String? {
    if let match = try? RecordText.Match(text) { return try find(match) }
    // The record may exist at another point in time.
    if let row = try store.records.record(text), row.leaves > 0 { return nil }
    // Compare the name with IDs that begin in the same way, and with the first IDs.
    let head = text.lastIndex(of: "/").map { text[...$0] } ?? text.prefix(text.count / 2)
    let ids = Set(
      try [String(head), ""].flatMap { try store.records.ids(prefix: $0, limit: SimilarRecord.mostLooked) })
    guard let found = Similarity.nearest(to: text, among: ids.sorted()) else { return nil }
    return try store.records.record(found)?.isDeleted ?? true ? nil : found
  }

  /// Returns the property that is most similar to a misspelled path.
  package func property(_ path: String, of id: String) throws -> String? {
    let path = try PropertyPath(path)
    guard path.names.count == 1, let view = try records.view(id) else { return nil }
    return Similarity.nearest(to: path.names[0], among: try view.propertyNames()).map {
      PropertyPath(names: [$0]).description
    }
  }

  private func find(_ match: RecordText.Match) throws -> String? {
    guard match.json == nil else { return nil }
    var (type, names) = (match.type, match.path.names)
    if try !store.records.shapes.hasRecords(of: type) {
      guard let meant = try records.nearestType(to: type) else { return nil }
      type = meant
    }
    var known: Set<String> = []
    try store.records.shapes.forEach(types: [type]) { for one in $0.properties { known.insert(one.name) } }
    if !known.contains(names[0]) {
      guard let meant = Similarity.nearest(to: names[0], among: known.sorted()) else { return nil }
      names[0] = meant
    }
    let text = "\(type):\(PropertyPath(names: names))=\(match.value)"
    return UTF8Text.equal(type, match.type) && names == match.path.names ? nil : text
  }
}

extension Records {
  func nearestType(to type: String) throws -> String? {
    Similarity.nearest(to: type, among: try types().compactMap(\.type))
  }
}
