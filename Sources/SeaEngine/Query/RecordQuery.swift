import SeaCore
import SeaStore

package struct RecordQuery {
  package struct Condition: Sendable {
    package var sql: String
    package var values: [(name: String, value: QueryValue)]

    package init(_ sql: String, _ values: [(name: String, value: QueryValue)]) {
      self.sql = sql
      self.values = values
    }
  }

  package var filter: RecordFilter
  package var condition: Condition?
  package var limit: Int?
  /// Whether to treat an unknown name in the condition as a missing value, even if it resembles an existing name.
  package var allowsUnknownNames = false
  /// The selections to sort by, the most significant one first; by id if empty.
  package var sort: [(key: Selection, isDescending: Bool)] = []
  /// Whether the records can be in any order if they are not sorted.
  var isUnordered = false

  /// - Parameters:
  ///   - sort: selections separated by commas, each with a leading `-` for descending order.
  ///   - isProperty: as in `Selection`.
  package init(
    _ filter: RecordFilter, _ condition: Condition? = nil, sort: String? = nil, limit: Int? = nil,
    isProperty: (String) throws -> Bool = { _ in false }
  ) throws {
    self.filter = filter
    self.condition = condition
    self.limit = limit
    self.sort = try (sort?.split(separator: ",", omittingEmptySubsequences: false) ?? []).map { text in
      let isDescending = text.hasPrefix("-")
      return (try Selection(String(text.dropFirst(isDescending ? 1 : 0)), isProperty: isProperty), isDescending)
    }
  }

  package var isSorted: Bool { !sort.isEmpty }
  var sorting: [Selection] { sort.map(\.key) }

  package func keys(of view: RecordView, in queries: Queries) throws -> [SortKey] {
    try sort.map { try SortKey($0.key.value(of: view, in: queries), isID: $0.key.isID) }
  }

  package func precedes(_ a: (keys: [SortKey], id: String), _ b: (keys: [SortKey], id: String)) -> Bool {
    for k in sort.indices where a.keys[k] != b.keys[k] {
      if a.keys[k].isMissing != b.keys[k].isMissing { return b.keys[k].isMissing }
      return sort[k].isDescending ? b.keys[k] < a.keys[k] : a.keys[k] < b.keys[k]
    }
    return UTF8Text.less(a.id, b.id)
  }

  /// Returns whether a record refers to the target of the filter. True if the filter has no target.
  package func refers(_ view: RecordView) -> Bool {
    guard let target = filter.refersTo, let body = view.body else { return filter.refersTo == nil }
    var found = false
    body.withUnsafeBufferPointer { bytes in
      BodyReferences.forEach(in: bytes) {
        if UTF8Text.equal(String(decoding: $0, as: UTF8.self), target) { found = true }
      }
    }
    return found
  }

  /// Whether the matches or their order may depend on other records, through references or a nested statement.
  package var dependsOnOtherRecords: Bool {
    if sort.contains(where: { $0.key.hops.count > 1 }) { return true }
    guard let sql = condition?.sql.lowercased() else { return filter.isDangling }
    let words = ["->", "prop", "select", "refers", "dangling", "ago", "now"]
    return filter.isDangling || words.contains { sql.containsText($0) }
  }

  /// Returns the sorted ids of the records, up to the limit.
  func sorted(_ queries: Queries) throws -> [String] {
    if let ids = try queries.firstByIndex(self) { return ids }
    var (all, limit) = (self, limit ?? .max)
    (all.sort, all.limit, all.isUnordered) = ([], nil, true)
    var rows: [(keys: [SortKey], id: String)] = []
    var last: (keys: [SortKey], id: String)?
    func keepFirst() {
      rows.sort(by: precedes)
      if rows.count > limit { rows.removeLast(rows.count - limit) }
    }
    try queries.forEachRow(all, sorting) { id, values in
      let row = (keys: try zip(sort, values).map { try SortKey(of: $1, isID: $0.key.isID) }, id: id)
      if let last, !precedes(row, last) { return }
      rows.append(row)
      // Only the first records are kept in memory.
      guard rows.count > limit, rows.count - limit > max(limit, RecordQuery.spare) else { return }
      keepFirst()
      last = rows.last
    }
    keepFirst()
    return rows.map(\.id)
  }

  private static let spare = 1000
}

/// A value that a query shows or sorts by: a property, `id`, `type` or `rev`, or a property of the record that a
/// reference leads to (`owner->name`).
package struct Selection: Sendable {
  package let text: String
  /// The paths to follow, one in each record. Every path except the last leads to a reference to the next record.
  let hops: [PropertyPath]
  private let field: Pseudo?
  /// Whether every name is a property, unless it begins with `_`. Otherwise, `id`, `type` and `rev` can be fields.
  private let isExact: Bool

  /// The name of the property, if the selection is just a property and not a value inside it.
  package var plainProperty: String? {
    guard let property, hops.count == 1, hops[0].names.count == 1 else { return nil }
    return property
  }

  package var isID: Bool { field == .id }

  /// The first property on the path, which belongs to the record itself; nil for a built-in field.
  package var property: String? { field == nil ? hops.first?.names.first : nil }

  /// The first path, which is in the record itself; nil for a built-in field.
  var path: PropertyPath? { field == nil ? hops.first : nil }

  package static let fields = Pseudo.allCases.map(\.rawValue)

  /// The built-in fields of every record. The `_` of the first three can be omitted if no property has that name.
  private enum Pseudo: String, CaseIterable {
    case id = "_id", type = "_type", rev = "_rev", conflict = "_conflict", created = "_created", createdBy =
      "_created_by"
    case modified = "_modified", modifiedBy = "_modified_by"

    init?(_ path: PropertyPath) {
      guard path.names.count == 1 else { return nil }
      let name = path.names[0]
      self.init(rawValue: ["id", "type", "rev"].contains(name) ? "_" + name : name)
    }
  }

  /// - Parameter isProperty: returns whether any queried record has a property with this name. If so, the name means
  ///   the property in all records. After an arrow, this is decided for each record separately.
  package init(_ text: String, isProperty: (String) throws -> Bool = { _ in false }) throws {
    self.text = text
    var hops: [PropertyPath] = []
    var rest = Substring(text)
    while let arrow = rest.firstPlace(of: "->") {
      hops.append(try PropertyPath(String(rest[..<arrow.lowerBound])))
      rest = rest[arrow.upperBound...]
    }
    hops.append(try PropertyPath(String(rest)))
    self.hops = hops
    isExact = false
    let field = hops.count == 1 ? Pseudo(hops[0]) : nil
    self.field = try field != nil && isProperty(hops[0].names[0]) ? nil : field
  }

  /// - Parameter names: a property of the record itself, of the record that this property refers to, and so on.
  package init(names: [String]) {
    hops = names.map { PropertyPath(names: [$0]) }
    text = hops.map(\.description).joined(separator: "->")
    field = names.count == 1 && names[0].utf8.first == 0x5F ? Pseudo(hops[0]) : nil
    isExact = true
  }

  /// Returns the encoded value in one record; nil if the value or a referenced record is missing.
  package func value(
    of view: RecordView, in queries: Queries, places: [[UInt8]: Range<Int>]? = nil
  ) throws -> [UInt8]? {
    if let field { return try value(field, of: view, in: queries) }
    if let places, let body = view.body, hops.count == 1, hops[0].names.count == 1 {
      return places[Array(hops[0].names[0].utf8)].map { Array(body[$0]) }
    }
    var found = try view.value(hops[0])
    for path in hops.dropFirst() {
      guard let bytes = found,
        case .reference(let id, _) = try bytes.withUnsafeBufferPointer({ try Value.decode(value: $0) }).unlabeled
      else { return nil }
      found = try queries.followed.value(id, path.pointer) {
        guard let row = try queries.records.store.records.record(id), !row.isDeleted else { return nil }
        let view = try queries.records.view(row)
        if let value = try view.value(path) { return value }
        let isField = !isExact || path.names[0].utf8.first == 0x5F
        return try isField ? Pseudo(path).flatMap { try value($0, of: view, in: queries) } : nil
      }
    }
    return found
  }

  private func value(_ pseudo: Pseudo, of view: RecordView, in queries: Queries) throws -> [UInt8]? {
    switch pseudo {
    case .id: return Value.string(view.id).encoding
    case .type: return view.type.map { Value.string($0).encoding }
    case .rev: return Value.string(view.revision.description).encoding
    case .conflict: return Value.integer(view.conflicts.isEmpty ? 0 : 1).encoding
    case .created, .createdBy, .modified, .modifiedBy:
      let isFirst = pseudo == .created || pseudo == .createdBy
      let store = queries.records.store
      let block =
        try isFirst
        ? store.records.record(view.id).flatMap { try store.records.firstBlock(of: store.records.roots(of: $0.key)) }
        : store.blocks.block(sequence: view.leaf.sequence)
      guard let block else { return nil }
      guard pseudo == .createdBy || pseudo == .modifiedBy else {
        return Value.date(Instant.clamped(block.time)).encoding
      }
      return Value.string(try queries.authorNames.name(block.instance)).encoding
    }
  }
}
