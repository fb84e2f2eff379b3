import SeaCore

/// Data and functions that a query needs apart from the tables of records.
package struct QuerySource {
  /// Returns the displayed body of a record with several live leaves.
  var shown: (RecordRow) throws -> [UInt8]?
  var name: (UUID) throws -> String
  /// The current time in milliseconds since 1970.
  var now: Int64

  /// Parses a duration such as `7d` into milliseconds.
  var age: (String) -> Int64?

  package init(
    now: Int64, age: @escaping (String) -> Int64?, shown: @escaping (RecordRow) throws -> [UInt8]?,
    name: @escaping (UUID) throws -> String
  ) {
    self.now = now
    self.age = age
    self.shown = shown
    self.name = name
  }
}
