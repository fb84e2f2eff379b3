import CSQLite
import SeaCore

final class QueryCursor {
  let table: QueryTable
  let rows: QueryRows
  @exclusivity(unchecked) private var offsets: [Int] = []
  private var match: (index: KeptIndex, words: String)?

  /// In a join, the cached results of the first plan, keyed by integer value. Many rows have the same value.
  @exclusivity(unchecked) private var answers: [Int64: [Int64]] = [:]
  @exclusivity(unchecked) private var answered = QueryPlan()
  private static let mostAnswers = 1_000_000

  init(_ table: QueryTable) throws(StoreError) {
    self.table = table
    rows = try QueryRows(table.records, table.source)
    rows.keeps = table.isJoined
  }

  func next() throws(StoreError) {
    offsets.removeAll(keepingCapacity: true)
    try rows.next()
  }

  /// - Parameter ids: the ids in the plan; nil stands for NULL.
  func filter(_ plan: QueryPlan, _ ids: [UnsafeBufferPointer<UInt8>?]) throws(StoreError) {
    offsets.removeAll(keepingCapacity: true)
    if ids.contains(where: { $0 == nil }) { return rows.end() }
    let allowed = table.isAll ? nil : table.shapeSet
    if plan.contains(.id) { return try rows.start(.id(ids[0]!), allowed: allowed) }
    guard !plan.isEmpty else {
      // Searching for each record costs more than skipping two records of other types.
      let all = table.isAll ? 0 : try table.records.shapes.count(shapes: nil)
      let isMost = table.isAll || table.count > all / 3
      return try rows.start(isMost ? .all : .shapes(table.shapeKeys), allowed: isMost ? allowed : nil)
    }
    let lower = plan.contains(.lower) ? ids.first! : nil
    let upper = plan.contains(.upper) ? ids.last! : nil
    try rows.start(.range(lower, upper, isFalling: plan.contains(.falling)), allowed: allowed)
  }

  func filter(_ plan: QueryPlan, _ values: [OpaquePointer?]) throws {
    offsets.removeAll(keepingCapacity: true)
    match = nil
    if plan.contains(.value) {
      return try start(table.index(plan.place).records(values[0]), plan, values)
    }
    if plan.contains(.match) {
      guard let index = table.properties[plan.place].text, let words = QueryFunctions.text(values[0]) else {
        return rows.end()
      }
      match = (index, words)
      return try rows.start(.keys(TextSearch(index, words, table.records.connection).records()), allowed: nil)
    }
    let search = IndexSearch(table, table.choices[plan.place])
    if let found = try search.records(values) { return try start(found, plan, values) }
    try filter([], [] as [UnsafeBufferPointer<UInt8>?])
  }

  private func start(_ keys: [Int64], _ plan: QueryPlan, _ values: [OpaquePointer?]) throws(StoreError) {
    if table.isJoined, values.count == 1, sqlite3_value_type(values[0]) == SQLITE_INTEGER,
      answered.isEmpty || answered == plan, answers.count < QueryCursor.mostAnswers
    {
      answered = plan
      answers[sqlite3_value_int64(values[0])] = keys
    }
    try rows.start(.keys(keys), allowed: nil)
  }

  /// Reads the cached records for an integer value.
  func filterAgain(_ plan: QueryPlan, _ value: OpaquePointer?) throws(StoreError) -> Bool {
    guard answered == plan, sqlite3_value_type(value) == SQLITE_INTEGER,
      let known = answers[sqlite3_value_int64(value)]
    else { return false }
    offsets.removeAll(keepingCapacity: true)
    try rows.start(.keys(known), allowed: nil)
    return true
  }

  func column(_ context: OpaquePointer?, _ column: Int32) throws {
    guard rows.hasRow else { return QueryResult.null(context) }
    let property = table.property(column)
    guard property < 0 else { return try self.property(context, property) }
    guard let fixed = QueryTable.Fixed(rawValue: column) else { return QueryResult.null(context) }
    switch fixed {
    case .id: QueryResult.text(context, rows.id)
    case .type: if let type = rows.type { QueryResult.text(context, type) } else { QueryResult.null(context) }
    case .rev: QueryResult.text(context, try rows.revision().description)
    case .created: time(context, try rows.firstBlock())
    case .createdBy: try author(context, try rows.firstBlock())
    case .modified: time(context, try rows.lastBlock())
    case .modifiedBy: try author(context, try rows.lastBlock())
    case .conflict: sqlite3_result_int(context, try rows.isConflict ? 1 : 0)
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
      try PlainJSON.write(body: body, into: &writer)
    } else {
      writer.append("{}")
    }
    QueryResult.text(context, writer.bytes)
    sqlite3_result_subtype(context, QueryResult.json)
  }

  private func property(_ context: OpaquePointer?, _ index: Int) throws {
    let property = table.properties[index]
    if let text = property.text {
      guard let match, match.index.slot == text.slot else { return QueryResult.null(context) }
      return FoundText(text, match.words, rows.key, table.records.connection).hand(to: context)
    }
    if let path = property.path {
      guard let body = try rows.body(), let range = try path.find(in: body) else { return QueryResult.null(context) }
      let cursor = CBORCursor(body, at: range.lowerBound)
      return try QueryResult.value(context, cursor, isExact: false)
    }
    guard let column = property.column else { return QueryResult.null(context) }
    // If the shape lacks the property, the body need not be read.
    let place = try rows.followsShape ? table.position(of: index, in: rows.shape) : nil
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

struct QueryPlan: OptionSet {
  let rawValue: Int32
  static let id = QueryPlan(rawValue: 1)
  static let rising = QueryPlan(rawValue: 2)
  static let falling = QueryPlan(rawValue: 4)
  static let lower = QueryPlan(rawValue: 8)
  static let upper = QueryPlan(rawValue: 16)
  /// Finds the records with a given value of a property. The upper bits contain the number of the property.
  static let value = QueryPlan(rawValue: 32)
  /// Finds records with an index. The upper bits contain the number of the choice.
  static let index = QueryPlan(rawValue: 64)
  /// Finds records by their words in a text index. The upper bits contain the number of the property.
  static let match = QueryPlan(rawValue: 128)

  init(rawValue: Int32) { self.rawValue = rawValue }
  init(property: Int) { rawValue = 32 | Int32(property) << 8 }
  init(index: Int) { rawValue = 64 | Int32(index) << 8 }
  init(match: Int) { rawValue = 128 | Int32(match) << 8 }

  var place: Int { Int(rawValue >> 8) }

  var words: String {
    if contains(.value) { return "records with a value of an indexed property" }
    if contains(.id) { return "one record by its _id" }
    if isEmpty { return "all records of the table" }
    return contains(.lower) || contains(.upper) ? "a range of _id" : "all records by _id"
  }
}
