internal import SeaCore

/// A read-only SQL statement, as used by `sea sql`. Each record type is a table with its properties as columns, and the
/// table `records` contains all records; see sea-query(7). Interpolated values are bound, never parsed as SQL:
///
///     try await database.rows("SELECT name, sum(seen) AS seen FROM bird WHERE seen > \(3) GROUP BY name")
///
/// An unknown table is empty, and an unknown column is NULL.
public struct Statement: Sendable, ExpressibleByStringInterpolation {
  private let text: Condition

  /// Creates a statement without values.
  public init(stringLiteral value: String) { text = Condition(stringLiteral: value) }

  /// Creates a statement with interpolated values.
  public init(stringInterpolation text: Condition.Interpolation) { self.text = Condition(stringInterpolation: text) }

  /// A statement with named parameters.
  /// - Parameters:
  ///   - sql: the statement.
  ///   - values: the values of the parameters; `name` is `:name` in the statement.
  public init(_ sql: String, _ values: [String: any ValueConvertible] = [:]) { text = Condition(sql, values) }

  func rendered() throws -> (sql: String, values: [(name: String, value: QueryValue)]) { try text.rendered() }
}
