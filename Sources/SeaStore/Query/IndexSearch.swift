import CSQLite
import SeaCore

/// The conditions that a search passes to an index, in the order of the index's paths.
struct IndexChoice {
  /// The conditions on one property, as positions among SQLite's constraints.
  struct Bounds {
    let property: Int
    private(set) var equal: Int?
    private(set) var lower: Int?
    private(set) var upper: Int?

    init(_ property: Int) { self.property = property }

    mutating func add(_ constraint: Int, _ operation: Int32) {
      switch operation {
      case SQLITE_INDEX_CONSTRAINT_EQ: equal = constraint
      case SQLITE_INDEX_CONSTRAINT_GT, SQLITE_INDEX_CONSTRAINT_GE: lower = constraint
      case SQLITE_INDEX_CONSTRAINT_LT, SQLITE_INDEX_CONSTRAINT_LE: upper = constraint
      default: break
      }
    }
  }

  let index: KeptIndex
  let properties: [Int]
  let equal: [Int]
  let lower: Int?
  let upper: Int?

  /// The constraints that are used, in the order in which SQLite passes their values.
  var constraints: [Int] { equal + [lower, upper].compactMap { $0 } }
  var isEqual: Bool { equal.count == index.definition.paths.count }

  var words: String {
    var parts = equal.indices.map { "\(index.definition.paths[$0])=?" }
    if equal.count < index.definition.paths.count {
      let path = index.definition.paths[equal.count]
      if lower != nil { parts.append("\(path)>?") }
      if upper != nil { parts.append("\(path)<?") }
    }
    return "index \(index.name) (\(parts.joined(separator: " AND ")))"
  }

  static func best(_ table: QueryTable, _ bounds: [Bounds]) -> IndexChoice? {
    var best: (choice: IndexChoice, worth: Int)?
    for (index, properties) in table.indexes {
      var equal: [Int] = []
      var range: Bounds?
      var used: [Int] = []
      for property in properties {
        // SQLite passes a condition only once, even if an index contains a path twice.
        guard let property, let found = bounds.first(where: { $0.property == property }), !used.contains(property)
        else { break }
        used.append(property)
        guard let one = found.equal else {
          range = found
          break
        }
        equal.append(one)
      }
      guard !used.isEmpty else { continue }
      let choice = IndexChoice(
        index: index, properties: used, equal: equal, lower: range?.lower, upper: range?.upper)
      // If two choices are otherwise equal, the index with fewer paths is better.
      let worth = equal.count * 100 + (range == nil ? 0 : 30) + (choice.isEqual ? 50 : 0) - properties.count
      if !choice.constraints.isEmpty, worth > best?.worth ?? .min { best = (choice, worth) }
    }
    return best?.choice
  }
}

/// Finds records by values in an index. The result can contain too many records, because SQLite checks each record
/// itself, but never too few.
struct IndexSearch {
  private let table: QueryTable
  private let choice: IndexChoice
  /// Above this number of records, reading all records in order may be cheaper.
  private static let many = 2000
  private static let mostKept = 1_000_000

  init(_ table: QueryTable, _ choice: IndexChoice) {
    self.table = table
    self.choice = choice
  }

  /// - Returns: the sorted keys of the records; nil if the index is of no use.
  func records(_ values: [OpaquePointer?]) throws -> [Int64]? {
    if values.contains(where: { sqlite3_value_type($0) == SQLITE_NULL }) { return [] }
    var prefixes: [[UInt8]] = [[]]
    for value in values.prefix(choice.equal.count) {
      let keys = IndexSearch.keys(value)
      prefixes = prefixes.flatMap { prefix in keys.map { prefix + $0 } }
    }
    var rest = values.dropFirst(choice.equal.count)
    let lower: OpaquePointer? = choice.lower == nil ? nil : rest.removeFirst()
    let upper: OpaquePointer? = choice.upper == nil ? nil : rest.removeFirst()
    var ranges: [Range] = prefixes.map { (lower: $0, upper: IndexKey.end($0)) }
    if lower != nil || upper != nil {
      let affinity = table.properties[choice.properties[choice.equal.count]].affinity
      var narrow: [Range]? = []
      for prefix in prefixes {
        guard let found = try self.ranges(lower, upper, affinity, behind: prefix) else {
          narrow = nil
          break
        }
        narrow?.append(contentsOf: found)
      }
      guard narrow != nil || !choice.equal.isEmpty else { return nil }
      ranges = narrow ?? ranges
    }
    guard table.isJoined, lower == nil, upper == nil else { return try find(ranges) }
    // Each row of another table causes a lookup, and many of these lookups are the same.
    let question = Array(prefixes.joined(separator: [0xFF, 0xFF]))
    if let known = table.found[choice.index.slot]?[question] { return known }
    let found = try find(ranges)
    if table.foundCount < IndexSearch.mostKept {
      table.found[choice.index.slot, default: [:]][question] = found
      table.foundCount += 1 + (found?.count ?? 0)
    }
    return found
  }

  typealias Range = (lower: [UInt8], upper: [UInt8])

  private func find(_ ranges: [Range]) throws -> [Int64]? {
    // The empty key finds the records whose body is merged when it is read.
    var found: [Int64] = []
    let most = table.isJoined ? Int.max : IndexSearch.many
    var limit = most
    let find = try table.records.connection.statement(
      "SELECT record FROM index_entry WHERE slot = ? AND key >= ? AND key < ?")
    defer { find.reset() }
    for range in [([], [0])] + ranges {
      find.reset()
      find.bind(1, choice.index.slot).bind(2, copy: range.lower).bind(3, copy: range.upper)
      while try find.step() {
        found.append(Int64(find.int(0)))
        guard found.count > limit else { continue }
        if found.count > table.count / 4 { return nil }
        limit = .max
      }
    }
    return Array(Set(found)).sorted()
  }

  private static func keys(_ value: OpaquePointer?) -> [[UInt8]] {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER, SQLITE_FLOAT:
      let number = sqlite3_value_double(value)
      return [IndexKey.number(number), IndexKey.number(number, .numberText)]
    case SQLITE_TEXT:
      let text = QueryFunctions.bytes(value)
      return [IndexKey.text(text)] + (IndexKey.numericValue(text).map { [IndexKey.number($0)] } ?? [])
    case SQLITE_BLOB: return [IndexKey.data(QueryFunctions.bytes(value))]
    default: return []
    }
  }

  private enum Bound { case number(Double), text([UInt8]) }

  /// Returns the bound of a comparison after SQLite has applied the column's affinity; nil if the bound cannot be
  /// predicted.
  private static func bound(_ value: OpaquePointer?, _ affinity: QueryTable.Affinity) -> Bound? {
    switch (sqlite3_value_type(value), affinity) {
    case (SQLITE_INTEGER, .number), (SQLITE_FLOAT, .number), (SQLITE_INTEGER, .none), (SQLITE_FLOAT, .none):
      return .number(sqlite3_value_double(value))
    case (SQLITE_TEXT, .number): return IndexKey.numericValue(QueryFunctions.bytes(value)).map { .number($0) }
    case (SQLITE_TEXT, _): return .text(Array(QueryFunctions.bytes(value)))
    default: return nil
    }
  }

  private func ranges(
    _ lower: OpaquePointer?, _ upper: OpaquePointer?, _ affinity: QueryTable.Affinity, behind prefix: [UInt8]
  ) throws -> [Range]? {
    var (low, high): (Bound?, Bound?) = (nil, nil)
    if let lower {
      low = IndexSearch.bound(lower, affinity)
      if low == nil { return nil }
    }
    if let upper {
      high = IndexSearch.bound(upper, affinity)
      if high == nil { return nil }
    }
    let all = IndexKey.end(prefix)
    let numbers = prefix + [IndexKey.Class.number.rawValue]
    let numberTexts = prefix + [IndexKey.Class.numberText.rawValue]
    switch (low, high) {
    case (.number(let low), .number(let high)):
      // A string is greater than any number, but a string that looks like a number is sometimes compared as a number.
      return [
        (prefix + IndexKey.number(low), IndexKey.end(prefix + IndexKey.number(high))),
        (numberTexts, IndexKey.end(prefix + IndexKey.number(high, .numberText))),
      ]
    case (.number(let low), nil): return [(prefix + IndexKey.number(low), all)]
    case (nil, .number(let high)):
      return [
        (numbers, IndexKey.end(prefix + IndexKey.number(high))),
        (numberTexts, IndexKey.end(prefix + IndexKey.number(high, .numberText))),
      ]
    case (.text(let low), _):
      // A number is compared as a string if the other side is a string.
      if affinity == .none, try !isEmpty((numbers, numberTexts)) { return nil }
      if case .text(let high)? = high {
        return [(prefix + IndexKey.text(low), IndexKey.end(prefix + IndexKey.text(high)))]
      }
      return high == nil ? [(prefix + IndexKey.text(low), all)] : nil
    case (nil, .text(let high)): return [(numbers, IndexKey.end(prefix + IndexKey.text(high)))]
    default: return nil
    }
  }

  private func isEmpty(_ range: Range) throws(StoreError) -> Bool {
    let find = try table.records.connection.statement(
      "SELECT 1 FROM index_entry WHERE slot = ? AND key >= ? AND key < ? LIMIT 1")
    defer { find.reset() }
    find.bind(1, choice.index.slot).bind(2, copy: range.lower).bind(3, copy: range.upper)
    return try !find.step()
  }
}
