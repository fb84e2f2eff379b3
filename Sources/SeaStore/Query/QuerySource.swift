import SeaCore

/// What a query needs to know that is not in the tables of records.
package struct QuerySource {
  /// The body of a record with several live leaves, as it is shown.
  var shown: (RecordRow) throws -> [UInt8]?
  /// The name of an instance, for people.
  var name: (UUID) throws -> String
  /// Milliseconds since 1970.
  var now: Int64

  /// So many milliseconds as a text like `7d` says.
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
