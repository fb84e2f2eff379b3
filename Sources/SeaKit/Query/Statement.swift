internal import SeaCore

/// An SQL statement that reads, as in `sea sql`. Each type is a table with its properties as columns, and `records` has
/// all records; see sea-query(7). Interpolated values are bound and never parsed as SQL:
///
///     try await database.rows("SELECT name, sum(seen) AS seen FROM bird WHERE seen > \(3) GROUP BY name")
///
/// An unknown table or column is empty, unless its name resembles another one: then it is an error (a likely typo).
public struct Statement: Sendable, ExpressibleByStringInterpolation {
  let sql: String
  let values: [(name: String, value: QueryValue)]

  /// A statement without values.
  public init(stringLiteral value: String) { (sql, values) = (value, []) }

  /// A statement with interpolated values.
  public init(stringInterpolation text: Condition.Interpolation) { (sql, values) = (text.sql, text.values) }

  /// A statement with named parameters.
  /// - Parameters:
  ///   - sql: the statement.
  ///   - values: the values of the parameters; `name` is `:name` in the statement.
  public init(_ sql: String, _ values: [String: any ValueConvertible] = [:]) {
    self.sql = sql
    self.values = values.map { ($0, QueryValue($1.value)) }
  }
}
