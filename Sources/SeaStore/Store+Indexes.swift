import SeaCore

// Indexes as a whole: to have one or not.

extension Store {
  /// The indexes that there are, by name.
  package func indexes() throws -> [KeptIndex] { try records.indexes.all() }

  /// Makes an index, in the place of one of that name, in one transaction.
  package func makeIndex(_ name: String, _ definition: IndexDefinition) throws {
    try write { try RecordIndexes(records).fill(records.indexes.create(name, definition)) }
  }

  /// Ends an index.
  /// - Returns: whether there was one.
  @discardableResult package func dropIndex(_ name: String) throws -> Bool {
    try write { try records.indexes.drop(name) }
  }
}
