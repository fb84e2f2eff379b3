// What takes one call.

extension Database {
  /// The records of a query.
  public func fetch<Element: Sendable>(_ query: Query<Element>) async throws -> [Element] {
    try await read { try $0.fetch(query) }
  }

  /// The first record of a query; nil if there is none.
  public func first<Element: Sendable>(_ query: Query<Element>) async throws -> Element? {
    try await read { try $0.first(query) }
  }

  /// The record with this id as a type; nil if there is none, or it is of another type.
  public func fetch<Wanted: SeaRecord>(_ type: Wanted.Type = Wanted.self, id: String) async throws -> Wanted? {
    try await read { try $0.fetch(type, id: id) }
  }

  /// The record with this id; nil if there is none.
  public func record(_ id: String) async throws -> Record? { try await read { try $0.record(id) } }

  /// How many records a query means.
  public func count<Element>(_ query: Query<Element>) async throws -> Int { try await read { try $0.count(query) } }

  /// Saves one typed record.
  @discardableResult
  public func save(_ record: some SeaRecord) async throws -> Revision {
    try await write("save") { try $0.save(record) }
  }

  /// Saves what was set and unset in one record.
  @discardableResult
  public func save(_ record: Record) async throws -> Revision { try await write("save") { try $0.save(record) } }

  /// Deletes one record.
  /// - Throws: `not-found` if there is none.
  public func delete(_ id: String) async throws { try await write("delete") { try $0.delete(id) } }
}
