internal import SeaCore
internal import SeaEngine

extension Database {
  /// What makes conditions quick, and finds words.
  public var indexes: Indexes { Indexes(database: self) }

  /// The indexes of a database: `database.indexes`. What a query gives is the same with and without; `MATCH` alone needs one of words.
  public struct Indexes: Sendable { let database: Database }
}

extension Database.Indexes {
  /// What an index finds.
  public enum Kind: String, Sendable, CaseIterable, Codable {
    /// Values, in the order in which SQL compares them: for `=`, `IN`, `<` and `BETWEEN`.
    case values
    /// Words of texts: for `_NAME MATCH 'lake AND zur*'`.
    case text
  }

  /// An index that is wanted.
  public struct Index: Sendable, Hashable {
    /// What it is called; one of words is searched as the column `_NAME`.
    public let name: String
    /// What it finds.
    public let kind: Kind
    /// The type whose records are in it.
    public let type: String
    /// The properties, as paths: `/name`, or `/net/ip` of what lies within one.
    public let paths: [String]
    /// Whether all instances have it.
    public let isShared: Bool
    /// Whether it is there; else the next sync makes it.
    public let isMade: Bool

    init(_ one: WantedIndex, isMade: Bool) {
      (name, kind) = (one.name, one.definition.kind == .text ? .text : .values)
      (type, paths) = (one.definition.type, one.definition.paths.map(\.pointer))
      (isShared, self.isMade) = (one.isShared, isMade)
    }
  }

  /// All that are wanted, by their names.
  public func all() async throws -> [Index] {
    try await database.reading { engine in
      try engine.atOneState {
        try engine.indexes.wanted().map { Index($0, isMade: try engine.indexes.has($0)) }
      }
    }
  }

  /// Wants an index, and makes it, in the place of one of the same name. It takes a look at each record of the type.
  /// - Parameters:
  ///   - name: letters, digits, `-` and `_`, a letter first, 40 at most.
  ///   - type: the type of the records.
  ///   - paths: properties, or paths such as `/net/ip`, one to eight; they may be of records that are to come.
  ///   - kind: what it finds.
  ///   - isShared: whether all instances are to have it.
  /// - Throws: `bad-data` if there can be no such index, or there are too many; `unauthorised` if this instance may not share settings.
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
          .badData, "an index is of a type and of one to \(IndexDefinition.mostPaths) paths", ["name": name])
      }
      try follow(engine, engine.indexes.adding(name, definition, isShared: isShared))
    }
  }

  /// Wants an index no more, and ends it.
  /// - Parameters:
  ///   - name: which one; letters are the same in upper and lower case.
  ///   - isShared: whether it is one that all instances have.
  /// - Throws: `not-found` if there is none of that name.
  public func remove(_ name: String, isShared: Bool = false) async throws {
    try await database.writing { engine in try follow(engine, engine.indexes.removing(name, isShared: isShared)) }
  }
}

private func follow(_ engine: Engine, _ settings: IndexSettings) throws {
  let wanted = try engine.indexes.wanted(settings)
  try engine.indexes.set(settings)
  try engine.indexes.follow(wanted)
}
