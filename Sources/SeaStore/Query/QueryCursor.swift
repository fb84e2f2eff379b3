import CSQLite
import SeaCore

/// Where SQLite stands in a table.
final class QueryCursor {
  let table: QueryTable
  let rows: QueryRows
  /// Where the values of the row begin in its body, as far as somebody has asked.
  @exclusivity(unchecked) private var offsets: [Int] = []

  init(_ table: QueryTable) throws(StoreError) {
    self.table = table
    rows = try QueryRows(table.records, table.source)
  }

  func next() throws(StoreError) {
    offsets.removeAll(keepingCapacity: true)
    try rows.next()
  }

  /// - Parameters:
  ///   - plan: what `QueryChoice` has chosen.
  ///   - ids: those that it goes by; nil for one that is NULL.
  func filter(_ plan: QueryPlan, _ ids: [UnsafeBufferPointer<UInt8>?]) throws(StoreError) {
    offsets.removeAll(keepingCapacity: true)
    if ids.contains(where: { $0 == nil }) { return rows.end() }
    let allowed = table.isAll ? nil : table.shapeSet
    if plan.contains(.id) { return try rows.start(.id(ids[0]!), allowed: allowed) }
    guard !plan.isEmpty else {
      // A search for each record costs more than passing over two that are others'.
      let all = table.isAll ? 0 : try table.records.count(shapes: nil)
      let isMost = table.isAll || table.count > all / 3
      return try rows.start(isMost ? .all : .shapes(table.shapeKeys), allowed: isMost ? allowed : nil)
    }
    let lower = plan.contains(.lower) ? ids.first! : nil
    let upper = plan.contains(.upper) ? ids.last! : nil
    try rows.start(.range(lower, upper, isFalling: plan.contains(.falling)), allowed: allowed)
  }

  func filter(_ plan: QueryPlan, value: OpaquePointer?) throws {
    offsets.removeAll(keepingCapacity: true)
    try rows.start(.keys(table.index(plan.property).records(value)), allowed: nil)
  }

  func column(_ context: OpaquePointer?, _ column: Int32) throws {
    guard rows.hasRow else { return QueryResult.null(context) }
    let property = table.property(column)
    guard property < 0 else { return try self.property(context, property) }
    guard let fixed = QueryTable.Fixed(rawValue: column) else { return QueryResult.null(context) }
    switch fixed {
    case .id: QueryResult.text(context, rows.id)
    case .type: if let type = rows.type { QueryResult.text(context, type) } else { QueryResult.null(context) }
    case .rev: QueryResult.text(context, try rows.currentLeaf().revision.description)
    case .created: time(context, try rows.firstBlock())
    case .createdBy: try author(context, try rows.firstBlock())
    case .modified: time(context, try rows.lastBlock())
    case .modifiedBy: try author(context, try rows.lastBlock())
    case .conflict: sqlite3_result_int(context, rows.isConflict ? 1 : 0)
    case .json: try json(context)
    }
  }

  private func time(_ context: OpaquePointer?, _ block: BlockRow?) {
    guard let block else { return QueryResult.null(context) }
    QueryResult.text(context, PlainJSON.sortable(Instant.clamped(block.time)))
  }

  private func author(_ context: OpaquePointer?, _ block: BlockRow?) throws {
    guard let block else { return QueryResult.null(context) }
    QueryResult.text(context, try table.source.name(block.instance))
  }

  private func json(_ context: OpaquePointer?) throws {
    var writer = ByteWriter(capacity: 512)
    if let body = try rows.body() {
      PlainJSON.write(try Value.decode(body: body), into: &writer)
    } else {
      writer.append("{}")
    }
    QueryResult.text(context, writer.bytes)
    sqlite3_result_subtype(context, QueryResult.json)
  }

  private func property(_ context: OpaquePointer?, _ index: Int) throws {
    let property = table.properties[index]
    guard let column = property.column else { return QueryResult.null(context) }
    // Before anything is read: what the record does not have, its shape does not say.
    let place = rows.followsShape ? table.place(of: index, in: rows.shape) : nil
    if place == -1 { return QueryResult.null(context) }
    guard let body = try rows.body() else { return QueryResult.null(context) }
    var cursor = CBORCursor(body)
    if let place {
      guard try seek(&cursor, to: place) else { throw StoreError.damaged("shape") }
    } else {
      guard let range = try PropertyPath(names: [column.name]).find(in: body) else { return QueryResult.null(context) }
      cursor.offset = range.lowerBound
    }
    try QueryResult.value(context, cursor, isExact: property.isExact)
  }

  /// Moves to the value of the property at a place.
  private func seek(_ cursor: inout CBORCursor, to place: Int) throws(CoreError) -> Bool {
    if offsets.isEmpty {
      guard try cursor.count(5, least: 2) > 0 else { return false }
      _ = try cursor.run(cursor.expect(3))
      offsets.append(cursor.offset)
    }
    if place >= offsets.count {
      cursor.offset = offsets[offsets.count - 1]
      while offsets.count <= place {
        try cursor.skipValue()
        guard !cursor.atEnd else { return false }
        _ = try cursor.run(cursor.expect(3))
        offsets.append(cursor.offset)
      }
    }
    cursor.offset = offsets[place]
    return true
  }

  var key: Int64 { rows.key }
}

/// How a table is gone through, as SQLite was promised.
struct QueryPlan: OptionSet {
  let rawValue: Int32
  /// The one record with the id.
  static let id = QueryPlan(rawValue: 1)
  static let rising = QueryPlan(rawValue: 2)
  static let falling = QueryPlan(rawValue: 4)
  /// From an id on, and up to one.
  static let lower = QueryPlan(rawValue: 8)
  static let upper = QueryPlan(rawValue: 16)
  /// The records with a value of a property, whose place stands in the bits above.
  static let value = QueryPlan(rawValue: 32)

  init(rawValue: Int32) { self.rawValue = rawValue }
  init(property: Int) { rawValue = 32 | Int32(property) << 8 }

  var property: Int { Int(rawValue >> 8) }

  /// What `--explain` says of it.
  var words: StaticString {
    if contains(.value) { return "those with a value of a property" }
    if contains(.id) { return "one record by its _id" }
    if isEmpty { return "all records of the table" }
    return contains(.lower) || contains(.upper) ? "a range of _id" : "all records by _id"
  }
}
