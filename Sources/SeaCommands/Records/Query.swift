import SeaCore
import SeaKit

/// Which records, in which order.
struct Query {
  let filter: RecordFilter
  let limit: Int?
  let columns: [Selection]?
  private let sort: (key: Selection, descending: Bool)?

  init(filter: RecordFilter, sort: String?, limit: Int?, columns: [Selection]?) throws {
    self.filter = filter
    self.limit = limit
    self.columns = columns
    self.sort = try sort.map { text in
      let descending = text.hasPrefix("-")
      return (try Selection(descending ? String(text.dropFirst()) : text), descending)
    }
  }

  /// - Returns: how many records were handed over.
  func run(_ database: Database, _ body: (RecordView) throws -> Void) throws -> Int {
    var count = 0
    let limit = limit ?? .max
    guard let sort else {
      if limit == 0 { return 0 }
      try database.forEachView(filter) { view in
        try body(view)
        count += 1
        return count < limit
      }
      return count
    }
    return try database.store.snapshot {
      var rows: [(key: SortKey, id: String)] = []
      try database.store.records.forEachRecord(filter) { row in
        rows.append((try SortKey(sort.key.value(of: database.view(row), in: database)), row.id))
        return true
      }
      // Records with equal keys stay in the order of their ids.
      rows.sort { a, b in
        if a.key.isMissing != b.key.isMissing { return b.key.isMissing }
        if a.key != b.key { return sort.descending ? b.key < a.key : a.key < b.key }
        return UTF8Text.less(a.id, b.id)
      }
      for row in rows.prefix(limit) {
        guard let record = try database.store.records.record(row.id) else { continue }
        try body(database.view(record))
      }
      return min(rows.count, limit)
    }
  }

  /// What to show: what was selected, else the id and every property that one of the records has.
  func columns(_ database: Database) throws -> [Selection] {
    if let columns { return columns }
    var names = Members()
    try database.forEachView(filter) { view in
      for name in try view.propertyNames() { names[name] = .null }
      return true
    }
    return try [Selection("id")] + names.keys.map { try Selection(PropertyPath(names: [$0]).description) }
  }
}
