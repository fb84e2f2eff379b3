internal import SeaCore
internal import SeaEngine

extension Database {
  /// Indexes, which speed up conditions and make text search possible.
  public var indexes: Indexes { Indexes(database: self) }

  /// Operations on indexes, available as `database.indexes`. Indexes do not change query results, but `MATCH` requires
  /// a text index.
  public struct Indexes: Sendable { let database: Database }
}

extension Database.Indexes {
  /// The kind of an index.
  public enum Kind: String, Sendable, CaseIterable, Codable {
    /// An index of values in SQL order, used for `=`, `IN`, `<` and `BETWEEN`.
    case values
    /// An index of the words in strings, used for `_NAME MATCH 'lake AND zur*'`.
    case text
  }

  /// An index that is defined in the settings.
  public struct Index: Sendable, Hashable {
    /// The name of the index. A text index is searched as the column `_NAME`.
    public let name: String
    /// The kind of the index.
    public let kind: Kind
    /// The type of the indexed records.
    public let type: String
    /// The properties, as paths: `/name`, or `/net/ip` for a nested one.
    public let paths: [String]
    /// Whether all instances have the index.
    public let isShared: Bool
    /// Whether the index has been built on this device. If false, the next sync builds it.
    public let isMade: Bool

    init(_ one: WantedIndex, isMade: Bool) {
      (name, kind) = (one.name, one.definition.kind == .text ? .text : .values)
      (type, paths) = (one.definition.type, one.definition.paths.map(\.pointer))
      (isShared, self.isMade) = (one.isShared, isMade)
    }
  }

  /// Returns all indexes that are defined in the settings, sorted by name.
  public func all() async throws -> [Index] {
    try await database.reading { engine in
      try engine.atOneState {
        try engine.indexes.wanted().map { Index($0, isMade: try engine.indexes.has($0)) }
      }
    }
  }

  /// Adds an index and builds it from all records of the type. It replaces an index of the same name.
  /// - Parameters:
  ///   - name: the name: a letter, then letters, digits, `-` and `_`, at most 40 characters.
  ///   - type: the type of the records.
  ///   - paths: one to eight properties, or paths such as `/net/ip`. No record needs to have them yet.
  ///   - kind: the kind of the index.
  ///   - isShared: whether all instances get the index.
  /// - Throws: `bad-data` for an invalid definition or too many indexes; `unauthorized` if it may not be shared.
  public func add(
    _ name: String, of type: String, on paths: String..., kind: Kind = .values, isShared: Bool = false
  ) async throws {
    try await database.writing { engine in
      let kind: IndexDefinition.Kind = kind == .text ? .text : .values
      try Name.check(type)
      let pointers = try paths.filter { !$0.isEmpty }.map { try PropertyPath($0).pointer }
      guard pointers.count == paths.count, !pointers.contains(where: { $0.contains(",") }),
        let definition = IndexDefinition(kind, "\(type):\(pointers.joined(separator: ","))")
      else {
        throw SeaError(
          .badData, "an index needs a type and 1 to \(IndexDefinition.mostPaths) paths", ["name": name])
      }
      try follow(engine, engine.indexes.adding(name, definition, isShared: isShared))
    }
  }

  /// Removes an index.
  /// - Parameters:
  /// - name: the name of the index, in upper or lower case.
  ///   - isShared: whether to remove an index that all instances have.
  /// - Throws: `not-found` if there is no such index.
  public func remove(_ name: String, isShared: Bool = false) async throws {
    try await database.writing { engine in try follow(engine, engine.indexes.removing(name, isShared: isShared)) }
  }
}

private func follow(_ engine: Engine, _ settings: IndexSettings) throws {
  let wanted = try engine.indexes.wanted(settings)
  try engine.indexes.set(settings)
  try engine.indexes.follow(wanted)
}
