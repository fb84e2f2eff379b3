internal import SeaEngine
internal import SeaCore

/// An SQL condition on properties; see sea-query(7). Interpolated values are bound, never parsed as SQL:
///
///     Bird.all.where("name = \(name) AND seen > \(3)")
public struct Condition: Sendable, ExpressibleByStringInterpolation {
  let sql: String
  let values: [(name: String, value: QueryValue)]
  /// Whether `sql` consists of several conditions in parentheses, joined by AND.
  private var isList = false

  /// Creates a condition without values.
  public init(stringLiteral value: String) { (sql, values) = (value, []) }

  /// Creates a condition with interpolated values.
  public init(stringInterpolation text: Interpolation) { (sql, values) = (text.sql, text.values) }

  /// A condition with named parameters.
  /// - Parameters:
  ///   - sql: the condition.
  ///   - values: the values of the parameters; `name` is `:name` in the condition.
  public init(_ sql: String, _ values: [String: any ValueConvertible] = [:]) {
    self.sql = sql
    self.values = values.map { ($0, QueryValue($1.value)) }
  }

  private init(sql: String, values: [(name: String, value: QueryValue)]) { (self.sql, self.values) = (sql, values) }

  /// Returns the AND of both conditions. If both define a value for a name, the first value is used.
  func and(_ other: Condition) -> Condition {
    let other = other.renamed(behind: values.count)
    let known = Set(values.map(\.name))
    // The line feed ends a trailing SQL comment. Long lists are not nested, because SQLite limits the nesting depth.
    let first = isList ? sql : "(\(sql)\n)"
    var both = Condition(
      sql: "\(first) AND (\(other.sql)\n)", values: values + other.values.filter { !known.contains($0.name) })
    both.isList = true
    return both
  }

  private func renamed(behind count: Int) -> Condition {
    var sql = sql
    var values = values
    for k in values.indices.reversed() where values[k].name.hasPrefix(Interpolation.prefix) {
      let name = "\(Interpolation.prefix)\(count + k)_"
      sql = sql.replacing(every: ":\(values[k].name)", by: ":\(name)")
      values[k].name = name
    }
    return Condition(sql: sql, values: values)
  }

  /// The SQL and the values of an interpolated string.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate static let prefix = QueryWords.interpolated
    private(set) var sql = ""
    private(set) var values: [(name: String, value: QueryValue)] = []

    var isEmpty: Bool { sql.isEmpty }

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends SQL.
    public mutating func appendLiteral(_ literal: String) { sql += literal }

    /// Appends a value.
    public mutating func appendInterpolation(_ value: some ValueConvertible) {
      let name = "\(Interpolation.prefix)\(values.count)"
      values.append((name, QueryValue(value.value)))
      sql += ":" + name
    }
  }
}

extension PlainJSON {
  fileprivate static func text(_ value: SeaCore.Value) -> String { String(decoding: bytes(value), as: UTF8.self) }
}

extension QueryValue {
  /// Converts a value to the form that it takes in an SQL column.
  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .integer(value ? 1 : 0)
    case .integer(let value): self = .integer(value)
    case .bigInteger(let value): self = .real(value.description)
    case .double(let value): self = .double(value)
    case .decimal(let value): self = .real(value.description)
    case .string(let value): self = .text(value)
    case .date(let value): self = .text(PlainJSON.sortable(value.milliseconds))
    case .day(let value): self = .text(value.description)
    case .data(let value): self = .data(value)
    case .reference(let reference): self = .text(reference.id)
    case .counter(let value): self = Int64(exactly: value).map { .integer($0) } ?? .real("\(value)")
    case .labeled(let value, _): self = QueryValue(value)
    case .set(let elements):
      // In an SQL column, the elements have the same order as in the store.
      self = .json(PlainJSON.text(.set(ElementSet().changed(to: elements.map(\.stored)))))
    case .array, .dictionary, .asset: self = .json(PlainJSON.text(value.stored))
    }
  }
}
