import CSQLite
import SeaCore

/// An index of the values of one property in a table, built for a single statement. SQLite does not build automatic
/// indexes for virtual tables, so it would scan the table again for each row of the joined table.
///
/// A lookup can find too many records, because SQLite checks each record itself, but never too few. For a long value,
/// the key contains only the beginning.
final class JoinIndex {
  private enum Key: Hashable {
    case number(Double)
    case text([UInt8], count: Int)
    case data([UInt8], count: Int)

    static func text(_ bytes: some Collection<UInt8>) -> Key {
      .text(Array(bytes.prefix(mostBytes)), count: bytes.count)
    }

    static func data(_ bytes: some Collection<UInt8>) -> Key {
      .data(Array(bytes.prefix(mostBytes)), count: bytes.count)
    }

    private static let mostBytes = 200
  }

  private var keys: [Key: [Int64]] = [:]
  /// Larger tables get no index, because the index is kept in memory.
  static let mostRecords = 2_000_000

  init(_ table: QueryTable, _ property: QueryTable.Property) throws {
    let rows = try QueryRows(table.records, table.source)
    let path = PropertyPath(names: [property.name])
    try rows.start(table.isAll ? .all : .shapes(table.shapeKeys), allowed: nil)
    while rows.hasRow {
      if let body = try rows.body(), let range = try path.find(in: body) {
        let value = try Value.decode(value: UnsafeBufferPointer(rebasing: body[range]))
        for key in JoinIndex.keys(value.unlabeled) { keys[key, default: []].append(rows.key) }
      }
      if rows.isLarge { try table.checkLimits() }
      try rows.next()
    }
  }

  func records(_ value: OpaquePointer?) -> [Int64] {
    let found = JoinIndex.keys(value).compactMap { keys[$0] }
    return found.count == 1 ? found[0] : Array(Set(found.joined())).sorted()
  }

  private static func keys(_ value: Value) -> [Key] {
    switch value {
    case .null: []
    case .bool(let flag): [.number(flag ? 1 : 0)]
    case .integer(let number): [.number(Double(number))]
    case .double(let number): [.number(number)]
    case .counter(let counter): [.number(Double(counter.value))]
    case .bigInteger, .decimal: QueryResult.exact(value).flatMap { Double($0) }.map { [.number($0)] } ?? []
    case .data(let bytes): [.data(bytes)]
    case .string(let text), .reference(let text, _): keys(text)
    case .date(let time): keys(PlainJSON.sortable(time))
    case .day(let day): keys(CalendarDay.text(day))
    default:
      [.text(PlainJSON.bytes(value))]
    }
  }

  private static func keys(_ value: OpaquePointer?) -> [Key] {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER, SQLITE_FLOAT: [.number(sqlite3_value_double(value))]
    case SQLITE_TEXT: keys(QueryFunctions.text(value) ?? "")
    case SQLITE_BLOB: [.data(QueryFunctions.bytes(value))]
    default: []
    }
  }

  /// Returns the keys of a string. If a string looks like a number, SQL may compare it as that number.
  private static func keys(_ text: String) -> [Key] {
    let digits = text.utf8.drop { $0 == 0x20 }
    let number = digits.first.map { $0 &- 0x2B < 15 } == true ? Double(String(Substring(digits)).trimmed) : nil
    return [.text(text.utf8)] + (number.map { [.number($0)] } ?? [])
  }
}

extension String {
  fileprivate var trimmed: String { String(decoding: utf8.reversed().drop { $0 == 0x20 }.reversed(), as: UTF8.self) }
}
