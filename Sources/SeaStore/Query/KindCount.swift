import SeaCore

/// Which kinds the values had that a query has met at one path.
final class KindCount {
  /// The table and the path, for people.
  let table: String
  let text: String
  let path: PropertyPath
  /// What it is compared with.
  var compared: [ComparedValue] = []
  @exclusivity(unchecked) private var seen: Set<PropertyKind> = []
  @exclusivity(unchecked) private var last: PropertyKind?

  init(_ table: String, _ text: String, _ path: PropertyPath) {
    (self.table, self.text, self.path) = (table, text, path)
  }

  /// Looks at what a record has there.
  func look(in body: UnsafeBufferPointer<UInt8>) throws(CoreError) {
    if let range = try path.find(in: body) { try look(at: CBORCursor(body, at: range.lowerBound)) }
  }

  /// Looks at the value at the cursor.
  func look(at cursor: CBORCursor) throws(CoreError) {
    guard cursor.offset < cursor.end, cursor.base[cursor.offset] != 0xF6 else { return }
    let kind = try cursor.kind()
    guard kind != last else { return }
    last = kind
    seen.insert(kind)
  }

  /// What is worth a word; nil if there was one kind.
  var notice: QueryNotice? {
    let kinds = Set(seen.map(ValueClass.init))
    if kinds.count == 1, let kind = kinds.first {
      return compared.lazy.compactMap { kind.misfit($0, of: self.text, in: self.table, isConverted: false) }.first
    }
    guard kinds.count > 1 else { return nil }
    return .severalKinds(table: table, column: text, kinds: kinds.sorted { $0.rawValue < $1.rawValue })
  }
}
