internal import SeaCore

/// A statement in SQL that reads, as `sea sql` takes it: every type is a table with the properties of its records as columns, and `records` has
/// all of them; see sea-query(7). What is interpolated is bound as a value and never read as SQL:
///
///     try await database.rows("SELECT name, sum(seen) AS seen FROM bird WHERE seen > \(3) GROUP BY name")
///
/// A table or column that no record has yet is empty; but a name that is much like that of another one is a slip, and an error.
public struct Statement: Sendable, ExpressibleByStringInterpolation {
  let sql: String
  let values: [(name: String, value: QueryValue)]

  /// A statement as it stands.
  public init(stringLiteral value: String) { (sql, values) = (value, []) }

  /// A statement with values.
  public init(stringInterpolation text: Condition.Interpolation) { (sql, values) = (text.sql, text.values) }

  /// A statement with named parameters.
  /// - Parameters:
  ///   - sql: the statement.
  ///   - values: what `:name` stands for in it.
  public init(_ sql: String, _ values: [String: any ValueConvertible] = [:]) {
    self.sql = sql
    self.values = values.map { ($0, QueryValue($1.value)) }
  }
}
