internal import SeaCore
internal import SeaEngine

extension Database {
  /// The history of records, and undo.
  public var history: History { History(database: self) }

  /// Operations on the history, including undo, available as `database.history`.
  public struct History: Sendable { let database: Database }
}

extension Database.History {
  // MARK: - One record

  /// Returns the revisions of a record, children before parents, beginning with the winning branch.
  /// - Throws: `not-found` if the record is unknown.
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

  /// Returns the content of a revision; nil if the revision deletes the record.
  /// - Throws: `not-found` if there is no such revision, or its content was purged.
  public func record(_ id: String, at revision: Revision) async throws -> Record? {
    try await reading { try $0.stored(id, revision).map { Record($0) } }
  }

  /// Returns the content of a revision, decoded as a type; nil if the revision deletes the record or has another type.
  /// - Throws: `not-found` if there is no such revision, or its content was purged; `bad-data` if it cannot be decoded.
  public func fetch<Wanted: SeaRecord>(
    _ type: Wanted.Type = Wanted.self, id: String, at revision: Revision
  ) async throws -> Wanted? {
    try await reading { engine in
      guard let found = try engine.stored(id, revision), found.isOf(Wanted.self) else { return nil }
      return try found.decoded(as: type)
    }
  }

  /// Returns the past values of a property, newest first: one for each revision that changed it.
  /// - Parameters:
  ///   - path: a name, names joined by dots, or a JSON Pointer.
  ///   - id: the id of the record.
  /// - Throws: `not-found` if the record is unknown; `usage` if the path is invalid.
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

  /// Returns the differences between two revisions of a record, by property name; the type is `_type`.
  /// - Parameters:
  ///   - id: the id of the record.
  ///   - new: the later revision.
  ///   - old: the earlier revision; nil to compare with nothing.
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

  // MARK: - All records

  /// Returns the transactions of all instances, newest first.
  /// - Parameters:
  ///   - instance: the id of the instance; nil for all.
  ///   - limit: the maximum number of transactions.
  public func transactions(of instance: String? = nil, limit: Int = 100) async throws -> [LoggedTransaction] {
    try await reading { engine in
      let only = try instance.map { text in
        guard let id = UUID(text) else { throw SeaError(.usage, "invalid instance id '\(text)'") }
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

  /// Returns this instance's operations, newest first, except those from before the instance was renewed.
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

  /// Returns the changes that an operation made, record by record.
  /// - Throws: `not-found` if this instance has no such operation.
  public func changes(of operation: Operation) async throws -> [OperationChange] {
    try await reading { engine in
      let found = try engine.history.operation(operation.name)
      var all: [OperationChange] = []
      try engine.history.forEachChange(of: found.block, withValues: true) { all.append(try OperationChange($0)) }
      return all
    }
  }

  // MARK: - Undo

  /// Undoes an operation completely, or not at all.
  /// - Parameters:
  /// - operation: the operation; nil for the newest operation that is in effect and is not an undo.
  ///   - ids: the ids of the records to restore; nil for all.
  /// - Throws: `not-found` if there is no such operation, `stale` if part of the result was changed later. The message
  ///   names the part.
  @discardableResult
  public func undo(_ operation: Operation? = nil, only ids: [String]? = nil) async throws -> Undo {
    try await database.writing { engine in
      return Undo(try engine.history.undo(operation?.name, only: ids))
    }
  }

  /// Restores the content of a record, or only some of its properties, from a revision.
  /// - Returns: the new revision.
  /// - Throws: `not-found` if the record, revision or property does not exist, is deleted, or was purged.
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
  /// Restores the content of a record from a revision. Counters and sets are changed to their former values.
  /// - Parameters:
  ///   - id: the id of the record.
  ///   - revision: the revision to restore.
  ///   - properties: the paths to restore; empty for all.
  /// - Returns: the new revision.
  /// - Throws: `not-found` if the record, revision or property does not exist, is deleted, or was purged.
  @discardableResult
  public func revert(_ id: String, to revision: Revision, properties: [String] = []) throws -> Revision {
    try convertingErrors {
      let row = try engine.knownRow(id)
      let found = Found(row: row, leaf: try engine.records.revision(revision.description, of: row))
      let paths = try properties.map { try PropertyPath($0) }
      return try write { try engine.records.addRevert(to: found, paths, .none, in: $0) }
    }
  }
}

/// A transaction in the history, stored as one block.
public struct LoggedTransaction: Sendable, Hashable {
  /// The instance that wrote the transaction.
  public let author: Instance
  /// The index of the block in its chain, starting at 0. In a forked chain, several blocks can have the same index.
  public let index: UInt32
  /// The time at which the transaction was written, according to the author's clock.
  public let time: Timestamp
  /// The message; nil if there is none.
  public let label: String?
  /// The number of the transaction's revisions that this instance can read.
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
  /// A transaction of this instance, which can be undone.
  public struct Operation: Sendable, Hashable, Identifiable {
    /// Whether the operation is in effect.
    public enum State: String, Sendable, CaseIterable, Codable {
      /// The operation is in effect.
      case done
      /// The operation is undone for some of its records.
      case partly
      /// The operation is undone.
      case undone
    }

    /// The id: `op:` and 16 hexadecimal digits.
    public let id: String
    /// The time of the operation, according to this device's clock.
    public let time: Timestamp
    /// The message; nil if there is none.
    public let label: String?
    /// The number of revisions that the operation wrote.
    public let changes: Int
    /// Whether the operation was in effect when it was read.
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

  /// The effect of an operation on a record.
  public enum Effect: String, Sendable, CaseIterable, Codable {
    /// The record was created, changed or deleted.
    case created, updated, deleted
    /// An undo restored the former content.
    case restored
    /// A conflict of the record was resolved.
    case resolved
    /// A conflict of the record was merged automatically.
    case merged
    /// An undo restored a conflict of the record.
    case reopened

    init(_ effect: SeaEngine.Operation.Effect) { self = Effect(rawValue: effect.rawValue) ?? .updated }
  }

  /// One revision of an operation.
  public struct OperationChange: Sendable, Hashable {
    /// The id of the record.
    public let id: String
    /// The type of the record after the operation; nil if it has no type.
    public let type: String?
    /// The effect on the record.
    public let effect: Effect
    /// The new revision.
    public let revision: Revision
    /// The differences from the former content; nil if they are unknown, for example after a purge.
    public let differences: [PropertyDifference]?

    init(_ change: RevisionChange) throws {
      (id, type, effect) = (change.id, change.type, Effect(change.effect))
      revision = Revision(change.revision)
      differences = try change.difference.map(PropertyDifference.all)
    }
  }

  /// The result of an undo.
  public struct Undo: Sendable, Hashable {
    /// The result for one record.
    public struct Record: Sendable, Hashable, Identifiable {
      /// The id of the record.
      public let id: String
      /// The effect of the undo; nil if there was nothing to undo.
      public let effect: Effect?
      /// The new revisions.
      public let revisions: [Revision]
    }

    /// The operation, in its state before the undo.
    public let operation: Operation
    /// The results for the records of the operation.
    public let records: [Record]

    init(_ undone: Undone) {
      operation = Operation(undone.operation)
      records = undone.records.map {
        Record(id: $0.id, effect: $0.effect.map(Effect.init), revisions: $0.revisions.map(Revision.init))
      }
    }
  }
}
