internal import SeaCore
internal import SeaEngine

extension Database {
  /// What has happened, and taking it back.
  public var history: History { History(database: self) }

  /// What has happened in a database: the revisions of a record, the values that a property had, what this instance did, and taking it
  /// back: `database.history`.
  public struct History: Sendable { let database: Database }
}

extension Database.History {
  // MARK: - One record

  /// The revisions of a record: those that follow before those that they follow, of equals those first that lead to the winner.
  /// - Throws: `not-found` if nothing of such a record is known.
  public func revisions(of id: String) async throws -> [RecordRevision] {
    try await reading { engine in
      let row = try engine.knownRow(id)
      let instances = try Instances(engine)
      var all: [RecordRevision] = []
      try engine.history.forEachEvent(of: row) {
        all.append(RecordRevision($0, instances, merged: try engine.history.merged(by: $0)))
        return true
      }
      return all
    }
  }

  /// What a record said in a revision; nil if that deleted it.
  /// - Throws: `not-found` if there is no such revision, or what it said was purged.
  public func record(_ id: String, at revision: Revision) async throws -> Record? {
    try await reading { try $0.stored(id, revision).map { Record($0) } }
  }

  /// What a record said in a revision, as a type; nil if that deleted it, or made it one of another type.
  /// - Throws: `not-found` if there is no such revision, or what it said was purged; `bad-data` if the type cannot be made of what it said.
  public func fetch<Wanted: SeaRecord>(
    _ type: Wanted.Type = Wanted.self, id: String, at revision: Revision
  ) async throws -> Wanted? {
    try await reading { engine in
      guard let found = try engine.stored(id, revision), found.isOf(Wanted.self) else { return nil }
      return try found.decoded(as: type)
    }
  }

  /// The values that a property had, newest first: each revision that gave it another one than was there before.
  /// - Parameters:
  ///   - id: which record.
  ///   - path: a name, names joined by dots, or a JSON Pointer.
  /// - Throws: `not-found` if nothing of such a record is known; `usage` if it is no path.
  public func values(of path: String, in id: String) async throws -> [PastValue] {
    try await reading { engine in
      let row = try engine.knownRow(id)
      let instances = try Instances(engine)
      var all: [PastValue] = []
      try engine.history.forEachValue(of: row, PropertyPath(path)) { event, told in
        let value = try told.map { Value(stored: try $0.stored.value()) }
        all.append(PastValue(value: value, revision: RecordRevision(event, instances, merged: [])))
        return true
      }
      return all
    }
  }

  /// What is different between two revisions of a record, by names; the type is `_type`.
  /// - Parameters:
  ///   - id: which record.
  ///   - new: the revision behind the step.
  ///   - old: nil for what was before the first revision.
  /// - Throws: `not-found` if there is no such revision.
  public func differences(
    of id: String, from old: Revision?, to new: Revision
  ) async throws -> [PropertyDifference] {
    try await reading { engine in
      let row = try engine.knownRow(id)
      let before = try old.map { try engine.records.revision($0.description, of: row) }
      let after = try engine.records.revision(new.description, of: row)
      return try PropertyDifference.all(engine.history.difference(from: before, to: after))
    }
  }

  // MARK: - Everything

  /// The blocks that were written, newest first, by whomever: each is one transaction.
  /// - Parameters:
  ///   - instance: of one instance alone, by its id; nil for all.
  ///   - limit: at most so many.
  public func transactions(of instance: String? = nil, limit: Int = 100) async throws -> [LoggedTransaction] {
    try await reading { engine in
      let only = try instance.map { text in
        guard let id = UUID(text) else { throw SeaError(.usage, "'\(text)' is no id of an instance") }
        return id
      }
      let instances = try Instances(engine)
      var all: [LoggedTransaction] = []
      if limit < 1 { return [] }
      try engine.history.forEachTransaction(of: only) { block in
        all.append(LoggedTransaction(block, instances))
        return all.count < limit
      }
      return all
    }
  }

  /// What this instance did, newest first. What it did before it was renewed is not among it.
  public func operations(limit: Int = 100) async throws -> [Operation] {
    try await reading { engine in
      var all: [Operation] = []
      if limit < 1 { return [] }
      try engine.history.forEachOperation { one in
        all.append(Operation(one))
        return all.count < limit
      }
      return all
    }
  }

  /// What an operation did, record by record.
  /// - Throws: `not-found` if this instance did no such thing.
  public func changes(of operation: Operation) async throws -> [OperationChange] {
    try await reading { engine in
      let found = try engine.history.operation(operation.name)
      var all: [OperationChange] = []
      try engine.history.forEachChange(of: found.block, withValues: true) { all.append(try OperationChange($0)) }
      return all
    }
  }

  // MARK: - Taking back

  /// Takes back what an operation did, in one block: all of it or, if something of it was changed since, nothing.
  /// - Parameters:
  ///   - operation: nil for the newest one that is in effect and that was not an undo itself.
  ///   - ids: only of these records; nil for all.
  /// - Throws: `not-found` if there is none, `stale` if something of it was changed since; the message names it.
  @discardableResult
  public func undo(_ operation: Operation? = nil, only ids: [String]? = nil) async throws -> Undo {
    try await database.writing { engine in
      return Undo(try engine.history.undo(operation?.name, only: ids))
    }
  }

  /// Makes a record say again what it said in a revision, and in these properties alone if there are any.
  /// - Returns: the revision that there is now.
  /// - Throws: `not-found` if there is no such record, revision or property, or the revision deleted the record or was purged.
  @discardableResult
  public func revert(_ id: String, to revision: Revision, properties: [String] = []) async throws -> Revision {
    try await database.write("revert") { try $0.revert(id, to: revision, properties: properties) }
  }

  private func reading<Result: Sendable>(
    _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    try await database.reading { engine in try engine.atOneState { try body(engine) } }
  }
}

extension WriteTransaction {
  /// Makes a record say again what it said in a revision. Counters and sets are changed to what they were.
  /// - Parameters:
  ///   - id: which record.
  ///   - revision: the revision that is meant.
  ///   - properties: paths that alone are meant; empty for all of it.
  /// - Returns: the revision that there is now.
  /// - Throws: `not-found` if there is no such record, revision or property, or the revision deleted the record or was purged.
  @discardableResult
  public func revert(_ id: String, to revision: Revision, properties: [String] = []) throws -> Revision {
    try telling {
      let row = try engine.knownRow(id)
      let found = Found(row: row, leaf: try engine.records.revision(revision.description, of: row))
      let paths = try properties.map { try PropertyPath($0) }
      return try write { try engine.records.addRevert(to: found, paths, .none, in: $0) }
    }
  }
}

/// A block of the history: what was written together.
public struct LoggedTransaction: Sendable, Hashable {
  /// Who wrote it.
  public let author: Instance
  /// Its number among those of its author, from 0; a fork has several with one number.
  public let index: UInt32
  /// When, by the clock of who wrote it.
  public let time: Timestamp
  /// The word for it.
  public let label: String?
  /// How many revisions of records it has, as far as it can be read here.
  public let changes: Int

  init(_ block: BlockRow, _ instances: Instances) {
    author = instances[block.instance]
    index = block.ref.index
    time = Timestamp(milliseconds: block.time)
    label = block.label
    changes = Int(block.changes)
  }
}

extension Database.History {
  /// What this instance did in one transaction: what can be taken back.
  public struct Operation: Sendable, Hashable, Identifiable {
    /// Whether it is in effect.
    public enum State: String, Sendable, CaseIterable, Codable {
      /// It is.
      case done
      /// Some of its records have been taken back.
      case partly
      /// All of it was taken back.
      case undone
    }

    /// `op:` and 16 hexadecimal digits.
    public let id: String
    /// When, by the clock of this device.
    public let time: Timestamp
    /// The word for it.
    public let label: String?
    /// How many revisions of records it has.
    public let changes: Int
    /// Whether it was in effect when it was read.
    public let state: State

    init(_ operation: SeaEngine.Operation) {
      id = operation.name
      time = Timestamp(milliseconds: operation.block.time)
      label = operation.block.label
      changes = Int(operation.block.changes)
      state = State(rawValue: operation.state.rawValue) ?? .done
    }

    var name: OperationName { .digest(String(id.dropFirst(3))) }
  }

  /// What an operation does to a record.
  public enum Effect: String, Sendable, CaseIterable, Codable {
    /// It was made, changed, or deleted.
    case created, updated, deleted
    /// An undo brought back what was before.
    case restored
    /// Somebody ended its conflict.
    case resolved
    /// Its conflict ended by itself.
    case merged
    /// An undo brought its conflict back.
    case reopened

    init(_ effect: SeaEngine.Operation.Effect) { self = Effect(rawValue: effect.rawValue) ?? .updated }
  }

  /// What an operation did to one record with one revision.
  public struct OperationChange: Sendable, Hashable {
    /// Which record it is.
    public let id: String
    /// The type that it has since.
    public let type: String?
    /// What was done.
    public let effect: Effect
    /// The revision that was written.
    public let revision: Revision
    /// What is different from before; nil if that cannot be told, as of what was purged.
    public let differences: [PropertyDifference]?

    init(_ change: RevisionChange) throws {
      (id, type, effect) = (change.id, change.type, Effect(change.effect))
      revision = Revision(change.revision)
      differences = try change.difference.map(PropertyDifference.all)
    }
  }

  /// What an undo did.
  public struct Undo: Sendable, Hashable {
    /// What was taken back of one record.
    public struct Record: Sendable, Hashable, Identifiable {
      /// Which record it is.
      public let id: String
      /// What became of it; nil if there was nothing to take back.
      public let effect: Effect?
      /// What was written.
      public let revisions: [Revision]
    }

    /// What was taken back, as it was before.
    public let operation: Operation
    /// Its records.
    public let records: [Record]

    init(_ undone: Undone) {
      operation = Operation(undone.operation)
      records = undone.records.map {
        Record(id: $0.id, effect: $0.effect.map(Effect.init), revisions: $0.revisions.map(Revision.init))
      }
    }
  }
}
