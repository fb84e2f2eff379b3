internal import SeaEngine
internal import SeaCore

/// An SQL condition on properties; see sea-query(7). Interpolated values are bound, never parsed as SQL:
///
///     Bird.all.where("name = \(name) AND seen > \(3)")
///
/// For conditions that the compiler checks, see ``Property``.
public struct Condition: Sendable, ExpressibleByStringInterpolation {
  enum Part: Sendable {
    case sql(String)
    case value(QueryValue)
    /// An error that the condition throws when it is used.
    case fault(SeaError)
  }

  enum Joint: String { case and = " AND ", or = " OR " }

  private var parts: [Part]
  private var named: [(name: String, value: QueryValue)] = []
  /// How the condition's conditions in parentheses are joined; nil for a single condition.
  private var joint: Joint?

  init(parts: [Part]) { self.parts = parts }

  /// Creates a condition without values.
  public init(stringLiteral value: String) { parts = [.sql(value)] }

  /// Creates a condition with interpolated values.
  public init(stringInterpolation text: Interpolation) { parts = text.parts }

  /// A condition with named parameters.
  /// - Parameters:
  ///   - sql: the condition.
  ///   - values: the values of the parameters; `name` is `:name` in the condition.
  public init(_ sql: String, _ values: [String: any ValueConvertible] = [:]) {
    parts = [.sql(sql)]
    named = values.map { ($0, QueryValue($1.value)) }
  }

  /// Returns the AND or OR of both conditions. If both define a value for a name, the first value is used.
  func joined(_ joint: Joint, _ other: Condition) -> Condition {
    // Long lists are not nested, because SQLite limits the nesting depth. The line feed ends a trailing SQL comment.
    let first = self.joint == joint ? parts : [.sql("(")] + parts + [.sql("\n)")]
    var both = Condition(parts: first + [.sql(joint.rawValue + "(")] + other.parts + [.sql("\n)")])
    let known = Set(named.map(\.name))
    both.named = named + other.named.filter { !known.contains($0.name) }
    both.joint = joint
    return both
  }

  /// The condition that this condition is false or unknown.
  var negated: Condition {
    var other = self
    (other.parts, other.joint) = ([.sql("(")] + parts + [.sql("\n) IS NOT TRUE")], nil)
    return other
  }

  /// The SQL, in which each bound value has a name, and the values.
  /// - Throws: the error of a value that cannot be stored.
  func rendered() throws -> (sql: String, values: [(name: String, value: QueryValue)]) {
    var sql = ""
    var values = named
    for part in parts {
      switch part {
      case .sql(let text): sql += text
      case .value(let value):
        let name = "\(QueryWords.interpolated)\(values.count)"
        values.append((name, value))
        sql += ":" + name
      case .fault(let error): throw error
      }
    }
    return (sql, values)
  }

  /// The SQL and the values of an interpolated string.
  public struct Interpolation: StringInterpolationProtocol {
    private(set) var parts: [Part] = []

    var isEmpty: Bool { parts.isEmpty }

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends SQL.
    public mutating func appendLiteral(_ literal: String) { parts.append(.sql(literal)) }

    /// Appends a value.
    public mutating func appendInterpolation(_ value: some ValueConvertible) {
      parts.append(.value(QueryValue(value.value)))
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
