internal import SeaEngine

/// A type of records that exists in a database.
public struct RecordTypeInfo: Sendable, Hashable {
  /// The name of the type; nil for the records without a type.
  public let name: String?
  /// The number of records that are not deleted.
  public let count: Int
  /// The names of the properties that records of the type have, or had.
  public let properties: [String]
}

extension Database {
  /// Returns the types of all records, sorted by name. This takes the same time regardless of the number of records.
  public func types() async throws -> [RecordTypeInfo] {
    try await reading { engine in
      try engine.queries.types().map { RecordTypeInfo(name: $0.type, count: $0.count, properties: $0.properties) }
    }
  }
}
